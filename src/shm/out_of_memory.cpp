#include "shm/out_of_memory.h"

#include <algorithm>

#include "shm/geometry.h"

namespace comex::shm {

namespace {

struct LimitTexts {
  const char* name;
  const char* hint;
};

LimitTexts texts_of(Limit limit) {
  switch (limit) {
    case Limit::mount:
      return {"the shared-memory mount", "in a container give it more (--shm-size) or set COMEX_ARENA=memfd"};
    case Limit::cgroup:
      return {"a cgroup's memory limit",
              "raise the memory limit of the container or batch job (--memory, --mem)"};
    case Limit::file_size:
      return {"the file-size limit (ulimit -f)", "raise ulimit -f"};
    case Limit::reservation:
      return {"the arena's reservation", "raise COMEX_ARENA_RESERVE, or ulimit -v if it is set"};
    case Limit::records:
      return {"the arena's extent records", "allocate fewer and larger pieces"};
    case Limit::ram:
      break;
  }
  return {"the machine's memory", "use more hosts or allocate less"};
}

std::string wanted_text(std::uint64_t bytes, std::uint64_t total, const OutOfMemory& out_of_memory) {
  std::string text = "wanted " + std::to_string(bytes) + " bytes";
  if (out_of_memory.records_bytes != 0) text += ", with the arena's own records " + std::to_string(total);
  if (out_of_memory.others_bytes != 0) {
    text += ", with what others of this host allocate just now " + std::to_string(total);
  }
  return text;
}

}  // namespace

OutOfMemory out_of_memory_in(const MemoryLimits& limits, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t before_limit = limits.file_bytes - std::min(limits.file_bytes, offset);
  const bool ends_at_limit = before_limit < bytes && before_limit <= limits.bytes;
  OutOfMemory out_of_memory;
  out_of_memory.free_bytes = ends_at_limit ? before_limit : limits.bytes;
  out_of_memory.limit = ends_at_limit ? Limit::file_size : limits.limit;
  if (!ends_at_limit) out_of_memory.where = limits.where;
  return out_of_memory;
}

OutOfMemory out_of_memory_met(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                              const Failure& refusal) {
  OutOfMemory out_of_memory = out_of_memory_in(os.memory_limits(object.backing()), offset, bytes);
  if (out_of_memory.limit != Limit::file_size) out_of_memory.call = refusal.text;
  return out_of_memory;
}

bool extend_or_tell(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                    OutOfMemory& out_of_memory) {
  const Status grown = os.extend(object, offset, bytes);
  if (grown) return true;
  out_of_memory = out_of_memory_met(os, object, offset, bytes, grown.failure());
  return false;
}

Failure not_enough(const std::string& whom, std::uint64_t bytes, const OutOfMemory& out_of_memory,
                   const std::string& holders) {
  const std::uint64_t whole = round_up(bytes, page_bytes);
  const std::uint64_t total =
      std::max(bytes, whole) + out_of_memory.others_bytes + out_of_memory.records_bytes;
  // Others may since have given back the memory that was missing when the system refused.
  const bool would_fit = !out_of_memory.call.empty() && total <= out_of_memory.free_bytes;
  const LimitTexts limit = texts_of(out_of_memory.limit);
  std::string text = "not enough shared memory for " + whom + ": " +
                     wanted_text(bytes, total, out_of_memory) + (would_fit ? ", free by now " : ", free ") +
                     std::to_string(out_of_memory.free_bytes) + ", limited by " + limit.name;
  if (!out_of_memory.where.empty()) text += " " + out_of_memory.where;
  if (!out_of_memory.call.empty()) text += " (" + out_of_memory.call + ")";
  if (!holders.empty()) text += "; on this host " + holders;
  return environment_error(text + "; " + limit.hint);
}

}  // namespace comex::shm
