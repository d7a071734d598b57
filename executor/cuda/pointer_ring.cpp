// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/pointer_ring.hpp"

#include <stdexcept>

#include "executor/cuda/kernels.hpp"
#include "executor/cuda/status.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kAddress = sizeof(std::uintptr_t);
constexpr int kEvents = 64;

}  // namespace

PointerRing::PointerRing(cudaStream_t stream, std::int64_t capacity)
    : stream_(stream),
      capacity_(capacity),
      host_(allocate_pinned(capacity * kAddress)),
      device_(allocate_on_device(capacity * kAddress)),
      copied_(kEvents),
      used_(kEvents) {}

std::span<std::uintptr_t> PointerRing::next_list(std::int64_t count) {
  if (count < 1 || count > capacity_) throw std::logic_error("PointerRing: more addresses than it holds");
  next_ = free_place(count);
  count_ = count;
  return {reinterpret_cast<std::uintptr_t*>(host_.get()) + next_, static_cast<std::size_t>(count)};
}

const std::byte* PointerRing::upload() {
  const auto* from = reinterpret_cast<const std::uintptr_t*>(host_.get()) + next_;
  auto* to = reinterpret_cast<std::uintptr_t*>(device_.get()) + next_;
  check(launch_bring(to, from, count_, stream_), "cudaLaunchKernel");
  used_.push_back({next_, next_ + count_, copied_.add(stream_)});
  next_ += count_;
  return reinterpret_cast<const std::byte*>(to);
}

std::int64_t PointerRing::free_place(std::int64_t count) {
  const std::int64_t begin = next_ + count <= capacity_ ? next_ : 0;
  forget_copied();
  while (in_use(begin, begin + count)) {
    copied_.wait_for_oldest();
    used_.pop_front();
  }
  return begin;
}

bool PointerRing::in_use(std::int64_t begin, std::int64_t end) const {
  for (std::size_t list = 0; list < used_.size(); ++list) {
    if (used_[list].begin < end && begin < used_[list].end) return true;
  }
  return false;
}

void PointerRing::forget_copied() {
  const std::uint64_t reached = copied_.reached();
  while (!used_.empty() && used_.front().mark <= reached) used_.pop_front();
}

}  // namespace foretile
