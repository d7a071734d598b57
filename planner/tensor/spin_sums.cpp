// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/spin_sums.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

/// Tuples of `size` tiles that do not decrease: sums over multisets, built up tile by tile.
Tuples not_decreasing(const std::vector<std::int64_t>& tiles, std::size_t size) {
  std::vector<Tuples> of_size(size + 1, kNoTuples);
  of_size[0] = {};
  for (const std::int64_t extent : tiles) {
    for (std::size_t s = 1; s <= size; ++s)
      of_size[s] += {of_size[s - 1].count, of_size[s - 1].extents * static_cast<double>(extent)};
  }
  return of_size[size];
}

/// Of tiles in increasing order, those of alpha come first.
Tuples tuples_of(const IndexList& group, const Spins& spins, const LabelledTiles& tiles) {
  std::size_t alphas = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (spins[group[i]] == Spin::beta) continue;
    if (i > alphas) return kNoTuples;
    ++alphas;
  }
  Tuples tuples = not_decreasing(tiles.of(Spin::alpha), alphas);
  tuples *= not_decreasing(tiles.of(Spin::beta), group.size() - alphas);
  return tuples;
}

}  // namespace

std::vector<Spins> all_spins(const IndexList& indices, const Spins& others) {
  std::vector<Spins> all{others};
  for (const std::size_t index : indices) {
    std::vector<Spins> more;
    for (const Spins& spins : all) {
      for (const Spin spin : {Spin::alpha, Spin::beta}) {
        more.push_back(spins);
        more.back()[index] = spin;
      }
    }
    all = std::move(more);
  }
  return all;
}

Tuples tuples_of(const std::vector<IndexList>& groups, const IndexList& spaces, const Spins& spins,
                 const std::vector<LabelledTiles>& tiles) {
  Tuples all;
  for (const IndexList& group : groups) all *= tuples_of(group, spins, tiles[spaces[group.front()]]);
  return all;
}

bool is_conserved(const IndexList& indices, std::size_t upper, const Spins& spins) {
  int betas = 0;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (spins[indices[i]] == Spin::beta) betas += i < upper ? 1 : -1;
  }
  return betas == 0;
}

bool is_beta_alone(const IndexList& indices, const Spins& spins) {
  return !indices.empty() &&
         std::ranges::all_of(indices, [&](std::size_t index) { return spins[index] == Spin::beta; });
}

}  // namespace foretile
