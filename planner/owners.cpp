#include "planner/owners.hpp"

#include <algorithm>
#include <bit>

namespace foretile {

namespace {

std::vector<TileId> owned_by_increasing_k(const Contraction& p, const ProcessGrid& grid, int rank) {
  std::vector<TileId> tiles;
  for (std::int32_t k = grid.column(rank); k < p.k.tiles(); k += grid.q) {
    const auto rows = p.a.column(k);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (rows[e] % grid.p == grid.row(rank)) tiles.push_back(p.a.column_ids(k)[e]);
    }
  }
  return tiles;
}

/// Marks the grid columns with a product A_ik B_kj, ij in C: one merge of B's row k with C's row i.
void mark_users(const Contraction& p, const std::vector<int>& column_owner, TileId a,
                std::vector<char>& uses) {
  const auto b_row = p.b.row(p.a.column_of(a));
  const auto c_row = p.c.row(p.a.row_of(a));
  auto c = c_row.begin();
  for (const std::int32_t j : b_row) {
    while (c != c_row.end() && *c < j) ++c;
    if (c == c_row.end()) return;
    if (*c == j) uses[column_owner[j]] = 1;
  }
}

}  // namespace

std::vector<Broadcast> broadcasts_of_a(const Contraction& p, const ProcessGrid& grid,
                                       const std::vector<int>& column_owner, int rank,
                                       std::int64_t message_bytes) {
  std::vector<Broadcast> broadcasts;
  std::int64_t filled = 0;
  std::vector<char> uses(grid.q);
  for (const TileId a : owned_by_increasing_k(p, grid, rank)) {
    std::fill(uses.begin(), uses.end(), 0);
    mark_users(p, column_owner, a, uses);
    std::vector<int> destinations;
    for (int step = 1; step < grid.q; ++step) {
      const int column = (grid.column(rank) + step) % grid.q;
      if (uses[column]) destinations.push_back(grid.rank(grid.row(rank), column));
    }
    if (destinations.empty()) continue;
    const std::int64_t bytes = p.a_bytes(a);
    if (broadcasts.empty() || broadcasts.back().destinations != destinations ||
        filled + bytes > message_bytes) {
      broadcasts.push_back({{}, std::move(destinations)});
      filled = 0;
    }
    broadcasts.back().tiles.push_back(a);
    filled += bytes;
  }
  return broadcasts;
}

std::vector<int> tree_children(int position, int size) {
  std::vector<int> children;
  for (int bit = static_cast<int>(std::bit_ceil(static_cast<unsigned>(position) + 1)); position + bit < size;
       bit *= 2) {
    children.push_back(position + bit);
  }
  return children;
}

}  // namespace foretile
