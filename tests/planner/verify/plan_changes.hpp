// SPDX-License-Identifier: BSD-3-Clause
// Helpers to change plans at random.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "base/random.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// What a plan multiplies, how often; nothing when an index is out of range. Independent of BlockProducts.
using Counts = std::map<std::tuple<TileId, std::int32_t>, int>;

inline Counts products_of(const Plan& plan, const Contraction& p) {
  Counts counts;
  for (const RankPlan& rank : plan.ranks) {
    for (const DevicePlan& device : rank.devices) {
      for (const Block& block : device.blocks) {
        for (const Chunk& chunk : block.chunks) {
          for (const TileId a : chunk.a) {
            for (const std::int32_t j : block.columns) {
              if (p.b.contains(p.a.column_of(a), j) && p.c.contains(p.a.row_of(a), j)) ++counts[{a, j}];
            }
          }
        }
      }
    }
  }
  return counts;
}

/// A random element of a vector, or nothing.
template <class T>
T* pick(std::vector<T>& from, Random& random) {
  if (from.empty()) return nullptr;
  return &from[random.integer(0, static_cast<std::int64_t>(from.size()) - 1)];
}

inline Block* pick_block(Plan& plan, Random& random) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    if (DevicePlan* device = pick(pick(plan.ranks, random)->devices, random)) {
      if (Block* block = pick(device->blocks, random)) return block;
    }
  }
  return nullptr;
}

inline std::int64_t odd_number(Random& random, std::int64_t near) {
  switch (random.integer(0, 4)) {
    case 0:
      return -1;
    case 1:
      return near + random.integer(-2, 2);
    case 2:
      return std::numeric_limits<std::int32_t>::max();
    case 3:
      return std::numeric_limits<std::int32_t>::min();
    default:
      return random.integer(0, 20);
  }
}

}  // namespace foretile
