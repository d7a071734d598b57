// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/owner_b/owners_of_b.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace foretile {

OwnersOfB::OwnersOfB(const Contraction& contraction, const ProcessGrid& grid,
                     const Distribution& distribution)
    : problem_(contraction),
      tiles_(static_cast<std::size_t>(contraction.b.nonzeros())),
      first_(static_cast<std::size_t>(grid.size()) + 1, 0),
      rows_of_(static_cast<std::size_t>(grid.size())) {
  for (TileId tile = 0; tile < contraction.b.nonzeros(); ++tile) {
    const Rank owner = owner_of(contraction, grid, distribution, {Matrix::b, tile});
    owner_.push_back(owner);
    ++first_[static_cast<std::size_t>(owner) + 1];
    auto& rows = rows_of_[static_cast<std::size_t>(owner)];
    if (rows.empty() || rows.back() != contraction.b.row_of(tile)) rows.push_back(contraction.b.row_of(tile));
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::size_t> next = first_;
  for (TileId tile = 0; tile < contraction.b.nonzeros(); ++tile)
    tiles_[next[static_cast<std::size_t>(owner_[static_cast<std::size_t>(tile)])]++] = tile;
  std::vector<std::int32_t> seen_in(static_cast<std::size_t>(grid.size()), -1);  // last column
  for (std::int32_t j = 0; j < contraction.n.tiles(); ++j) {
    std::vector<Rank>& ranks = ranks_of_column_.emplace_back();
    for (const TileId tile : contraction.b.column_ids(j)) {
      const Rank owner = owner_[static_cast<std::size_t>(tile)];
      if (std::exchange(seen_in[static_cast<std::size_t>(owner)], j) != j) ranks.push_back(owner);
    }
  }
}

std::span<const TileId> OwnersOfB::tiles_of(Rank rank) const {
  const std::size_t first = first_[static_cast<std::size_t>(rank)];
  return std::span(tiles_).subspan(first, first_[static_cast<std::size_t>(rank) + 1] - first);
}

std::vector<Rank> OwnersOfB::with_product_of(std::int32_t i, std::int32_t k) const {
  std::vector<Rank> ranks;
  const auto columns = problem_.b.row(k);
  const auto kept = problem_.c.row(i);
  auto c = kept.begin();
  for (std::size_t e = 0; e < columns.size(); ++e) {
    c = std::lower_bound(c, kept.end(), columns[e]);
    if (c == kept.end()) break;
    const Rank owner = owner_[static_cast<std::size_t>(problem_.b.first(k)) + e];
    if (*c == columns[e] && (ranks.empty() || ranks.back() != owner)) ranks.push_back(owner);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::vector<Rank> OwnersOfB::with_part_of(std::int32_t i, std::int32_t j) const {
  std::vector<Rank> ranks;
  const auto rows = problem_.b.column(j);
  const auto ids = problem_.b.column_ids(j);
  const auto of_a = problem_.a.row(i);
  auto a = of_a.begin();
  for (std::size_t e = 0; e < rows.size(); ++e) {
    a = std::lower_bound(a, of_a.end(), rows[e]);
    if (a == of_a.end()) break;
    const Rank owner = owner_[static_cast<std::size_t>(ids[e])];
    if (*a == rows[e] && std::ranges::find(ranks, owner) == ranks.end()) ranks.push_back(owner);
  }
  return ranks;
}

}  // namespace foretile
