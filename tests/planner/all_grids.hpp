// SPDX-License-Identifier: BSD-3-Clause
// Every process grid, every way to lay its ranks into nodes, and random problems for them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "base/settings.hpp"
#include "planner/plan/grid.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/kinds/random.hpp"

namespace foretile {

/// All p x q x r with so many ranks: 3 for 2, 6 for 4, 9 for 6, 10 for 8.
inline std::vector<AlongAxes> grids_of(int ranks) {
  std::vector<AlongAxes> grids;
  for (int p = 1; p <= ranks; ++p) {
    for (int q = 1; p * q <= ranks; ++q) {
      if (ranks % (p * q) == 0) grids.push_back({{p, q, ranks / (p * q)}});
    }
  }
  return grids;
}

/// All ranks of a node along each axis that divide the grid's, from nodes of one rank to one node.
inline std::vector<AlongAxes> node_orders(const AlongAxes& grid) {
  std::vector<AlongAxes> orders;
  for (int x = 1; x <= grid[Axis::p]; ++x) {
    for (int y = 1; y <= grid[Axis::q]; ++y) {
      for (int z = 1; z <= grid[Axis::r]; ++z) {
        if (grid[Axis::p] % x == 0 && grid[Axis::q] % y == 0 && grid[Axis::r] % z == 0)
          orders.push_back({{x, y, z}});
      }
    }
  }
  return orders;
}

inline std::string text_of(const AlongAxes& numbers) {
  return fmt::format("{}x{}x{}", numbers[Axis::p], numbers[Axis::q], numbers[Axis::r]);
}

/// The order in which the sums of a layer's tiles of C go through the layers, for each layer: plans of one
/// grid and tree add in the same order where it is the same.
inline std::vector<std::vector<int>> turns_of_sums(const Settings& settings, const AlongAxes& grid,
                                                   const AlongAxes& node) {
  const ProcessGrid placed{grid[Axis::p], grid[Axis::q], grid[Axis::r], node};
  std::vector<std::vector<int>> turns;
  for (int layer = 0; layer < placed.r; ++layer) turns.push_back(placed.ring_from(Axis::r, layer));
  const std::string& tree = settings.at("tree");
  if (tree == "by_node" || tree == "scatter") turns.push_back({node[Axis::r]});
  return turns;
}

struct GridProblem {
  Contraction contraction;
  int devices = 1;  ///< of a rank
  std::int64_t device_bytes = 0;
  Settings settings;  ///< of grid-3d, but the grid and its nodes
};

/// By the seed: dense, ragged or block-sparse; C = A B or C += A B; B given or made; every setting of
/// grid-3d, and memory that is sometimes too small. In double precision.
inline GridProblem grid_problem(std::uint64_t seed) {
  Random random(seed + 4000);
  const auto one_in = [&random](int n) { return random.integer(1, n) == 1; };
  const bool dense = one_in(3);
  const bool even = dense && one_in(2);
  const auto tiling = [&] {
    const std::int64_t low = random.integer(1, 6);
    const std::int64_t high = even ? low : low + random.integer(0, 10);
    return random_tiling(random.integer(1, 60), low, high, random);
  };
  Tiling m = tiling(), n = tiling(), k = tiling();
  const auto density = [&] { return dense ? 1.0 : 0.1 + 0.9 * random.real(); };
  Shape a = random_shape(m, k, density(), random);
  Shape b = random_shape(k, n, density(), random);
  Shape c = symbolic_product(a, b, 0.0, nullptr);
  GridProblem problem{{"grid", std::move(m), std::move(n), std::move(k), std::move(a), std::move(b),
                       std::move(c), random.bits()},
                      static_cast<int>(random.integer(1, 4)),
                      random.integer(2000, 40000),
                      {}};
  if (one_in(2)) problem.contraction.beta = 1;
  const bool made = one_in(3);
  if (made) problem.contraction.sources.b = Source::generated;
  Settings& settings = problem.settings;
  settings = {{"strategy", "grid-3d"},
              {"barriers", one_in(3)   ? "none"
                           : one_in(2) ? "local"
                                       : "global"},
              {"tree", one_in(4)   ? "by_node"
                       : one_in(3) ? "scatter"
                       : one_in(2) ? "chain"
                                   : "binomial"},
              {"sends", one_in(4) ? "paced" : "auto"},
              {"sum_bytes", fmt::format("{}", random.integer(1, 5000))},
              {"message_bytes", fmt::format("{}", random.integer(1, 5000))},
              {"lookahead", fmt::format("{}", random.integer(0, 3))},
              {"device_layers", problem.devices % 2 == 0 && one_in(3) ? "2" : "1"}};
  if (one_in(5)) settings["replication_bytes"] = fmt::format("{}", random.integer(0, 20000));
  if (!made) settings["prefetch_c"] = fmt::format("{}", one_in(4) ? 1 : 0);
  for (const char* size : {"b", "c", "d"}) {
    if (one_in(3) && (!made || *size != 'b')) settings[size] = fmt::format("{}", random.integer(1, 5));
  }
  return problem;
}

}  // namespace foretile
