#include "shm/shortage.h"

#include <algorithm>

#include "shm/geometry.h"

namespace comex::shm {

namespace {

const char* hint_for(Limit limit) {
  switch (limit) {
    case Limit::mount:
      return "in a container give it more (--shm-size) or set COMEX_ARENA=memfd";
    case Limit::cgroup:
      return "raise the memory limit of the container or batch job (--memory, --mem)";
    case Limit::file_size:
      return "raise ulimit -f";
    case Limit::address_space:
      return "raise ulimit -v";
    case Limit::reservation:
      return "raise COMEX_ARENA_RESERVE, or ulimit -v if it is set";
    case Limit::records:
      return "allocate fewer and larger pieces";
    case Limit::ram:
      break;
  }
  return "use more hosts or allocate less";
}

std::string wanted_text(std::uint64_t bytes, std::uint64_t total, const Shortage& shortage) {
  std::string text = "wanted " + std::to_string(bytes) + " bytes";
  if (shortage.records_bytes != 0) text += ", with the arena's own records " + std::to_string(total);
  if (shortage.others_bytes != 0) {
    text += ", with what others of this host allocate just now " + std::to_string(total);
  }
  return text;
}

}  // namespace

Shortage shortage_in(const MemoryRoom& room, std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t before_limit = room.file_bytes - std::min(room.file_bytes, offset);
  const bool ends_at_limit = before_limit < bytes && before_limit <= room.bytes;
  Shortage shortage;
  shortage.free_bytes = ends_at_limit ? before_limit : room.bytes;
  shortage.limit = ends_at_limit ? Limit::file_size : room.limit;
  if (!ends_at_limit) shortage.where = room.where;
  return shortage;
}

Shortage shortage_met(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                      const Failure& refusal) {
  Shortage shortage = shortage_in(os.room(object.backing()), offset, bytes);
  if (shortage.limit != Limit::file_size) shortage.call = refusal.text;
  return shortage;
}

bool extend_or_tell(Os& os, const Object& object, std::uint64_t offset, std::uint64_t bytes,
                    Shortage& shortage) {
  const Status grown = os.extend(object, offset, bytes);
  if (grown) return true;
  shortage = shortage_met(os, object, offset, bytes, grown.failure());
  return false;
}

Failure not_enough(const std::string& whom, std::uint64_t bytes, const Shortage& shortage,
                   const std::string& holders) {
  const std::uint64_t whole = round_up(bytes, page_bytes);
  const std::uint64_t total = std::max(bytes, whole) + shortage.others_bytes + shortage.records_bytes;
  // Others may have given back meanwhile what they had when the system refused.
  const bool would_fit = !shortage.call.empty() && total <= shortage.free_bytes;
  std::string text = "not enough shared memory for " + whom + ": " + wanted_text(bytes, total, shortage) +
                     (would_fit ? ", free by now " : ", free ") + std::to_string(shortage.free_bytes) +
                     ", limited by " + limit_name(shortage.limit);
  if (!shortage.where.empty()) text += " " + shortage.where;
  if (!shortage.call.empty()) text += " (" + shortage.call + ")";
  if (!holders.empty()) text += "; on this host " + holders;
  return environment_error(text + "; " + hint_for(shortage.limit));
}

}  // namespace comex::shm
