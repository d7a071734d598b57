// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/grid_3d/grid_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>
#include <utility>
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
  double a, b, c, generated_b, filled;

  explicit Amounts(const Contraction& p)
      : a(bytes_of_all(p, Matrix::a)),
        b(comes_where_used(p.sources.b) ? 0 : bytes_of_all(p, Matrix::b)),
        c(bytes_of_all(p, Matrix::c)),
        generated_b(comes_where_used(p.sources.b) ? bytes_of_all(p, Matrix::b) : 0) {
    const auto share = [](const Shape& shape) {
      return static_cast<double>(shape.nonzeros()) / (1.0 * shape.rows() * shape.columns());
    };
    filled = share(p.a) * share(p.b);
  }
};

/// The largest share of `tiles` that one of `owners` has.
double largest_share(std::int32_t tiles, int owners) {
  return static_cast<double>(most_owned(tiles, owners)) / tiles;
}

/// Of a rank: its products, and `bytes` of B that it makes. Cores that multiply, and GPUs that make tiles, do
/// one after the other; else cores make tiles, which are copied to the GPUs, during the products.
double work_s(const Contraction& problem, const Machine& machine, double products_s, double bytes) {
  const GenerationTimes generation(machine, problem.sources.b == Source::in_file);
  if (generation.on_device()) return products_s + generation.device_s(bytes, machine.devices_per_rank);
  const double generation_s = std::max(generation.core_s(bytes, machine.cores_per_rank()),
                                       generation.file_s(bytes * machine.ranks_per_node));
  if (machine.platform.device.kind == DeviceKind::core) return products_s + generation_s;
  return std::max(
      {products_s, generation_s, host_to_device_s(machine.platform, bytes, machine.devices_per_rank)});
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
  const std::int32_t m = most_owned(p.m.tiles(), grid.p);
  const std::int32_t n = most_owned(p.n.tiles(), grid.q);
  const int devices = machine.devices_per_rank;
  const int device_rows = comes_where_used(p.sources.b) ? 1 : best_device_rows(m, n, devices);
  const double on_device = static_cast<double>(most_on_device(m, n, devices, device_rows)) / (1.0 * m * n);
  const double flops = p.flops_per_term() * static_cast<double>(p.m.extent()) *
                       static_cast<double>(p.n.extent()) * static_cast<double>(p.k.extent()) * all.filled;
  const double rate = machine.platform.device.kernel_for(p.precision).rate_flops_per_s;
  const double bandwidth = message_link(machine.platform, machine.nodes() == 1).bandwidth_bytes_per_s;
  const double own_s = work_s(p, machine, flops * rows * columns * depth * on_device / rate,
                              all.generated_b * columns * depth);
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

namespace {

struct GridCandidate {
  ProcessGrid grid;
  double seconds, moved_bytes;
  double tie_s = 0;  ///< the least decides among those that move as much
};

/// Of those that take at most 2% longer than the shortest, that which moves least; else the first.
ProcessGrid best_grid(const std::vector<GridCandidate>& grids) {
  constexpr double kAsGood = 1.02;
  const double limit_s = kAsGood * std::ranges::min_element(grids, {}, &GridCandidate::seconds)->seconds;
  const auto key = [limit_s](const GridCandidate& one) {
    return std::tuple(one.seconds > limit_s, one.moved_bytes, one.tie_s);
  };
  return std::ranges::min_element(grids, {}, key)->grid;
}

}  // namespace

int choose_rows(const Contraction& problem, const Machine& machine) {
  const auto mean = [](const Tiling& t) { return static_cast<double>(t.extent()) / t.tiles(); };
  const double m = mean(problem.m), n = mean(problem.n);
  const auto k = static_cast<double>(problem.k.extent());
  const auto element = static_cast<double>(problem.element_bytes());
  const KernelModel& kernel = machine.platform.device.kernel_for(problem.precision);
  const double bandwidth = message_link(machine.platform, false).bandwidth_bytes_per_s;
  const int devices = machine.devices_per_rank;
  std::vector<GridCandidate> grids;
  for (int p = 1; p <= std::min(machine.ranks, problem.m.tiles()); ++p) {
    const int q = machine.ranks / p;
    const std::int32_t rows = most_owned(problem.m.tiles(), p), columns = most_owned(problem.n.tiles(), q);
    const double received = element * k * (rows * m * (1 - 1.0 / q) + columns * n * (1 - 1.0 / p));
    const std::int64_t tiles =
        most_on_device(rows, columns, devices, best_device_rows(rows, columns, devices));
    const double multiply = static_cast<double>(tiles) * 2 * m * n * k / kernel.rate_flops_per_s;
    grids.push_back({{p, q}, std::max(multiply, over(received, bandwidth)), received});
  }
  return best_grid(grids).p;
}

ProcessGrid choose_grid(const Contraction& p, const Machine& machine,
                        std::optional<std::int64_t> replication_bytes) {
  const Amounts all(p);
  using Candidate = std::pair<ProcessGrid, GridCost>;
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
  const auto host_bytes = static_cast<double>(all.generated_b > 0 ? machine.host_bytes_beside_devices()
                                                                  : machine.host_bytes_per_rank());
  const auto too_large = [&](const Candidate& candidate) {
    const GridCost& cost = candidate.second;
    return cost.held_bytes > host_bytes ||
           (replication_bytes &&
            cost.held_bytes > cost.owned_bytes + static_cast<double>(*replication_bytes));
  };
  if (!std::all_of(candidates.begin(), candidates.end(), too_large)) std::erase_if(candidates, too_large);
  std::vector<GridCandidate> grids;
  for (const auto& [grid, cost] : candidates)
    grids.push_back({grid, cost.seconds, cost.received_bytes + cost.summed_bytes, cost.seconds});
  return best_grid(grids);
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
  for_each_order(natural, ranks, [&](const ProcessGrid& grid) {
    const double bytes = between_nodes(grid, machine, all);
    if (bytes >= least) return;
    least = bytes;
    best = grid.node;
  });
  return best;
}

}  // namespace foretile
