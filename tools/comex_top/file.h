// An open file, read and written at offsets.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace comex::top {

class File {
 public:
  explicit File(const std::string& path, int access = O_RDONLY)
      : descriptor_(open(path.c_str(), access | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }

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
  // The same file has the same pair, whoever has it open.
  std::optional<std::pair<dev_t, ino_t>> identity() const {
    struct stat facts {};
    if (descriptor_ < 0 || fstat(descriptor_, &facts) != 0) return std::nullopt;
    return std::pair(facts.st_dev, facts.st_ino);
  }

 private:
  int descriptor_;
};

}  // namespace comex::top
