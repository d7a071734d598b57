// SPDX-License-Identifier: BSD-3-Clause
// What messages bring to a rank, against what it uses.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/verify/messages.hpp"

namespace foretile {

/// A tile that is on the receiver while steps `step` to `last_step` are worked on.
struct Delivery {
  TileRef tile;
  Step step;
  Step last_step;
};

/// What one rank after the other receives; has a number for every tile.
class Deliveries {
 public:
  /// References must outlive this object.
  Deliveries(const Plan& plan, const Contraction& contraction, const Owners& owners,
             const Messages& messages);

  /// Begins with a rank. Throws InputError when it is sent a tile of its own, or a tile again that may still
  /// be there: with global barriers within `lookahead` steps after the last use, else ever.
  void open(Rank rank);
  /// Throws InputError unless the tile lives here or a delivery covers the step. Without barriers steps have
  /// no meaning.
  void use(TileRef tile, Step step);
  /// Throws InputError for a delivery that nothing used.
  void require_all_used() const;

 private:
  std::vector<std::int32_t>& slots(Matrix matrix) { return slot_of_[static_cast<std::size_t>(matrix)]; }
  void clear();
  void collect();
  void arrived(const Transfer& message);
  void sort();
  void check_tile(std::int32_t begin, std::int32_t end) const;
  std::string here() const;

  const Plan& plan_;
  const Owners& owners_;
  const Messages& messages_;
  Rank rank_ = 0;
  std::array<std::vector<std::int32_t>, 2> slot_of_;  // per tile of A and B; -1: not delivered
  std::vector<std::int32_t> start_;                   // per slot, into sorted_
  std::vector<Delivery> arrived_;
  std::vector<Delivery> sorted_;  // by tile, then step
  std::vector<char> used_;        // of each in sorted_
};

}  // namespace foretile
