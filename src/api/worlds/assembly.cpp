#include "api/worlds/assembly.h"

#include "core/protocol.h"
#include "transport/mpi_tuning.h"

namespace comex::api {
namespace {

// Between the tags of bodies and that of the transport's own probe: no message of the wire has it.
constexpr int assembly_tag = 32766;
static_assert(protocol::get_tag(protocol::slot_count - 1) < assembly_tag);

}  // namespace

Bytes pack(const Muster& muster) {
  return Packer()
      .array(std::span<const TransportRank>(muster.ranks))
      .value(muster.root)
      .value(muster.side)
      .text(muster.port)
      .value(muster.limit_s)
      .take();
}

Muster unpack_muster(std::span<const std::byte> bytes) {
  Unpacker packet(bytes);
  Muster muster;
  muster.ranks = packet.array<TransportRank>();
  muster.root = packet.value<std::uint32_t>();
  muster.side = packet.value<groups::Side>();
  muster.port = packet.text();
  muster.limit_s = packet.value<double>();
  COMEX_BUG_IF(!packet.is_done());
  return muster;
}

Result<groups::JoinedComms> assemble_and_join(MPI_Comm wire, const Muster& muster) {
  // On few cores those waited for need the processor to get here.
  const transport::YieldsInMpi while_waiting(true);
  const Communicator assembly = Communicator::of_ranks(wire, muster.ranks, assembly_tag);
  return groups::join(muster.side, muster.port, static_cast<int>(muster.root), assembly.get());
}

Joint::~Joint() {
  if (inter_ != MPI_COMM_NULL && mpi_is_running()) PMPI_Comm_free(&inter_);
}

void Joint::part(Communicator all) {
  const transport::YieldsInMpi while_waiting(true);
  { const Communicator freed = std::move(all); }
  groups::part(std::exchange(inter_, MPI_COMM_NULL));
}

}  // namespace comex::api
