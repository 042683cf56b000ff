// The bodies that MPI sends and receives for one process, by ticket.
//
// Many may be under way. Each call lets all of MPI work, so one looks at all of them: whoever asks for
// several bodies in turn, again and again, looks once a turn. Part of MpiTransport.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/yield.h"
#include "transport/mpi_check.h"
#include "transport/slot_table.h"
#include "transport/transport.h"

namespace comex::transport {

class MpiBodies {
 public:
  MpiBodies(const MpiCheck& check, mpi::YieldSwitch yield) : check_(check), yield_(yield) {}

  Ticket add(MPI_Request request, bool is_receive);
  Ticket add_complete(std::size_t received_bytes) {
    return Ticket{bodies_.take({.is_complete = true, .received_bytes = received_bytes})};
  }

  // True once the body is complete, which spends the ticket.
  bool done(Ticket ticket, std::size_t* received_bytes);

  // Spends the ticket. False if MPI may still use its memory.
  bool give_up(Ticket ticket);
  // Spends all tickets. False if MPI may still use the memory of one.
  bool give_up_all();
  // Waits for the sends, and cancels the receives.
  void finish();

 private:
  struct Body {
    bool is_complete = false;
    std::size_t received_bytes = 0;
    std::size_t place = 0;    // in requests_ until it is complete
    std::uint64_t asked = 0;  // the number of looks when it was last asked for
  };
  struct Entry {
    std::uint32_t body;
    bool is_receive;
  };

  void look();
  void complete(std::size_t place, const MPI_Status& status);
  void forget(std::size_t place);
  bool take_back(std::size_t place);

  const MpiCheck& check_;
  const mpi::YieldSwitch yield_;  // looks never give the processor away
  SlotTable<Body> bodies_;
  std::vector<MPI_Request> requests_;  // of those that are not complete, in any order
  std::vector<Entry> entries_;         // for each request
  std::uint64_t looks_ = 0;
};

}  // namespace comex::transport
