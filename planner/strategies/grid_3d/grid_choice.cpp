// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/grid_3d/grid_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/strategies/stream_bytes.hpp"
#include "platforms/cost/copy.hpp"
#include "platforms/cost/generation.hpp"
#include "platforms/cost/message.hpp"

namespace foretile {

double nodes_of_fibre(const ProcessGrid& grid, const Machine& machine, Axis axis) {
  if (grid.node) return static_cast<double>(grid.ranks_along(axis)) / (*grid.node)[axis];
  std::int64_t touched = 0;
  for (Rank rank = 0; rank < grid.size(); ++rank) {
    if (grid.position(rank, axis) != 0) continue;
    std::set<int> nodes;
    for (int at = 0; at < grid.ranks_along(axis); ++at)
      nodes.insert(machine.counted_node_of(grid.moved(rank, axis, at)));
    touched += std::ssize(nodes);
  }
  return static_cast<double>(touched) * grid.ranks_along(axis) / grid.size();
}

namespace {

/// Bytes of A, B and C that travel, of B where it is made, and the share of products that there are.
struct Amounts {
  double a, b, c, made_b, filled;

  explicit Amounts(const Contraction& p)
      : a(bytes_of_all(p, Matrix::a)),
        b(comes_where_used(p.sources.b) ? 0 : bytes_of_all(p, Matrix::b)),
        c(bytes_of_all(p, Matrix::c)),
        made_b(comes_where_used(p.sources.b) ? bytes_of_all(p, Matrix::b) : 0) {
    const auto share = [](const Shape& shape) {
      return static_cast<double>(shape.nonzeros()) / (1.0 * shape.rows() * shape.columns());
    };
    filled = share(p.a) * share(p.b);
  }
};

/// The largest share of `tiles` that one of `owners` has.
double largest_share(std::int32_t tiles, int owners) {
  return static_cast<double>(most_dealt(tiles, owners)) / tiles;
}

/// Of a rank: its products, and `bytes` of B that it makes. Cores that multiply, and GPUs that make tiles, do
/// one after the other; else cores make tiles, which are copied to the GPUs, during the products.
double work_s(const Contraction& problem, const Machine& machine, double products_s, double bytes) {
  const GenerationTimes generation(machine, problem.sources.b == Source::in_file);
  if (generation.on_device()) return products_s + generation.device_s(bytes, machine.devices_per_rank);
  const double making_s = std::max(generation.core_s(bytes, machine.cores_per_rank()),
                                   generation.file_s(bytes * machine.ranks_per_node));
  if (machine.platform.device.kind == DeviceKind::core) return products_s + making_s;
  return std::max(
      {products_s, making_s, host_to_device_s(machine.platform, bytes, machine.devices_per_rank)});
}

GridCost cost_of(const Contraction& p, const Machine& machine, const ProcessGrid& grid, const Amounts& all) {
  const double rows = largest_share(p.m.tiles(), grid.p);
  const double columns = largest_share(p.n.tiles(), grid.q);
  const double depth = largest_share(p.k.tiles(), grid.r);
  GridCost cost;
  cost.received_bytes =
      all.a * rows * depth * (1 - 1.0 / grid.q) + all.b * columns * depth * (1 - 1.0 / grid.p);
  cost.summed_bytes = all.c * rows * columns * (1 - 1.0 / grid.r);
  // A rank owns whole tiles: of A one of q in each row and layer, of B one of p in each column and layer.
  cost.owned_bytes = all.a * rows * largest_share(p.k.tiles(), grid.r * grid.q) +
                     all.b * columns * largest_share(p.k.tiles(), grid.r * grid.p) +
                     all.c * rows * columns / grid.r;
  cost.held_bytes = cost.owned_bytes + (grid.r > 1 ? 2 * all.c * rows * columns : 0);
  const std::int32_t m = most_dealt(p.m.tiles(), grid.p);
  const std::int32_t n = most_dealt(p.n.tiles(), grid.q);
  const int devices = machine.devices_per_rank;
  const int device_rows = comes_where_used(p.sources.b) ? 1 : best_device_rows(m, n, devices);
  const double on_device = static_cast<double>(most_on_device(m, n, devices, device_rows)) / (1.0 * m * n);
  const double flops = p.flops_per_term() * static_cast<double>(p.m.extent()) *
                       static_cast<double>(p.n.extent()) * static_cast<double>(p.k.extent()) * all.filled;
  const double rate = machine.platform.device.kernel_for(p.precision).rate_flops_per_s;
  const double bandwidth = message_link(machine.platform, machine.nodes() == 1).bandwidth_bytes_per_s;
  const double own_s =
      work_s(p, machine, flops * rows * columns * depth * on_device / rate, all.made_b * columns * depth);
  cost.seconds = std::max(own_s, over(cost.received_bytes, bandwidth)) + over(cost.summed_bytes, bandwidth);
  return cost;
}

double between_nodes(const ProcessGrid& grid, const Machine& machine, const Amounts& all) {
  return all.a * (nodes_of_fibre(grid, machine, Axis::q) - 1) +
         all.b * (nodes_of_fibre(grid, machine, Axis::p) - 1) +
         all.c * (nodes_of_fibre(grid, machine, Axis::r) - 1);
}

}  // namespace

GridCost grid_cost(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid) {
  return cost_of(contraction, machine, grid, Amounts(contraction));
}

ProcessGrid choose_grid(const Contraction& p, const Machine& machine,
                        std::optional<std::int64_t> replication_bytes) {
  constexpr double kAsGood = 1.02;
  const Amounts all(p);
  struct Candidate {
    ProcessGrid grid;
    GridCost cost;
    double moved() const { return cost.received_bytes + cost.summed_bytes; }
  };
  std::vector<Candidate> candidates;
  const auto most = [](int ranks, std::int32_t tiles) { return std::max(1, std::min(ranks, tiles)); };
  for (int r = 1; r <= most(machine.ranks, p.k.tiles()); ++r) {
    for (int rows = 1; rows <= most(machine.ranks / r, p.m.tiles()); ++rows) {
      for (int columns = 1; columns <= most(machine.ranks / r / rows, p.n.tiles()); ++columns) {
        const ProcessGrid grid{rows, columns, r};
        candidates.push_back({grid, cost_of(p, machine, grid, all)});
      }
    }
  }
  const auto host_bytes = static_cast<double>(all.made_b > 0 ? machine.host_bytes_beside_devices()
                                                             : machine.host_bytes_per_rank());
  const auto too_large = [&](const Candidate& candidate) {
    const double held = candidate.cost.held_bytes;
    return held > host_bytes ||
           (replication_bytes && held > candidate.cost.owned_bytes + static_cast<double>(*replication_bytes));
  };
  if (!std::all_of(candidates.begin(), candidates.end(), too_large)) std::erase_if(candidates, too_large);
  const auto faster = [](const Candidate& l, const Candidate& r) { return l.cost.seconds < r.cost.seconds; };
  const double limit = kAsGood * std::min_element(candidates.begin(), candidates.end(), faster)->cost.seconds;
  const auto better = [limit](const Candidate& l, const Candidate& r) {
    return std::tuple(l.cost.seconds > limit, l.moved(), l.cost.seconds) <
           std::tuple(r.cost.seconds > limit, r.moved(), r.cost.seconds);
  };
  return std::min_element(candidates.begin(), candidates.end(), better)->grid;
}

double bytes_between_nodes(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid) {
  return between_nodes(grid, machine, Amounts(contraction));
}

std::optional<AlongAxes> choose_node(const Contraction& contraction, const Machine& machine,
                                     const ProcessGrid& natural, const AlongAxes& passes) {
  const int ranks = machine.counted_ranks_per_node();
  if (ranks == 1 || machine.counted_nodes() == 1) return std::nullopt;
  Amounts all(contraction);
  all.a *= passes[Axis::q];
  all.b *= passes[Axis::p];
  all.c *= passes[Axis::r];
  double least = between_nodes(natural, machine, all);
  std::optional<AlongAxes> best;
  for (int x = 1; x <= ranks; ++x) {
    if (ranks % x != 0 || natural.p % x != 0) continue;
    for (int y = 1; y <= ranks / x; ++y) {
      const AlongAxes node{{x, y, ranks / x / y}};
      if (node.product() != ranks || natural.q % y != 0 || natural.r % node[Axis::r] != 0) continue;
      ProcessGrid grid = natural;
      grid.node = node;
      const double bytes = between_nodes(grid, machine, all);
      if (bytes >= least) continue;
      least = bytes;
      best = node;
    }
  }
  return best;
}

}  // namespace foretile
