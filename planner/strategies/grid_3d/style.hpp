// SPDX-License-Identifier: BSD-3-Clause
// Grids, and when messages travel, as libraries for dense products choose them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/grid.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// A grid and what follows from it.
struct StyleGrid {
  ProcessGrid grid = {};
  /// Parts of M, N and K that are multiplied one after the other, so that less is held at once.
  AlongAxes passes{{1, 1, 1}};
};

/// What the "Node-aware grids" paper (3.1) compares, as far as a plan can say it.
struct Style {
  std::string_view name;
  std::string_view meaning;
  /// Of all machine.ranks ranks. In exact shares of the extents: tiles are not looked at, but by `joint`,
  /// which leaves no rank without tiles where that moves no more.
  StyleGrid (*choose)(const Contraction& contraction, const Machine& machine);
  bool best_node = false;  ///< the ranks of a node are what moves least between nodes; else as `choose` says
  bool paced = true;       ///< nothing travels while products run
  bool whole_depth = false;  ///< A and B of a part travel at once, not in panels
};

/// The first one has no grid of its own (`choose` is null): choose_grid() and choose_node().
const std::vector<Style>& styles();

/// `name` must be one of them.
const Style& find_style(std::string_view name);

/// Bytes that a rank receives and sends for sums, in exact shares: 8 (M K / (p r) (1 - 1/q) + K N / (q r) (1
/// - 1/p) + M N / (p q) (1 - 1/r)) in double precision.
double bytes_per_rank(const Contraction& contraction, const ProcessGrid& grid);

/// Bytes of A, B and C that move to another node, and of C that move back where it is read, when matrices
/// that are as the natural order of the grid says are redistributed to its order, each rank's to one other
/// rank ("Node-aware grids" 2.1). 0 in natural order.
double redistributed_bytes(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid);

/// Seconds of that: the busiest node sends, and likewise receives, what it has for others; its ranks copy
/// the rest inside the node, at the same time.
double redistribution_s(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid);

}  // namespace foretile
