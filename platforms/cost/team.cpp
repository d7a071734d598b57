// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/team.hpp"

#include <algorithm>
#include <tuple>

namespace foretile {

namespace {

std::int64_t largest(std::int64_t extent, int parts) {
  return (extent + parts - 1) / parts;
}

/// No part is empty.
int most_parts(std::int64_t extent, int cores) {
  return static_cast<int>(std::clamp<std::int64_t>(extent, 1, cores));
}

}  // namespace

TeamParts team_parts(std::int64_t m, std::int64_t n, int cores) {
  const auto cost = [&](const TeamParts& parts) {
    const std::int64_t rows = largest(m, parts.rows), columns = largest(n, parts.columns);
    return std::tuple(rows * columns, rows + columns, parts.count());
  };
  TeamParts best;
  for (int rows = 1; rows <= most_parts(m, cores); ++rows) {
    const TeamParts parts{rows, most_parts(n, cores / rows)};
    if (cost(parts) < cost(best)) best = parts;
  }
  return best;
}

ProductSize largest_part(const ProductSize& product, int cores) {
  const TeamParts parts = team_parts(product.m, product.n, cores);
  return {largest(product.m, parts.rows), largest(product.n, parts.columns), product.k};
}

}  // namespace foretile
