// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/pool_size.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "executor/tiles/arena.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

std::int64_t device_pool_bytes(const Contraction& p, const PlanFrame& frame, const RankPlan& rank,
                               std::size_t device) {
  std::unordered_set<TileRef, TileRefHash> tiles;
  std::int64_t all = 0;  // rounded
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  const auto add = [&](TileRef tile) {
    if (!tiles.insert(tile).second) return;
    const std::int64_t bytes = bytes_of(p, tile);
    all += Arena::rounded(bytes);
    smallest = std::min(smallest, bytes);
  };
  for_each_possible_product(p, frame, rank, device, [&](const Product& product) {
    add({Matrix::a, product.a});
    add({Matrix::b, product.b});
    add({Matrix::c, product.c});
  });
  if (tiles.empty()) return 0;
  const std::int64_t budget = frame.memory_of(rank.devices[device]);
  const std::int64_t at_once = std::min(std::ssize(tiles), budget / std::max<std::int64_t>(smallest, 1));
  return std::min(all, budget + at_once * (Arena::kAlignment - 1) + Arena::kAlignment);
}

}  // namespace foretile
