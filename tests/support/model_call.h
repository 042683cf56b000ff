// An operation of the model as a call through the public interface.
//
// The arrays of strides, counts and addresses live in the Call and may die when it returned, also
// after a non-blocking one. Needs comex.h only; MPI tests use it.
#pragma once

#include <comex/comex.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "support/model.h"

namespace comex::testing {

class Call {
 public:
  Call(const Operation& operation, std::byte* near, std::byte* far, int target)
      : operation_(operation), near_(near), far_(far), target_(target) {}

  int blocking() {
    const Operation& o = operation_;
    switch (o.verb) {
      case Verb::rmw:
        return comex_rmw(o.rmw_code(), near_, far_ + o.far, o.extra, target_, world);
      case Verb::acc:
        return blocking_acc();
      default:
        break;
    }
    const bool is_put = o.verb == Verb::put;
    if (o.layout == Layout::contiguous)
      return (is_put ? comex_put : comex_get)(source(), destination(), o.bytes, target_, world);
    if (o.layout == Layout::strided) {
      arrange_strides();
      return (is_put ? comex_puts : comex_gets)(source(), source_strides(), destination(),
                                                destination_strides(), counts_, o.levels, target_, world);
    }
    arrange_segments();
    return (is_put ? comex_putv : comex_getv)(vectors_.data(), parts(), target_, world);
  }

  int nonblocking(comex_request_t* handle) {
    const Operation& o = operation_;
    switch (o.verb) {
      case Verb::rmw:
        return comex_nbrmw(o.rmw_code(), near_, far_ + o.far, o.extra, target_, world, handle);
      case Verb::acc:
        return nonblocking_acc(handle);
      default:
        break;
    }
    const bool is_put = o.verb == Verb::put;
    if (o.layout == Layout::contiguous)
      return (is_put ? comex_nbput : comex_nbget)(source(), destination(), o.bytes, target_, world, handle);
    if (o.layout == Layout::strided) {
      arrange_strides();
      return (is_put ? comex_nbputs : comex_nbgets)(source(), source_strides(), destination(),
                                                    destination_strides(), counts_, o.levels, target_, world,
                                                    handle);
    }
    arrange_segments();
    return (is_put ? comex_nbputv : comex_nbgetv)(vectors_.data(), parts(), target_, world, handle);
  }

 private:
  static constexpr comex_group_t world = COMEX_GROUP_WORLD;

  int code() const { return COMEX_ACC_INT + static_cast<int>(operation_.element); }
  bool is_get() const { return operation_.verb == Verb::get; }
  int parts() const { return static_cast<int>(operation_.parts.size()); }
  std::byte* source() { return is_get() ? far_ + operation_.far : near_ + operation_.near; }
  std::byte* destination() { return is_get() ? near_ + operation_.near : far_ + operation_.far; }
  int* source_strides() { return is_get() ? far_strides_ : near_strides_; }
  int* destination_strides() { return is_get() ? near_strides_ : far_strides_; }

  int blocking_acc() {
    const Operation& o = operation_;
    std::array<std::byte, 16> scale = o.scale;
    if (o.layout == Layout::contiguous)
      return comex_acc(code(), scale.data(), source(), destination(), o.bytes, target_, world);
    if (o.layout == Layout::strided) {
      arrange_strides();
      return comex_accs(code(), scale.data(), source(), near_strides_, destination(), far_strides_, counts_,
                        o.levels, target_, world);
    }
    arrange_segments();
    return comex_accv(code(), scale.data(), vectors_.data(), parts(), target_, world);
  }

  int nonblocking_acc(comex_request_t* handle) {
    const Operation& o = operation_;
    std::array<std::byte, 16> scale = o.scale;
    if (o.layout == Layout::contiguous)
      return comex_nbacc(code(), scale.data(), source(), destination(), o.bytes, target_, world, handle);
    if (o.layout == Layout::strided) {
      arrange_strides();
      return comex_nbaccs(code(), scale.data(), source(), near_strides_, destination(), far_strides_, counts_,
                          o.levels, target_, world, handle);
    }
    arrange_segments();
    return comex_nbaccv(code(), scale.data(), vectors_.data(), parts(), target_, world, handle);
  }

  void arrange_strides() {
    std::copy(std::begin(operation_.near_strides), std::end(operation_.near_strides), near_strides_);
    std::copy(std::begin(operation_.far_strides), std::end(operation_.far_strides), far_strides_);
    std::copy(std::begin(operation_.counts), std::end(operation_.counts), counts_);
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
    }
  }

  const Operation& operation_;
  std::byte* near_;
  std::byte* far_;
  int target_;
  int near_strides_[8] = {};
  int far_strides_[8] = {};
  int counts_[9] = {};
  std::vector<std::vector<void*>> near_addresses_;
  std::vector<std::vector<void*>> far_addresses_;
  std::vector<comex_giov_t> vectors_;
};

}  // namespace comex::testing
