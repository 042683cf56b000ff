#include "worlds/connect/dynamic.h"

#include <array>

namespace comex::worlds {
namespace {

Status check(int code, const char* call) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  PMPI_Error_string(code, text.data(), &length);
  return environment_error(std::string(call) + ": " +
                           std::string(text.data(), static_cast<std::size_t>(length)));
}

// While this lives, calls on a communicator return errors as codes.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &before_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;
  ~ErrorsReturn() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

// The launcher takes the children's environment as lines NAME=value.
std::string lines_of(const SpawnPlan& plan) {
  std::string lines;
  for (const auto& [name, value] : plan.environment) {
    lines.append(lines.empty() ? "" : "\n").append(name).append("=").append(value);
  }
  return lines;
}

}  // namespace

Status spawn(const SpawnPlan& plan) {
  std::vector<std::string> arguments = plan.arguments;
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);

  MPI_Info info = MPI_INFO_NULL;
  PMPI_Info_create(&info);
  PMPI_Info_set(info, "env", lines_of(plan).c_str());
  MPI_Comm children = MPI_COMM_NULL;
  const ErrorsReturn errors(MPI_COMM_SELF);
  std::vector<int> codes(static_cast<std::size_t>(plan.processes), MPI_SUCCESS);
  Status spawned = check(PMPI_Comm_spawn(plan.command.c_str(), pointers.data(), plan.processes, info, 0,
                                         MPI_COMM_SELF, &children, codes.data()),
                         "MPI_Comm_spawn");
  PMPI_Info_free(&info);
  if (spawned) PMPI_Comm_free(&children);
  return spawned;
}

bool leave_parent() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return false;
  PMPI_Comm_free(&parent);
  return true;
}

Result<MpiPort> MpiPort::open() {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  const ErrorsReturn errors(MPI_COMM_SELF);
  const ErrorsReturn world_errors(MPI_COMM_WORLD);
  Status opened = check(PMPI_Open_port(MPI_INFO_NULL, port.data()), "MPI_Open_port");
  if (!opened) return opened.take_failure();
  return MpiPort(port.data());
}

MpiPort::~MpiPort() {
  if (name_.empty()) return;
  const ErrorsReturn errors(MPI_COMM_WORLD);
  name_.resize(MPI_MAX_PORT_NAME);
  PMPI_Close_port(name_.data());
}

Result<JoinedComms> join(Side side, const std::string& port, int root, MPI_Comm members) {
  std::string name = port;
  name.resize(MPI_MAX_PORT_NAME);
  const ErrorsReturn errors(members);
  JoinedComms joined;
  Status met;
  if (side == Side::accepts) {
    met =
        check(PMPI_Comm_accept(name.data(), MPI_INFO_NULL, root, members, &joined.inter), "MPI_Comm_accept");
  } else {
    met = check(PMPI_Comm_connect(name.data(), MPI_INFO_NULL, root, members, &joined.inter),
                "MPI_Comm_connect");
  }
  if (!met) return met.take_failure();
  const ErrorsReturn inter_errors(joined.inter);
  met = check(PMPI_Intercomm_merge(joined.inter, side == Side::connects ? 1 : 0, &joined.all),
              "MPI_Intercomm_merge");
  if (!met) return met.take_failure();
  return joined;
}

void part(MPI_Comm inter) {
  PMPI_Comm_disconnect(&inter);
}

}  // namespace comex::worlds
