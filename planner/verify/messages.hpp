// SPDX-License-Identifier: BSD-3-Clause
// Where the tiles of the distributed matrices live, and the messages with them, by receiver.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// The rank that each tile of the distributed matrices lives on: A, and B where it is given.
class Owners {
 public:
  Owners(const Plan& plan, const Contraction& contraction);
  int of(TileRef tile) const { return owner_[static_cast<std::size_t>(tile.matrix)][tile.id]; }
  bool distributed(Matrix matrix) const { return matrix == Matrix::a || (matrix == Matrix::b && b_); }
  /// Bytes of a matrix that live on a rank, without tiles in place (OperandPlan::in_place).
  std::int64_t bytes(Matrix matrix, Rank rank) const {
    return bytes_[static_cast<std::size_t>(matrix)][static_cast<std::size_t>(rank)];
  }

 private:
  void add(const Plan& plan, const Contraction& contraction, Matrix matrix);

  bool b_;
  std::array<std::vector<std::int32_t>, 2> owner_;
  std::array<std::vector<std::int64_t>, 2> bytes_;
};

/// All messages, by receiver. Throws InputError for one that makes no sense on its own: no tiles, tiles that
/// the sender does not own, no such rank, steps that end before they begin, parts of C, no known tree. With
/// global barriers, and where tiles flow, a rank sends in the order of the steps: else one that waits for a
/// late step would hold back those that must end first.
class Messages {
 public:
  struct Sized {
    const Transfer* message;
    std::int64_t bytes;  ///< of its tiles
    Rank owner;          ///< who sends it first
    int number;          ///< among its owner's
  };

  Messages(const Plan& plan, const Contraction& contraction, const Owners& owners);
  /// Calls visit(Sized) for each message to the rank, in sending order of each sender.
  template <class Visit>
  void for_each_to(Rank rank, Visit visit) const {
    for (const std::uint32_t number : to_[static_cast<std::size_t>(rank)]) visit(all_[number]);
  }

 private:
  std::vector<Sized> all_;
  std::vector<std::vector<std::uint32_t>> to_;  // by receiver, into all_
};

}  // namespace foretile
