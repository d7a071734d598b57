// SPDX-License-Identifier: BSD-3-Clause
// Dense products for tests.
#pragma once

#include <cstdint>

#include "planner/problem/contraction.hpp"

namespace foretile {

/// C = A B, all given, in tiles of one size.
inline Contraction dense_product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t tile) {
  Contraction p{
      "dense", Tiling::uniform(m, tile), Tiling::uniform(n, tile), Tiling::uniform(k, tile), {}, {}, {}, 0};
  p.a = Shape::dense(p.m.tiles(), p.k.tiles());
  p.b = Shape::dense(p.k.tiles(), p.n.tiles());
  p.c = Shape::dense(p.m.tiles(), p.n.tiles());
  return p;
}

}  // namespace foretile
