// SPDX-License-Identifier: BSD-3-Clause
// Blocks of a rank on their way to its devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "planner/plan/assignment.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// A device takes the blocks that the plan lists under it, in order. With Pool::open one that has none left
/// takes the last one of another device if it will be done with that before the other is done with all that
/// it has. A device's speed is what it has multiplied, over the time at which its last product ended; before
/// both devices have one, the plan's shares stand for it.
///
/// Where tiles flow (PlanFrame::steps), a device takes the first block of those whose tiles are all on the
/// rank, or that are of the first step.
class BlockPool {
 public:
  /// `plan` must outlive this. With `in_plan_order` all pools are closed, and blocks are taken in the plan's
  /// order.
  BlockPool(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction,
            bool in_plan_order = false);

  /// Whether take() would give a block.
  bool any(Device device) const;
  /// Whether it would now or later.
  bool left(Device device) const;
  /// Where tiles flow: the tile is on the rank from now on.
  void is_here(TileRef tile);
  /// nullptr: there is none for the device.
  const Block* take(Device device);
  /// The device has multiplied so much more, until `now_s`.
  void multiplied(Device device, double flops, double now_s);
  /// Which blocks the devices have taken so far.
  const RankAssignment& taken() const { return taken_; }

 private:
  /// One device's part of the plan.
  struct Share {
    const std::vector<Block>* blocks = nullptr;
    int first = 0;                  // number of its first block among all of the rank
    std::size_t next = 0, end = 0;  // of `blocks`: not yet taken
    std::vector<double> flops;      // of blocks; with an open pool
    double planned = 0;             // to multiply, by the plan,
    double left = 0;                // and still: its own that are not taken, and what it has taken
    double done = 0, until_s = 0;
    // Where tiles flow: tiles that blocks wait for, and blocks that wait for none.
    std::vector<std::int32_t> missing;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;

    bool known() const { return done > 0 && until_s > 0; }
    double speed() const { return done / until_s; }
  };

  void add_flow(const Contraction& contraction, std::size_t device);
  std::optional<std::size_t> longest(Device thief) const;
  static bool longer(const Share& one, const Share& other);
  static bool done_before(const Share& thief, const Share& owner);

  /// A block that waits for a tile.
  struct Waiting {
    Matrix matrix = Matrix::a;
    TileId tile = 0;
    std::int32_t device = 0, block = 0;

    std::pair<Matrix, TileId> of() const { return {matrix, tile}; }
  };

  bool flows_, in_order_, open_;
  std::vector<Share> shares_;
  std::vector<Waiting> waiting_;  // by tile
  RankAssignment taken_;
};

}  // namespace foretile
