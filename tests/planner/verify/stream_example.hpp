// SPDX-License-Identifier: BSD-3-Clause
// A streamed plan that can be counted by hand.
#pragma once

#include <algorithm>
#include <cstdint>

#include "planner/plan/owners.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Grid 2 x 2, one device each, all tiles 2 x 2 elements = 32 bytes and dense; M has 2 tiles, N 4, K 2. Rank
/// (u, v) computes row u of C and its columns v and v + 2, in two blocks of two chunks; chunk k of block y
/// has A(u, k) and B(k, v + 2 y), one product, and the step 2 y + k.
///  - A(u, k) lives on rank (u, k); rank (u, 1 - k) uses it at the steps k and k + 2: two messages where
///    lookahead is at most 1 and barriers are global, else one.
///  - B(k, j) lives on rank (k, j mod 2); rank (1 - k, j mod 2) uses it at step 2 (j / 2) + k: one message.
struct StreamExample {
  explicit StreamExample(int lookahead = 1, Barriers barriers = Barriers::global)
      : problem{"",
                Tiling::uniform(4, 2),
                Tiling::uniform(8, 2),
                Tiling::uniform(4, 2),
                Shape::dense(2, 2),
                Shape::dense(2, 4),
                Shape::dense(2, 4),
                0} {
    plan.advice.device_memory = "lower d";
    plan.advice.host_memory = "use more ranks or lower d";
    plan.grid = {2, 2};
    plan.lookahead = lookahead;
    plan.device_classes[0].memory_bytes = 1000;
    plan.host_budget_bytes = 1000;
    plan.barriers = barriers;
    for (Rank rank = 0; rank < 4; ++rank) plan.ranks.push_back(rank_plan(rank / 2, rank % 2));
  }

  RankPlan rank_plan(int u, int v) const {
    RankPlan mine;
    mine.devices.resize(1);
    for (int y = 0; y < 2; ++y) {
      Block block{{v + 2 * y}, {}};
      for (int k = 0; k < 2; ++k) block.chunks.push_back({{u * 2 + k}, Step::of(2 * y + k)});
      mine.devices[0].blocks.push_back(block);
    }
    const bool global = plan.barriers == Barriers::global;
    const auto send = [&](Matrix matrix, TileId id, int to, int step, int last_step) {
      mine.transfers.push_back(
          {{id}, {Rank::of(to)}, matrix, Step::of(step), global ? Step::of(last_step) : kEver});
    };
    const bool again = global && plan.lookahead <= 1;
    send(Matrix::a, u * 2 + v, u * 2 + 1 - v, v, again ? v : v + 2);
    if (again) send(Matrix::a, u * 2 + v, u * 2 + 1 - v, v + 2, v + 2);
    for (int y = 0; y < 2; ++y) {
      send(Matrix::b, u * 4 + v + 2 * y, (1 - u) * 2 + v, 2 * y + u, 2 * y + u);
    }
    std::stable_sort(mine.transfers.begin(), mine.transfers.end(),
                     [](const Transfer& l, const Transfer& r) { return l.step < r.step; });
    return mine;
  }

  Block& block(Rank rank, int y) { return plan.ranks[rank].devices[0].blocks[y]; }
  std::vector<Transfer>& messages(Rank rank) { return plan.ranks[rank].transfers; }

  Contraction problem;
  Plan plan;
};

}  // namespace foretile
