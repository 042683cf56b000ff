// Sends control messages between workers, and keeps those that arrive until they are asked for.
//
// A control message is named by its sender, its context (the group), its sequence (which collective) and its
// phase (which step). A long one travels in pieces, in order. In the mailbox context a new message replaces
// the one of its name that nobody has asked for. Collectives, group creation and meetings are built of these
// messages. Every call is made under the engine lock, where there is an engine. Used by
// op/group_collective, worlds and runtime/opening.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "transport/transport.h"

namespace comex::op {

inline constexpr std::uint64_t mailbox_context = 4;
inline constexpr std::uint64_t watch_context = 5;    // between progress ranks; a mailbox as well
inline constexpr std::uint64_t failure_context = 6;  // to progress ranks, which read it at once

class ControlMessages final : public transport::Sink {
 public:
  explicit ControlMessages(transport::Transport& transport) : transport_(transport) {}

  void send(TransportRank to, std::uint64_t context, std::uint64_t sequence, std::uint32_t phase,
            std::span<const std::byte> bytes);
  // True once the whole message is here; it is moved to `into`, which has its exact length.
  bool take(TransportRank from, std::uint64_t context, std::uint64_t sequence, std::uint32_t phase,
            std::span<std::byte> into);
  // The same, for one whose length is not known before; empty: it is not here yet.
  std::optional<std::vector<std::byte>> take(TransportRank from, std::uint64_t context,
                                             std::uint64_t sequence, std::uint32_t phase);

  // A whole message of this sequence that is here and can be taken; null: there is none.
  struct Sent {
    TransportRank from;
    std::uint32_t phase;
  };
  template <class IsWanted>
  std::optional<Sent> any(std::uint64_t context, std::uint64_t sequence, const IsWanted& is_wanted) const {
    for (const auto& [name, control] : arrived_) {
      const Sent sent{name.from, name.phase};
      if (name.context == context && name.sequence == sequence && is_whole(control) && is_wanted(sent))
        return sent;
    }
    return std::nullopt;
  }

  // The other processes are lost: no message is sent or expected any more.
  void abandon() { is_lost_ = true; }
  bool is_lost() const { return is_lost_; }

  void on_message(const transport::Message& message) override;
  unsigned advance() override { return 0; }

 private:
  struct Name {
    TransportRank from;
    std::uint32_t phase;
    std::uint64_t context;
    std::uint64_t sequence;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct Hash {
    std::size_t operator()(const Name& name) const;
  };
  struct ControlMessage {
    std::uint64_t total = 0;
    std::vector<std::byte> bytes;
  };

  static bool is_whole(const ControlMessage& control) { return control.bytes.size() == control.total; }

  transport::Transport& transport_;
  std::unordered_map<Name, ControlMessage, Hash> arrived_;
  bool is_lost_ = false;
};

}  // namespace comex::op
