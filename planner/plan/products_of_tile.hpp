// SPDX-License-Identifier: BSD-3-Clause
// The products that add to one tile of C.
#pragma once

#include <cstddef>

#include "planner/problem/contraction.hpp"

namespace foretile {

/// Calls visit(tile of A, tile of B) for each product of a tile of C, by increasing k.
template <class Visit>
void for_each_product_of(const Contraction& p, TileId c, const Visit& visit) {
  const std::int32_t i = p.c.row_of(c), j = p.c.column_of(c);
  const auto of_a = p.a.row(i);
  const auto of_b = p.b.column(j);
  std::size_t b = 0;
  for (std::size_t a = 0; a < of_a.size(); ++a) {
    while (b < of_b.size() && of_b[b] < of_a[a]) ++b;
    if (b == of_b.size()) return;
    if (of_b[b] == of_a[a]) visit(p.a.first(i) + static_cast<TileId>(a), p.b.column_ids(j)[b]);
  }
}

}  // namespace foretile
