// SPDX-License-Identifier: BSD-3-Clause
// A plan whose tiles of A, B and C differ in size.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile {

/// Two products of one device: M is 2 x 10, N 30, K 20, so that a tile of A has 1600 bytes, of B 4800, of C
/// 2400. The tile of B is used by both, in chunks of their own. The second tile of A lives at rank 1, on
/// another node.
struct UnequalTiles {
  Contraction problem{"",
                      Tiling::uniform(20, 10),
                      Tiling::uniform(30, 30),
                      Tiling::uniform(20, 20),
                      Shape::dense(2, 1),
                      Shape::dense(1, 1),
                      Shape::dense(2, 1),
                      0};
  Plan plan;
  Machine machine = small_machine(2, 1, 100000, 100000);

  UnequalTiles() {
    plan.operands.b = kGeneratedAndStays;
    plan.grid = {2, 1};
    plan.ranks.resize(2);
    plan.ranks[0].devices = {{{{{0}, {{{0}}, {{1}}}}}}};
    plan.ranks[1].devices.resize(1);
    plan.ranks[1].transfers = {{{1}, {0}}};
  }
};

}  // namespace foretile
