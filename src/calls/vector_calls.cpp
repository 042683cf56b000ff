// putv, getv, accv and their non-blocking forms.
#include <vector>

#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

int transfer(const char* name, const op::Arguments& request, const comex_giov_t* descriptors, int count,
             int proc, comex_group_t group, const Finish& finish) {
  runtime::Runtime* runtime = runtime::enter(name);
  runtime::Reach target;
  if (runtime == nullptr || !runtime::find_reach(*runtime, name, proc, group, target)) return COMEX_FAILURE;
  const auto where = [&] { return runtime->context(name, target); };
  if (count < 0) {
    return runtime->reporter().fail(
        where(), "the number of descriptors is " + std::to_string(count) + "; it must not be negative");
  }
  if (count > 0 && descriptors == nullptr) {
    return runtime->reporter().fail(where(), "the array of descriptors is null");
  }
  op::Arguments resolved = request;
  resolved.target = target.worker();
  std::vector<op::VectorArguments> arguments;
  arguments.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const comex_giov_t& given = descriptors[i];
    const bool is_get = request.action == Action::get;
    arguments.push_back(
        {is_get ? given.dst : given.src, is_get ? given.src : given.dst, given.count, given.bytes});
  }
  Result<std::vector<Operation>> operations = op::validate(resolved, arguments);
  if (!operations) return runtime->reporter().fail(where(), operations.failure());
  const std::uint32_t call = runtime->draw_vector_call();
  for (Operation& operation : operations.value()) operation.call = call;
  return carry_out(*runtime, name, operations.value(), target, op::way_of(request.action), finish);
}

int acc(const char* name, int op, void* scale, const comex_giov_t* descriptors, int count, int proc,
        comex_group_t group, const Finish& finish) {
  runtime::Runtime* runtime = runtime::enter(name);
  op::Arguments request{.action = Action::acc, .scale = scale};
  if (runtime == nullptr || !find_scalar(*runtime, name, op, request.scalar)) return COMEX_FAILURE;
  return transfer(name, request, descriptors, count, proc, group, finish);
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_putv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return transfer("putv", {.action = Action::put}, darr, len, proc, group, Finish::block());
}

int comex_getv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return transfer("getv", {.action = Action::get}, darr, len, proc, group, Finish::block());
}

int comex_accv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return acc("accv", op, scale, darr, len, proc, group, Finish::block());
}

int comex_nbputv(comex_giov_t* darr, int len, int proc, comex_group_t group, comex_request_t* handle) {
  return transfer("nbputv", {.action = Action::put}, darr, len, proc, group, Finish::by(handle));
}

int comex_nbgetv(comex_giov_t* darr, int len, int proc, comex_group_t group, comex_request_t* handle) {
  return transfer("nbgetv", {.action = Action::get}, darr, len, proc, group, Finish::by(handle));
}

int comex_nbaccv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group,
                 comex_request_t* handle) {
  return acc("nbaccv", op, scale, darr, len, proc, group, Finish::by(handle));
}
