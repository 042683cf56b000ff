// Endpoints, inter-groups, and worlds that are spawned or meet. Included by comex.hpp.
#pragma once

#include <comex/worlds.h>
#include <comex/cpp/group.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comex {

// `mine` >= 0 ranks of one new group, and a handle for each. Collective over the parent. A thread drives each
// handle, and all endpoints make a collective call at once: so each group is moved to the thread that drives
// it, where it is destroyed too.
inline std::vector<group> endpoints(const group& parent, int mine) {
  std::vector<comex_group_t> handles(mine > 0 ? static_cast<std::size_t>(mine) : 0, COMEX_GROUP_NULL);
  detail::check(comex_group_create_endpoints(parent.handle(), mine, handles.data()),
                {.name = "group_create_endpoints", .group = parent.handle()});
  std::vector<group> made;
  made.reserve(handles.size());
  for (const comex_group_t handle : handles) made.push_back(group::adopt(handle));
  return made;
}

// Two groups of different worlds, or of one, that face each other. Ranks in operations are those of the other
// side. If it owns the connection, its destructor disconnects, which is collective over both sides.
class inter_group {
 public:
  inter_group(comex_group_t handle, bool is_owner) noexcept : handle_(handle), is_owner_(is_owner) {}
  inter_group(inter_group&& other) noexcept
      : handle_(std::exchange(other.handle_, COMEX_GROUP_NULL)),
        is_owner_(other.is_owner_),
        life_(other.life_) {}
  inter_group& operator=(inter_group&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(is_owner_, other.is_owner_);
    std::swap(life_, other.life_);
    return *this;
  }
  inter_group(const inter_group&) = delete;
  inter_group& operator=(const inter_group&) = delete;
  ~inter_group() {
    if (handle_ != COMEX_GROUP_NULL && is_owner_ && !passing_ && !life_.is_over())
      comex_world_disconnect(&handle_);
  }

  comex_group_t handle() const noexcept { return handle_; }
  // The own side.
  int rank() const { return group::view(handle_).rank(); }
  int size() const { return group::view(handle_).size(); }
  int remote_size() const {
    int size = 0;
    detail::check(comex_group_remote_size(handle_, &size), {.name = "group_remote_size", .group = handle_});
    return size;
  }
  // Collective over both sides: one group of both. The side that is not high comes first; where both say the
  // same, the library decides.
  group merge(bool is_high) const {
    comex_group_t merged = COMEX_GROUP_NULL;
    detail::check(comex_group_merge(handle_, is_high ? 1 : 0, &merged),
                  {.name = "group_merge", .group = handle_});
    return group::adopt(merged);
  }
  // Collective over both sides. It waits for traffic and lets the other world go; the handle is null then.
  void disconnect() {
    const comex_group_t before = handle_;
    detail::check(comex_world_disconnect(&handle_), {.name = "world_disconnect", .group = before});
  }

 private:
  comex_group_t handle_;
  bool is_owner_;
  detail::life life_;
  detail::passing_exception passing_;
};

// Collective over both local groups, which have no process in common. `peer` holds both leaders; it counts at
// the leaders only, as do remote_leader, a rank of `peer`, and `tag` >= 0.
inline inter_group make_inter_group(const group& local, int local_leader, const group& peer,
                                    int remote_leader, int tag) {
  comex_group_t inter = COMEX_GROUP_NULL;
  detail::check(
      comex_intergroup_create(local.handle(), local_leader, peer.handle(), remote_leader, tag, &inter),
      {.name = "intergroup_create", .group = local.handle()});
  return {inter, true};
}

// Who makes a meeting: collective over `over`; other arguments count at `root` only.
struct meeting {
  const group& over;
  int root = 0;
};

// Starts MPI processes, progress ranks included, and gives the inter-group with their workers.
inline inter_group spawn(const meeting& by, const std::string& command, std::vector<std::string> arguments,
                         int processes) {
  std::vector<char*> texts;
  for (std::string& text : arguments) texts.push_back(text.data());
  texts.push_back(nullptr);
  comex_group_t children = COMEX_GROUP_NULL;
  detail::check(
      comex_world_spawn(command.c_str(), texts.data(), processes, by.root, by.over.handle(), &children),
      {.name = "world_spawn", .group = by.over.handle()});
  return {children, true};
}
// The inter-group with those who spawned this world, if anybody did. It is not owned: disconnect() ends it.
inline std::optional<inter_group> parent() {
  comex_group_t handle = COMEX_GROUP_NULL;
  detail::check(comex_world_parent(&handle), {.name = "world_parent"});
  if (handle == COMEX_GROUP_NULL) return std::nullopt;
  return inter_group(handle, false);
}

// A port of this process, where others connect. Not collective.
class open_port {
 public:
  open_port() { detail::check(comex_world_open_port(text_.data(), most_bytes), {.name = "world_open_port"}); }
  open_port(const open_port&) = delete;
  open_port& operator=(const open_port&) = delete;
  ~open_port() {
    if (!life_.is_over()) comex_world_close_port(text_.data());
  }

  // What those who connect are told.
  const char* text() const noexcept { return text_.data(); }

 private:
  static constexpr int most_bytes = 1024;
  std::array<char, most_bytes> text_{};
  detail::life life_;
};

// Meets a world that connects to the root's open port, or that has it open. All members fail if nobody comes
// within the time limit.
inline inter_group accept(const meeting& by, const char* port, double timeout_s) {
  comex_group_t peer = COMEX_GROUP_NULL;
  detail::check(comex_world_accept(port, by.root, by.over.handle(), timeout_s, &peer),
                {.name = "world_accept", .group = by.over.handle()});
  return {peer, true};
}
inline inter_group connect(const meeting& by, const char* port, double timeout_s) {
  comex_group_t peer = COMEX_GROUP_NULL;
  detail::check(comex_world_connect(port, by.root, by.over.handle(), timeout_s, &peer),
                {.name = "world_connect", .group = by.over.handle()});
  return {peer, true};
}

}  // namespace comex
