// An operation of the model as a call through the public interface.
//
// The arrays of strides, counts and addresses live in the Call and may die when it returned, also
// after a non-blocking one. Needs comex.h only; MPI tests use it.
#pragma once

#include <comex/comex.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/model.h"

namespace comex::testing {

class Call {
 public:
  Call(const Operation& operation, std::byte* near, std::byte* far, int target,
       comex_group_t group = COMEX_GROUP_WORLD)
      : operation_(operation), near_(near), far_(far), target_(target), group_(group) {}

  int blocking() { return go<false>(nullptr); }
  int nonblocking(comex_request_t* handle) { return go<true>(handle); }

 private:
  int code() const { return COMEX_ACC_INT + static_cast<int>(operation_.element); }
  bool is_get() const { return operation_.verb == Verb::get; }
  int parts() const { return static_cast<int>(operation_.parts.size()); }
  std::byte* source() { return is_get() ? far_ + operation_.far : near_ + operation_.near; }
  std::byte* destination() { return is_get() ? near_ + operation_.near : far_ + operation_.far; }
  int* source_strides() { return is_get() ? far_strides_ : near_strides_; }
  int* destination_strides() { return is_get() ? near_strides_ : far_strides_; }

  // The blocking function or the other one.
  template <bool begins, class Blocking, class Begin, class... Arguments>
  int call(Blocking* block, Begin* begin, comex_request_t* handle, Arguments... arguments) const {
    if constexpr (begins) {
      return begin(arguments..., target_, group_, handle);
    } else {
      return block(arguments..., target_, group_);
    }
  }

  template <bool begins>
  int go(comex_request_t* handle) {
    const Operation& o = operation_;
    if (o.verb == Verb::rmw) return word<begins>(handle);
    arrange_strides();
    arrange_segments();
    if (o.verb == Verb::acc && !o.has_scale) return combine<begins>(handle);
    if (o.verb == Verb::acc) return o.is_wide ? wide_acc<begins>(handle) : acc<begins>(handle);
    if (o.signal != Signal::none) return put_signal<begins>(handle);
    return o.is_wide ? wide_copy<begins>(handle) : copy<begins>(handle);
  }

  template <bool begins>
  int word(comex_request_t* handle) {
    const Operation& o = operation_;
    std::byte* const far = far_ + o.far;
    if (!o.is_typed) return call<begins>(comex_rmw, comex_nbrmw, handle, o.rmw_code(), near_, far, o.extra);
    const std::uint64_t operand = o.typed_operand(0);
    const std::uint64_t expected = o.typed_operand(1);
    return call<begins>(comex_atomic, comex_nbatomic, handle, COMEX_ATOMIC_SET + static_cast<int>(o.atomic),
                        COMEX_TYPE_INT32 + static_cast<int>(o.type), o.fetches ? near_ : nullptr, &operand,
                        &expected, far);
  }

  template <bool begins>
  int copy(comex_request_t* handle) {
    const Operation& o = operation_;
    const bool is_put = o.verb == Verb::put;
    if (o.layout == Layout::contiguous)
      return call<begins>(is_put ? comex_put : comex_get, is_put ? comex_nbput : comex_nbget, handle,
                          source(), destination(), o.bytes);
    if (o.layout == Layout::strided)
      return call<begins>(is_put ? comex_puts : comex_gets, is_put ? comex_nbputs : comex_nbgets, handle,
                          source(), source_strides(), destination(), destination_strides(), counts_,
                          o.levels);
    return call<begins>(is_put ? comex_putv : comex_getv, is_put ? comex_nbputv : comex_nbgetv, handle,
                        vectors_.data(), parts());
  }

  template <bool begins>
  int put_signal(comex_request_t* handle) {
    const Operation& o = operation_;
    auto* const word = reinterpret_cast<long*>(far_ + o.signal_far);
    const auto bytes = static_cast<std::size_t>(o.bytes);
    const bool adds = o.signal == Signal::add;
    if (!begins && !adds && !o.is_wide)
      return comex_put_signal(source(), destination(), o.bytes, word, o.signal_value, target_, group_);
    return call<begins>(adds ? comex_put_signal_add : comex_put_signal_x,
                        adds ? comex_nbput_signal_add : comex_nbput_signal, handle, source(), destination(),
                        bytes, word, o.signal_value);
  }

  template <bool begins>
  int wide_copy(comex_request_t* handle) {
    const Operation& o = operation_;
    const bool is_put = o.verb == Verb::put;
    if (o.layout == Layout::contiguous)
      return call<begins>(is_put ? comex_put_x : comex_get_x, is_put ? comex_nbput_x : comex_nbget_x, handle,
                          source(), destination(), static_cast<std::size_t>(o.bytes));
    if (o.layout == Layout::strided)
      return call<begins>(is_put ? comex_puts_x : comex_gets_x, is_put ? comex_nbputs_x : comex_nbgets_x,
                          handle, source(), is_put ? wide_near_strides_ : wide_far_strides_, destination(),
                          is_put ? wide_far_strides_ : wide_near_strides_, wide_counts_, o.levels);
    return call<begins>(is_put ? comex_putv_x : comex_getv_x, is_put ? comex_nbputv_x : comex_nbgetv_x,
                        handle, wide_vectors_.data(), wide_vectors_.size());
  }

  template <bool begins>
  int acc(comex_request_t* handle) {
    const Operation& o = operation_;
    std::array<std::byte, 16> scale = o.scale;
    if (o.layout == Layout::contiguous)
      return call<begins>(comex_acc, comex_nbacc, handle, code(), scale.data(), source(), destination(),
                          o.bytes);
    if (o.layout == Layout::strided)
      return call<begins>(comex_accs, comex_nbaccs, handle, code(), scale.data(), source(), near_strides_,
                          destination(), far_strides_, counts_, o.levels);
    return call<begins>(comex_accv, comex_nbaccv, handle, code(), scale.data(), vectors_.data(), parts());
  }

  template <bool begins>
  int wide_acc(comex_request_t* handle) {
    const Operation& o = operation_;
    if (o.layout == Layout::contiguous)
      return call<begins>(comex_acc_x, comex_nbacc_x, handle, code(), o.scale.data(), source(), destination(),
                          static_cast<std::size_t>(o.bytes));
    if (o.layout == Layout::strided)
      return call<begins>(comex_accs_x, comex_nbaccs_x, handle, code(), o.scale.data(), source(),
                          wide_near_strides_, destination(), wide_far_strides_, wide_counts_, o.levels);
    return call<begins>(comex_accv_x, comex_nbaccv_x, handle, code(), o.scale.data(), wide_vectors_.data(),
                        wide_vectors_.size());
  }

  template <bool begins>
  int combine(comex_request_t* handle) {
    const Operation& o = operation_;
    const int op = COMEX_OP_SUM + static_cast<int>(o.combination);
    if (o.layout == Layout::contiguous)
      return call<begins>(comex_acc_op, comex_nbacc_op, handle, op, code(), source(), destination(),
                          static_cast<std::size_t>(o.bytes));
    if (o.layout == Layout::strided)
      return call<begins>(comex_accs_op, comex_nbaccs_op, handle, op, code(), source(), wide_near_strides_,
                          destination(), wide_far_strides_, wide_counts_, o.levels);
    return call<begins>(comex_accv_op, comex_nbaccv_op, handle, op, code(), wide_vectors_.data(),
                        wide_vectors_.size());
  }

  void arrange_strides() {
    std::copy(std::begin(operation_.near_strides), std::end(operation_.near_strides), near_strides_);
    std::copy(std::begin(operation_.far_strides), std::end(operation_.far_strides), far_strides_);
    std::copy(std::begin(operation_.counts), std::end(operation_.counts), counts_);
    std::copy(std::begin(near_strides_), std::end(near_strides_), wide_near_strides_);
    std::copy(std::begin(far_strides_), std::end(far_strides_), wide_far_strides_);
    std::transform(std::begin(counts_), std::end(counts_), wide_counts_,
                   [](int count) { return static_cast<std::size_t>(count); });
  }

  void arrange_segments() {
    const std::size_t n = operation_.parts.size();
    near_addresses_.resize(n);
    far_addresses_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const comex::testing::Segments& part = operation_.parts[i];
      for (const long offset : part.near) near_addresses_[i].push_back(near_ + offset);
      for (const long offset : part.far) far_addresses_[i].push_back(far_ + offset);
      void** near = near_addresses_[i].data();
      void** far = far_addresses_[i].data();
      vectors_.push_back(
          {is_get() ? far : near, is_get() ? near : far, static_cast<int>(part.near.size()), part.bytes});
      wide_vectors_.push_back({is_get() ? far : near, is_get() ? near : far, part.near.size(),
                               static_cast<std::size_t>(part.bytes)});
    }
  }

  const Operation& operation_;
  std::byte* near_;
  std::byte* far_;
  int target_;
  comex_group_t group_;
  int near_strides_[8] = {};
  int far_strides_[8] = {};
  int counts_[9] = {};
  std::vector<std::vector<void*>> near_addresses_;
  std::vector<std::vector<void*>> far_addresses_;
  std::vector<comex_giov_t> vectors_;
  std::ptrdiff_t wide_near_strides_[8] = {};
  std::ptrdiff_t wide_far_strides_[8] = {};
  std::size_t wide_counts_[9] = {};
  std::vector<comex_giov_x_t> wide_vectors_;
};

}  // namespace comex::testing
