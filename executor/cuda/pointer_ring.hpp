// SPDX-License-Identifier: BSD-3-Clause
// Lists of addresses that batched products read on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/kept_queue.hpp"
#include "executor/cuda/marks.hpp"
#include "executor/cuda/owned.hpp"

namespace foretile {

/// A ring of pinned host memory, and one of the same size on the device. A list is written into the one and
/// brought to the other by a kernel, on the stream that will read it. The stream's order protects the
/// device's ring: the kernel starts after the launches that read what lay there. The host's ring is used
/// again when the kernel has ended, which an event tells.
class PointerRing {
 public:
  /// On the current device. Requires capacity >= 1.
  PointerRing(cudaStream_t stream, std::int64_t capacity);

  std::int64_t capacity() const { return capacity_; }
  /// Where to write the next list. Waits for the oldest kernel while the ring is full. Requires 1 <= count <=
  /// capacity.
  std::span<std::uintptr_t> next_list(std::int64_t count);
  /// That list on the device, for what is given to the stream next.
  const std::byte* upload();

 private:
  std::int64_t free_place(std::int64_t count);
  bool in_use(std::int64_t begin, std::int64_t end) const;
  void forget_copied();

  struct Used {
    std::int64_t begin = 0, end = 0;
    std::uint64_t mark = 0;
  };
  cudaStream_t stream_;
  std::int64_t capacity_;  ///< addresses
  PinnedMemory host_;
  OwnedDeviceMemory device_;
  Marks copied_;
  KeptQueue<Used> used_;  ///< oldest first
  std::int64_t next_ = 0;
  std::int64_t count_ = 0;  ///< of the list that begins there
};

}  // namespace foretile
