#include "worlds/connect/dynamic.h"

#include <algorithm>
#include <array>

#include "runtime/communicator.h"

namespace comex::worlds {
namespace {

Status check(int code, const char* call) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  std::string line(text.data(), static_cast<std::size_t>(length));
  while (!line.empty() && line.back() == '\n') line.pop_back();
  std::ranges::replace(line, '\n', ';');  // a library may explain itself in several lines
  return environment_error(std::string(call) + ": " + line);
}

constexpr int spawn_tag = 0;

}  // namespace

Children::Children(MPI_Comm inter, Bytes message) : inter_(inter), message_(std::move(message)) {
  PMPI_Isend(message_.data(), static_cast<int>(message_.size()), MPI_BYTE, 0, spawn_tag, inter_, &sending_);
}

Children::~Children() {
  int is_sent = 0;
  PMPI_Test(&sending_, &is_sent, MPI_STATUS_IGNORE);
  if (is_sent == 0) {
    PMPI_Request_free(&sending_);
    static_cast<void>(std::make_unique<Bytes>(std::move(message_)).release());  // MPI may still read it
  }
  PMPI_Comm_free(&inter_);
}

Result<std::unique_ptr<Children>> spawn(const char* program, std::vector<std::string> arguments,
                                        int processes, Bytes message) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  MPI_Comm inter = MPI_COMM_NULL;
  const runtime::ReturnedErrors errors(MPI_COMM_SELF);
  std::vector<int> codes(static_cast<std::size_t>(processes), MPI_SUCCESS);
  Status spawned = check(PMPI_Comm_spawn(program, pointers.data(), processes, MPI_INFO_NULL, 0,
                                         MPI_COMM_SELF, &inter, codes.data()),
                         "MPI or its launcher has started no processes: MPI_Comm_spawn");
  if (!spawned) return spawned.take_failure();
  return std::make_unique<Children>(inter, std::move(message));
}

Bytes hear_spawner(const Deadline& deadline) {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return {};
  int rank = 0;
  int bytes = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Status status;
  if (rank == 0) {
    int is_there = 0;
    while (is_there == 0 && !deadline.is_over()) PMPI_Iprobe(0, spawn_tag, parent, &is_there, &status);
    if (is_there != 0) PMPI_Get_count(&status, MPI_BYTE, &bytes);
  }
  PMPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
  Bytes message(static_cast<std::size_t>(bytes));
  if (rank == 0 && bytes != 0)
    PMPI_Recv(message.data(), bytes, MPI_BYTE, 0, spawn_tag, parent, MPI_STATUS_IGNORE);
  PMPI_Bcast(message.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  PMPI_Comm_free(&parent);
  return message;
}

Result<std::unique_ptr<MpiPort>> MpiPort::open() {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  const runtime::ReturnedErrors errors(MPI_COMM_SELF);
  const runtime::ReturnedErrors world_errors(MPI_COMM_WORLD);
  Status opened =
      check(PMPI_Open_port(MPI_INFO_NULL, port.data()), "MPI or its launcher joins no worlds: MPI_Open_port");
  if (!opened) return opened.take_failure();
  return std::unique_ptr<MpiPort>(new MpiPort(port.data()));
}

MpiPort::~MpiPort() {
  const runtime::ReturnedErrors errors(MPI_COMM_WORLD);
  name_.resize(MPI_MAX_PORT_NAME);
  PMPI_Close_port(name_.data());
}

Result<JoinedComms> join(MeetingSide side, const std::string& port, int root, MPI_Comm members) {
  std::string name = port;
  name.resize(MPI_MAX_PORT_NAME);
  const runtime::ReturnedErrors errors(members);
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm all = MPI_COMM_NULL;
  const bool accepts = side == MeetingSide::accepts;
  Status met = check(
      (accepts ? PMPI_Comm_accept : PMPI_Comm_connect)(name.data(), MPI_INFO_NULL, root, members, &inter),
      accepts ? "MPI_Comm_accept" : "MPI_Comm_connect");
  if (!met) return met.take_failure();
  JoinedComms joined{runtime::Communicator(inter), {}};
  const runtime::ReturnedErrors inter_errors(inter);
  met = check(PMPI_Intercomm_merge(inter, accepts ? 0 : 1, &all), "MPI_Intercomm_merge");
  if (!met) return met.take_failure();
  joined.all = runtime::Communicator(all);
  return joined;
}

void part(MPI_Comm inter) {
  PMPI_Comm_disconnect(&inter);
}

}  // namespace comex::worlds
