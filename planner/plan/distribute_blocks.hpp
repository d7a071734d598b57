// SPDX-License-Identifier: BSD-3-Clause
// Blocks distributed to devices by their speeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Work distributed to devices one after the other. Speeds are in work a second; a device of speed 0 gets
/// nothing while there is another.
class EarliestFinish {
 public:
  explicit EarliestFinish(std::vector<double> speeds)
      : speeds_(std::move(speeds)), load_(speeds_.size(), 0) {}

  /// The device that is done first with this beside all that it has; it gets it.
  std::size_t assign(double work);
  /// When the last device is done.
  double seconds() const;

 private:
  std::vector<double> speeds_;
  std::vector<double> load_;
};

/// How long devices of these rates (in blocks a second) take for so many equal blocks, each given to the
/// device that is done with it first.
double seconds_of_equal(std::int64_t blocks, const std::vector<double>& rates);

/// Blocks distributed to devices of these speeds (in any unit): the one with most to multiply first, to the
/// device that is done with it first. By device, in the order in which they were.
std::vector<std::vector<Block>> distribute_blocks(const Contraction& contraction, std::vector<Block> blocks,
                                                  const std::vector<double>& speeds);

}  // namespace foretile
