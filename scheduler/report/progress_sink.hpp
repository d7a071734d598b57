// SPDX-License-Identifier: BSD-3-Clause
// How many products are done, from the operations that ended.
#pragma once

#include <cstdint>
#include <utility>

#include "base/progress.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// At the clock, in simulations: several hundred thousand operations end in a second.
inline constexpr int kOperationsPerLook = 256;

/// Tells at every `every`-th operation how many products are done, and hands all operations on to `next`,
/// unless that is nullptr.
class ProgressSink final : public TraceSink {
 public:
  ProgressSink(CountFunction progress, int every, TraceSink* next)
      : progress_(std::move(progress)), every_(every), next_(next) {}

  void record(const TraceEvent& event) override {
    products_ += event.products;
    if (++operations_ % every_ == 0) progress_(products_);
    if (next_) next_->record(event);
  }

 private:
  CountFunction progress_;
  int every_;
  TraceSink* next_;
  std::int64_t operations_ = 0;
  std::int64_t products_ = 0;
};

}  // namespace foretile
