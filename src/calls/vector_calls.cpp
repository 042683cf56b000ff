// The calls putv, getv, accv and their non-blocking forms.
#include <vector>

#include "calls/transfer.h"
#include "runtime/call.h"

namespace comex::calls {
namespace {

int transfer(const Call& made, const op::Arguments& request, const comex_giov_t* descriptors, int count,
             const Finish& finish) {
  runtime::Reach target;
  runtime::Runtime* const runtime = enter(made, target);
  if (runtime == nullptr) return COMEX_FAILURE;
  const auto where = [&] { return runtime->context(made.name, target); };
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
  return carry_out(*runtime, made.name, operations.value(), target, op::way_of(request.action), finish);
}

int accumulate(const Call& made, int op, void* scale, const comex_giov_t* descriptors, int count,
               const Finish& finish) {
  runtime::Runtime* const runtime = runtime::enter(made.name);
  op::Arguments request{.action = Action::acc, .scale = scale};
  if (runtime == nullptr || !find_scalar(*runtime, made.name, op, request.scalar)) return COMEX_FAILURE;
  return transfer(made, request, descriptors, count, finish);
}

}  // namespace
}  // namespace comex::calls

using namespace comex;
using namespace comex::calls;

int comex_putv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return transfer({"putv", proc, group}, {.action = Action::put}, darr, len, Finish::block());
}

int comex_getv(comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return transfer({"getv", proc, group}, {.action = Action::get}, darr, len, Finish::block());
}

int comex_accv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group) {
  return accumulate({"accv", proc, group}, op, scale, darr, len, Finish::block());
}

int comex_nbputv(comex_giov_t* darr, int len, int proc, comex_group_t group, comex_request_t* handle) {
  return transfer({"nbputv", proc, group}, {.action = Action::put}, darr, len, Finish::by(handle));
}

int comex_nbgetv(comex_giov_t* darr, int len, int proc, comex_group_t group, comex_request_t* handle) {
  return transfer({"nbgetv", proc, group}, {.action = Action::get}, darr, len, Finish::by(handle));
}

int comex_nbaccv(int op, void* scale, comex_giov_t* darr, int len, int proc, comex_group_t group,
                 comex_request_t* handle) {
  return accumulate({"nbaccv", proc, group}, op, scale, darr, len, Finish::by(handle));
}
