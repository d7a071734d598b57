// SPDX-License-Identifier: BSD-3-Clause
// Streamed plans of any kind for tests, made in the most direct way; the seed alone determines them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "planner/plan/owners.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile {

struct RandomStreamPlan {
  Contraction problem;
  Plan plan;  ///< with budgets that are never reached
};

/// What products need at a rank: the steps at which each tile of A and B is used.
using StepsOfTile = std::map<std::pair<Matrix, TileId>, std::set<Step>>;

inline StepsOfTile uses_of(const Plan& plan, const Contraction& p, Rank rank) {
  StepsOfTile uses;
  for (const DevicePlan& device : plan.ranks[rank].devices) {
    for (const Block& block : device.blocks) {
      for (const Chunk& chunk : block.chunks) {
        for (const TileId a : chunk.a) {
          uses[{Matrix::a, a}].insert(chunk.step);
          for (const std::int32_t j : block.columns) {
            const auto b = p.b.find(p.a.column_of(a), j);
            if (b && p.c.contains(p.a.row_of(a), j)) uses[{Matrix::b, *b}].insert(chunk.step);
          }
        }
      }
    }
  }
  return uses;
}

namespace random_stream {

struct Sizes {
  int b, c, d, devices;
};

/// Columns of C that a device of a rank computes in block column y, among those of the rank distributed
/// round-robin.
inline std::vector<std::int32_t> columns_of(const Plan& plan, const Contraction& p, const Sizes& sizes,
                                            Rank rank, Device device, int y) {
  std::vector<std::int32_t> columns;
  for (int n = y * sizes.c; n < (y + 1) * sizes.c; ++n) {
    const int j = plan.grid.column(rank) + n * plan.grid.q;
    if (j < p.n.tiles() && n % sizes.devices == device) columns.push_back(j);
  }
  return columns;
}

/// Tiles of A in rows of block row x and depth z, those with a product.
inline std::vector<TileId> tiles_of(const Plan& plan, const Contraction& p, const Sizes& sizes, Rank rank,
                                    int x, int z, const std::vector<std::int32_t>& columns) {
  std::vector<TileId> tiles;
  for (int k = z * sizes.d; k < std::min((z + 1) * sizes.d, p.k.tiles()); ++k) {
    for (int m = x * sizes.b; m < (x + 1) * sizes.b; ++m) {
      const int i = plan.grid.row(rank) + m * plan.grid.p;
      if (i >= p.m.tiles()) break;
      const auto a = p.a.find(i, k);
      if (a && std::any_of(columns.begin(), columns.end(),
                           [&](std::int32_t j) { return p.b.contains(k, j) && p.c.contains(i, j); })) {
        tiles.push_back(*a);
      }
    }
  }
  return tiles;
}

inline DevicePlan device_plan(const Plan& plan, const Contraction& p, const Sizes& sizes, Rank rank,
                              Device device) {
  const auto parts = [](int whole, int part) { return (whole + part - 1) / part; };
  const int z_end = parts(p.k.tiles(), sizes.d);
  DevicePlan mine;
  Step step = 0;
  for (int y = 0; y < parts(p.n.tiles(), sizes.c); ++y) {
    for (int x = 0; x < parts(p.m.tiles(), sizes.b); ++x) {
      Block block{columns_of(plan, p, sizes, rank, device, y), {}};
      for (int z = 0; z < z_end; ++z, ++step) {
        Chunk chunk{tiles_of(plan, p, sizes, rank, x, z, block.columns), step};
        if (!chunk.a.empty()) block.chunks.push_back(std::move(chunk));
      }
      if (!block.chunks.empty()) mine.blocks.push_back(std::move(block));
    }
  }
  return mine;
}

/// One message per tile, receiver and run of uses with gaps of at most lookahead.
inline void add_messages(Plan& plan, const Contraction& p) {
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    for (const auto& [tile, steps] : uses_of(plan, p, rank)) {
      const Rank owner = owner_of(p, plan, {tile.first, tile.second});
      if (owner == rank) continue;
      auto& messages = plan.ranks[owner].transfers;
      const bool global = plan.barriers == Barriers::global;
      bool fresh = true;
      for (const Step step : steps) {
        if (fresh || (global && step - messages.back().last_step > plan.lookahead))
          messages.push_back({{tile.second}, {rank}, tile.first, step, step});
        else
          messages.back().last_step = step;
        fresh = false;
      }
      if (!global) messages.back().last_step = kEver;
    }
  }
  for (RankPlan& rank : plan.ranks) {
    std::stable_sort(rank.transfers.begin(), rank.transfers.end(),
                     [](const Transfer& l, const Transfer& r) { return l.step < r.step; });
  }
}

}  // namespace random_stream

inline RandomStreamPlan random_stream_plan(std::uint64_t seed) {
  Random random(seed);
  RandomStreamPlan result{random_small_contraction(random), {}};
  const auto size = [&](int most) { return static_cast<int>(random.integer(1, most)); };
  Plan& plan = result.plan;
  result.problem.beta = random.integer(0, 1) == 0 ? 1 : 0;
  plan.grid = {size(3), size(3)};
  plan.lookahead = static_cast<int>(random.integer(0, 3));
  plan.device_classes[0].memory_bytes = std::int64_t{1} << 40;
  plan.host_budget_bytes = std::int64_t{1} << 40;
  plan.barriers = static_cast<Barriers>(random.integer(0, 2));
  plan.prefetch_c = random.integer(0, 1) == 0;
  const random_stream::Sizes sizes{size(4), size(4), size(4), size(3)};
  plan.ranks.resize(plan.grid.size());
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    for (Device device = 0; device < sizes.devices; ++device) {
      plan.ranks[rank].devices.push_back(
          random_stream::device_plan(plan, result.problem, sizes, rank, device));
    }
  }
  random_stream::add_messages(plan, result.problem);
  return result;
}

}  // namespace foretile
