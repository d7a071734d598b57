// SPDX-License-Identifier: BSD-3-Clause
// What all products of a contraction take at least.
#pragma once

#include "planner/plan/products_of_tile.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

/// Device-seconds on the machine's devices, whichever of them does a product, without what launches take
/// beside them. No simulation without noise in which devices alone multiply has kernels under way for less.
inline double least_products_seconds(const Contraction& p, const Machine& machine) {
  constexpr int kAnyBatch = 1 << 30;
  const LeastTimes least(machine, p.element(), kAnyBatch);
  double seconds = 0;
  for (TileId c = 0; c < p.c.nonzeros(); ++c) {
    const std::int64_t m = p.m.size(p.c.row_of(c)), n = p.n.size(p.c.column_of(c));
    for_each_product_of(p, c,
                        [&](TileId a, TileId) { seconds += least.work(m, n, p.k.size(p.a.column_of(a))); });
  }
  return seconds;
}

}  // namespace foretile
