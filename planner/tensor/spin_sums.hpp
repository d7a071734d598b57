// SPDX-License-Identifier: BSD-3-Clause
// Sums over tuples of tiles, spin by spin, in closed form.
#pragma once

#include <vector>

#include "planner/tensor/labelled_tiles.hpp"
#include "planner/tensor/tensor_term.hpp"

namespace foretile {

/// Tuples of tiles: how many, and the sum of the products of their extents. Both may be beyond 64 bits.
struct Tuples {
  double count = 1;
  double extents = 1;

  Tuples& operator*=(const Tuples& other) {
    count *= other.count;
    extents *= other.extents;
    return *this;
  }
  Tuples& operator+=(const Tuples& other) {
    count += other.count;
    extents += other.extents;
    return *this;
  }
};

inline constexpr Tuples kNoTuples{0, 0};

/// By the number of the index.
using Spins = std::vector<Spin>;

/// All ways to give `indices` spins; the others keep those that they have.
std::vector<Spins> all_spins(const IndexList& indices, const Spins& others);

/// Of tiles of these spins that do not decrease within a group. `spaces` by index, `tiles` by space.
Tuples tuples_of(const std::vector<IndexList>& groups, const IndexList& spaces, const Spins& spins,
                 const std::vector<LabelledTiles>& tiles);

/// Whether as many of the first `upper` indices are beta as of the others.
bool is_conserved(const IndexList& indices, std::size_t upper, const Spins& spins);

/// Whether all are beta, and there is one.
bool is_beta_alone(const IndexList& indices, const Spins& spins);

}  // namespace foretile
