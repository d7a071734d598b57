// SPDX-License-Identifier: BSD-3-Clause
// Points in a stream, counted 1, 2, 3, ..., by events that are used again.
#pragma once

#include <cstdint>
#include <vector>

#include "base/kept_queue.hpp"
#include "executor/cuda/owned.hpp"

namespace foretile {

class Marks {
 public:
  /// Creates `events` events on the current device, so that none is created while work runs unless more
  /// points are on their way at once.
  explicit Marks(int events);

  /// A point behind all that the stream was given. The current device is the stream's.
  std::uint64_t add(cudaStream_t stream);
  /// The last point reached. Does not wait.
  std::uint64_t reached();
  /// What reached() said last.
  std::uint64_t last_reached() const { return reached_; }
  /// Waits for the oldest point that is not known to be reached. Requires one.
  void wait_for_oldest();

 private:
  void retire_oldest();

  std::vector<Event> spare_;
  KeptQueue<Event> ahead_;  ///< of the points reached_ + 1, ...
  std::uint64_t reached_ = 0;
};

}  // namespace foretile
