// Where the tiles of the distributed matrices live.
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
  /// Bytes of a matrix that live on a rank.
  std::int64_t bytes(Matrix matrix, int rank) const {
    return bytes_[static_cast<std::size_t>(matrix)][static_cast<std::size_t>(rank)];
  }

 private:
  void add(const Plan& plan, const Contraction& contraction, Matrix matrix);

  bool b_;
  std::array<std::vector<std::int32_t>, 2> owner_;
  std::array<std::vector<std::int64_t>, 2> bytes_;
};

}  // namespace foretile
