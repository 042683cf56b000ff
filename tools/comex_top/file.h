// A regular file that another process has open, read and written at offsets.
//
// Paths below /proc may lead to anything, and to something else a moment later. So a path is opened with
// O_PATH and checked to be a regular file, and then that very file is opened.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace comex::top {

// Equal for the same file, whoever has it open.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  uid_t owner = 0;
  auto operator<=>(const FileIdentity&) const = default;
};

class File {
 public:
  explicit File(const std::string& path, int access = O_RDONLY) {
    const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat facts {};
    if (place >= 0 && fstat(place, &facts) == 0 && S_ISREG(facts.st_mode)) {
      identity_ = {facts.st_dev, facts.st_ino, facts.st_uid};
      bytes_ = static_cast<std::uint64_t>(facts.st_size);
      descriptor_ = open(("/proc/self/fd/" + std::to_string(place)).c_str(), access | O_CLOEXEC);
    }
    if (place >= 0) close(place);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  explicit operator bool() const { return descriptor_ >= 0; }
  const FileIdentity& identity() const { return identity_; }
  std::uint64_t bytes() const { return bytes_; }  // when it was opened

  // False where the file ends before.
  bool read(std::uint64_t offset, void* into, std::size_t bytes) const {
    auto* to = static_cast<char*>(into);
    while (bytes != 0) {
      const ssize_t got = pread(descriptor_, to, bytes, static_cast<off_t>(offset));
      if (got <= 0) return false;
      to += got;
      offset += static_cast<std::uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  bool write(std::uint64_t offset, const void* from, std::size_t bytes) const {
    return pwrite(descriptor_, from, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

 private:
  int descriptor_ = -1;
  FileIdentity identity_;
  std::uint64_t bytes_ = 0;
};

}  // namespace comex::top
