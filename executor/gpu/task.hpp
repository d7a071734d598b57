// SPDX-License-Identifier: BSD-3-Clause
// What a GPU was asked to do, for error messages.
#pragma once

#include <cstddef>
#include <string>

#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

struct Task {
  enum class Kind : std::uint8_t { place, multiply, load, store, peer_copy, make, compact };
  Kind kind = Kind::place;
  TileRef tile;           ///< the first; C of a product
  std::int32_t k = -1;    ///< of the first product
  std::size_t count = 1;  ///< of tiles or products
};

/// "multiplying C(3,4) += A(3,7) B(7,4) and 15 more", with tile rows and columns.
std::string described(const Contraction& contraction, const Task& task);

}  // namespace foretile
