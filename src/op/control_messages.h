// Small messages between workers, from which collectives are built: sent, kept until asked for.
//
// A control is named by sender, context (the group), sequence (which collective) and phase (which
// step). It may come long before it is asked for. One longer than a message travels in pieces, in
// order. In the mailbox contexts a new control takes the place of one of its name that nobody has asked for.
// Every call is made under the engine lock. Used by op/group_collective and group creation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "transport/sink.h"

namespace comex::op {

inline constexpr std::uint64_t mailbox_context = 4;
inline constexpr std::uint64_t circle_context = 5;  // a mailbox too: of founders who may wait in a circle

class ControlMessages final : public transport::Sink {
 public:
  explicit ControlMessages(transport::Transport& transport) : transport_(transport) {}

  void send(TransportRank to, std::uint64_t context, std::uint64_t sequence, std::uint32_t phase,
            std::span<const std::byte> bytes);
  // True once the whole control is here: it is copied to `into`, which has its exact length, and gone.
  bool take(TransportRank from, std::uint64_t context, std::uint64_t sequence, std::uint32_t phase,
            std::span<std::byte> into);
  // The same, but it stays.
  bool look(TransportRank from, std::uint64_t context, std::uint64_t sequence, std::uint32_t phase,
            std::span<std::byte> into) const;
  // Any of a context, whoever sent it; all of them have this length. Goes through what is here.
  bool take_any(std::uint64_t context, TransportRank& from, std::span<std::byte> into);

  // The others are lost: what has not come will not come, and nothing is sent any more.
  void abandon() { is_lost_ = true; }
  bool is_lost() const { return is_lost_; }

  void on_message(const transport::Message& message) override;
  unsigned advance() override { return 0; }
  bool quiet() const override { return arrived_.empty(); }

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
  static void copy(const ControlMessage& control, std::span<std::byte> into);

  transport::Transport& transport_;
  std::unordered_map<Name, ControlMessage, Hash> arrived_;
  bool is_lost_ = false;
};

}  // namespace comex::op
