#include "op/validate.h"

#include <cstring>
#include <string>

namespace comex::op {
namespace {

bool is_acc(const Arguments& request) {
  return request.action == Action::acc;
}
unsigned element_bytes(const Arguments& request) {
  return is_acc(request) ? scalar_bytes(request.scalar) : 1;
}
Side written_side(const Arguments& request) {
  return request.action == Action::get ? Side::near : Side::far;
}

Operation blank(const Arguments& request) {
  Operation operation;
  operation.action = request.action;
  operation.target = request.target;
  operation.scalar = request.scalar;
  operation.combine = request.combine;
  if (is_acc(request)) std::memcpy(operation.scale.bytes, request.scale, scalar_bytes(request.scalar));
  return operation;
}

Status check_scale(const Arguments& request) {
  if (is_acc(request) && request.scale == nullptr) return caller_error("the scale factor's address is null");
  return {};
}

// The server of another host refuses what reaches past the target's memory when its origin has read it all,
// so the local side has to be one that memory can have. The upper byte of an address may be a tag.
Status check_addresses(const void* near, const void* far, std::uint64_t near_bytes) {
  constexpr std::uint64_t address_space = std::uint64_t{1} << 56;
  if (near == nullptr) return caller_error("the local address is null");
  if (far == nullptr) return caller_error("the remote address is null");
  if (near_bytes > address_space - reinterpret_cast<std::uintptr_t>(near) % address_space)
    return caller_error("memory cannot have " + std::to_string(near_bytes) + " bytes at the local address");
  return {};
}

const char* overlap_text(const Arguments& request) {
  return request.action == Action::get ? "the runs it writes to local memory overlap each other"
                                       : "the runs it writes to remote memory overlap each other";
}

// Adds a segment: its local address is kept at `near`, and the remote one `apart` places behind that. If the
// last scatter has the place before `near` and segments of this size, the segment becomes part of it.
void join(std::vector<Scatter>& scatters, const Scatter& one, void** near, std::size_t apart) {
  void** const far = near + apart;
  *near = *one.near;
  *far = *one.far;
  Scatter* const last = scatters.empty() ? nullptr : &scatters.back();
  if (last != nullptr && last->bytes == one.bytes && last->far + last->count == far) {
    ++last->count;
  } else {
    scatters.push_back({near, far, 1, one.bytes});
  }
}

}  // namespace

Result<Operation> validate(const Arguments& request, void* near, void* far, std::int64_t bytes) {
  if (bytes < 0)
    return caller_error("the size is " + std::to_string(bytes) + " bytes; it must not be negative");
  if (bytes == INT64_MAX) return caller_error("the size does not fit into 63 bits");
  if (Status scale = check_scale(request); !scale) return scale.take_failure();
  Operation operation = blank(request);
  const std::uint64_t unit = element_bytes(request);
  operation.patch = contiguous_patch(static_cast<std::uint64_t>(bytes) / unit * unit);
  if (operation.patch.empty()) return operation;
  if (Status addresses = check_addresses(near, far, operation.patch.total_bytes()); !addresses)
    return addresses.take_failure();
  operation.near = static_cast<std::byte*>(near);
  operation.far = static_cast<std::byte*>(far);
  return operation;
}

template <class Stride, class Count>
Result<Operation> validate(const Arguments& request, const StridedArguments<Stride, Count>& arguments) {
  if (Status scale = check_scale(request); !scale) return scale.take_failure();
  Result<Patch> patch = make_patch(arguments.levels, arguments.near_strides, arguments.far_strides,
                                   arguments.counts, element_bytes(request));
  if (!patch) return patch.take_failure();
  Operation operation = blank(request);
  operation.patch = patch.value();
  if (operation.patch.empty()) return operation;
  const std::uint64_t near_bytes = operation.patch.extent_bytes(Side::near);
  if (Status addresses = check_addresses(arguments.near, arguments.far, near_bytes); !addresses) {
    return addresses.take_failure();
  }
  if (!is_acc(request) && rows_overlap(operation.patch, written_side(request))) {
    return caller_error(overlap_text(request));
  }
  operation.layout = operation.patch.contiguous() ? protocol::Layout::contiguous : protocol::Layout::strided;
  operation.called = protocol::Layout::strided;
  operation.near = static_cast<std::byte*>(arguments.near);
  operation.far = static_cast<std::byte*>(arguments.far);
  return operation;
}

template Result<Operation> validate(const Arguments&, const StridedArguments<int, int>&);
template Result<Operation> validate(const Arguments&, const StridedArguments<std::ptrdiff_t, std::size_t>&);

Result<Scatters> validate(const Arguments& request, std::size_t count,
                          FunctionRef<VectorArguments(std::size_t)> descriptor) {
  if (Status scale = check_scale(request); !scale) return scale.take_failure();
  Scatters all;
  if (count > 1) all.joined = std::make_unique_for_overwrite<void*[]>(2 * count);
  void** near = all.joined.get();
  for (std::size_t i = 0; i < count; ++i) {
    const VectorArguments given = descriptor(i);
    Result<Scatter> scatter =
        make_scatter(given.near, given.far, given.count, given.bytes, element_bytes(request));
    Status addresses;
    if (!scatter) {
      addresses = scatter.take_failure();
    } else if (!scatter->empty()) {
      addresses = check_addresses(scatter->near[0], scatter->far[0], scatter->bytes);
    }
    if (!addresses) return caller_error("descriptor " + std::to_string(i) + ": " + addresses.failure().text);
    if (scatter->empty()) continue;
    if (count > 1 && scatter->count == 1) {
      join(all.scatters, scatter.value(), near++, count);
    } else {
      all.scatters.push_back(scatter.value());
    }
  }
  return all;
}

Operation vector_operation(const Arguments& request) {
  Operation operation = blank(request);
  operation.layout = operation.called = protocol::Layout::vector;
  return operation;
}

Status validate(const AtomicOperation& operation) {
  if (operation.far == nullptr) return caller_error("the remote address is null");
  const unsigned bytes = scalar_bytes(operation.scalar);
  if (reinterpret_cast<std::uintptr_t>(operation.far) % bytes != 0) {
    return caller_error("the word is not aligned to its " + std::to_string(bytes) + " bytes");
  }
  return {};
}

}  // namespace comex::op
