// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/grid_3d/style.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "planner/strategies/grid_3d/ctf.hpp"
#include "planner/strategies/grid_3d/grid_choice.hpp"
#include "platforms/cost/message.hpp"

namespace foretile {

namespace {

using Extents = std::array<double, 3>;  // M, N, K: cut by p, q and r

Extents extents_of(const Contraction& p) {
  return {static_cast<double>(p.m.extent()), static_cast<double>(p.n.extent()),
          static_cast<double>(p.k.extent())};
}

std::vector<int> prime_factors(int number) {
  std::vector<int> factors;
  for (int prime = 2; number > 1; ++prime) {
    for (; number % prime == 0; number /= prime) factors.push_back(prime);
  }
  return factors;
}

/// ScaLAPACK's usual grid: as square as the number of ranks allows, no more rows than columns.
StyleGrid flat(const Contraction&, const Machine& machine) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(machine.ranks)));
  while (machine.ranks % rows != 0) --rows;
  return {{rows, machine.ranks / rows, 1}};
}

/// The axes of square matrices: every prime factor of the ranks distributed evenly between them, what is left
/// over to the shorter one.
struct CtfAxes {
  int paired = 1;  ///< of each axis, before what was left over
  int small = 1, large = 1;
};

CtfAxes ctf_axes(int ranks) {
  CtfAxes axes;
  std::vector<int> left;
  const std::vector<int> factors = prime_factors(ranks);
  for (std::size_t f = 0; f < factors.size(); ++f) {
    if (f + 1 < factors.size() && factors[f] == factors[f + 1]) {
      axes.paired *= factors[f++];
    } else {
      left.push_back(factors[f]);
    }
  }
  axes.small = axes.large = axes.paired;
  for (auto factor = left.rbegin(); factor != left.rend(); ++factor) {
    (axes.small <= axes.large ? axes.small : axes.large) *= *factor;
  }
  if (axes.small > axes.large) std::swap(axes.small, axes.large);
  return axes;
}

StyleGrid ctf_alone(const Contraction& contraction, const Machine& machine) {
  return {ctf_grid(contraction, machine)};
}

/// Where ctf_axes() left over 3 alone, it is the slowest part of its axis, so that a node has `paired` ranks
/// of columns and the rest of the rows. Inferred from the rates of square products that the "Node-aware
/// grids" paper publishes (docs/results/node-aware.md); CTF's source has no such order. Empty, so natural,
/// with other numbers of ranks and where such a node is no brick of ranks.
std::optional<AlongAxes> inferred_node(const ProcessGrid& grid, const Machine& machine) {
  const auto [paired, small, large] = ctf_axes(machine.ranks);
  if (small != paired || large != 3 * paired || std::max(grid.p, grid.q) != large) return std::nullopt;
  const int of_node = machine.counted_ranks_per_node();
  const AlongAxes node{{of_node / std::min(paired, of_node), std::min(paired, of_node), 1}};
  if (node.product() != of_node || grid.p % node[Axis::p] != 0 || grid.q % node[Axis::q] != 0)
    return std::nullopt;
  return node;
}

/// Natural order where CTF's source has another fast axis, too: that does not agree with what was measured.
StyleGrid ctf_in_order(const Contraction& contraction, const Machine& machine) {
  StyleGrid found = ctf_alone(contraction, machine);
  const auto [m, n, k] = extents_of(contraction);
  if (m == n && n == k) found.grid.node = inferred_node(found.grid, machine);
  return found;
}

/// The grid of github.com/eth-cscs/COSMA, 2df0432 (src/cosma/math_utils.cpp, balanced_divisors): blocks as
/// near to cubes as can be; distances are whole numbers.
ProcessGrid cubic(const Extents& extents, int ranks) {
  constexpr std::int64_t kLeastExtent = 200;  // of a block
  const std::array whole{static_cast<std::int64_t>(extents[0]), static_cast<std::int64_t>(extents[1]),
                         static_cast<std::int64_t>(extents[2])};
  const double edge = std::cbrt(extents[0] * extents[1] * extents[2] / ranks);
  ProcessGrid best;
  auto least = std::numeric_limits<std::int64_t>::max();
  for_each_full_grid(ranks, [&](const ProcessGrid& grid) {
    double distance = 0;
    for (const Axis axis : kAxes) {
      const std::int64_t block = whole.at(static_cast<std::size_t>(axis)) / grid.ranks_along(axis);
      if (block < kLeastExtent) return;
      distance += std::abs(static_cast<double>(block) - edge);
    }
    const auto rounded = static_cast<std::int64_t>(distance);
    if (rounded >= least) return;
    least = rounded;
    best = grid;
  });
  return best;
}

/// Steps of COSMA's recursion (src/cosma/strategy.cpp): the longest extent is divided by its smallest prime
/// factors until it is the longest no more. Neighbouring ranks are those of the last step. What the last
/// steps leave to the ranks of a node are its ranks along the axes; nothing where no step ends there.
std::optional<AlongAxes> node_of_recursion(Extents extents, const ProcessGrid& grid, int ranks_of_node) {
  std::array<std::vector<int>, 3> factors{prime_factors(grid.p), prime_factors(grid.q),
                                          prime_factors(grid.r)};
  AlongAxes left{{grid.p, grid.q, grid.r}};
  while (left.product() > ranks_of_node) {
    std::size_t longest = 3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!factors[axis].empty() && (longest == 3 || extents[axis] > extents[longest])) longest = axis;
    }
    const int factor = factors[longest].front();
    factors[longest].erase(factors[longest].begin());
    extents[longest] /= factor;
    left.numbers[longest] /= factor;
  }
  return left.product() == ranks_of_node ? std::optional(left) : std::nullopt;
}

double held_bytes(const Contraction& contraction, const Extents& parts, const ProcessGrid& grid) {
  const auto [m, n, k] = parts;
  return static_cast<double>(contraction.element_bytes()) *
         (m * k / (grid.p * grid.r) + k * n / (grid.q * grid.r) + m * n / (grid.p * grid.q));
}

double storage_bytes(const Contraction& contraction) {
  const auto [m, n, k] = extents_of(contraction);
  return static_cast<double>(contraction.element_bytes()) * (m * k + k * n + m * n);
}

/// While a rank would hold more than `most_bytes`, the longest extent is halved, and its halves are
/// multiplied one after the other.
StyleGrid recursive(const Contraction& contraction, const Machine& machine, double most_bytes) {
  constexpr int kMostPasses = 1 << 12;
  StyleGrid found;
  Extents part = extents_of(contraction);
  for (;;) {
    found.grid = cubic(part, machine.ranks);
    const double owned = storage_bytes(contraction) / machine.ranks;
    if (owned + held_bytes(contraction, part, found.grid) <= most_bytes ||
        found.passes.product() >= kMostPasses)
      break;
    const auto longest = static_cast<std::size_t>(std::ranges::max_element(part) - part.begin());
    part[longest] /= 2;
    found.passes.numbers[longest] *= 2;
  }
  found.grid.node = node_of_recursion(part, found.grid, machine.counted_ranks_per_node());
  // Its order is then not one of bricks of ranks, but near to one.
  if (!found.grid.node) found.grid.node = choose_node(contraction, machine, found.grid, found.passes);
  return found;
}

StyleGrid recursive_unlimited(const Contraction& contraction, const Machine& machine) {
  const Platform& p = machine.platform;
  return recursive(contraction, machine,
                   static_cast<double>(p.memory_bytes_per_socket) * p.sockets / machine.ranks_per_node);
}

/// "The lower limit is chosen to be 2.5 times the size storing the three matrices" (3.1).
StyleGrid recursive_limited(const Contraction& contraction, const Machine& machine) {
  return recursive(contraction, machine, 2.5 * storage_bytes(contraction) / machine.ranks);
}

/// Bytes between nodes, with redistribution.
double all_between_nodes(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid) {
  return bytes_between_nodes(contraction, machine, grid) + redistributed_bytes(contraction, machine, grid);
}

/// How often a node's port sends its part of a matrix that travels along an axis.
struct Sent {
  double nodes;    ///< of a fibre along the axis
  double at_once;  ///< fibres of which a node has ranks, whose messages go to different nodes first

  Sent(const ProcessGrid& grid, const Machine& machine, Axis axis)
      : nodes(nodes_of_fibre(grid, machine, axis)),
        at_once(machine.counted_ranks_per_node() * nodes / grid.ranks_along(axis)) {}

  /// By Tree::scatter the first node sends all once; then each of the others what came to it first, as often
  /// as the tree has rounds, or all of them together what is missing: what takes longer.
  double broadcast() const {
    if (nodes <= 2) return nodes - 1;
    return 1 + std::max((nodes - 2) / (nodes - 1), std::ceil(std::log2(nodes - 1)) / at_once);
  }
  /// Every node but the last sends a part on; those of different tiles end on different nodes.
  double sum() const { return (nodes - 1) / nodes; }
};

double transfers_s(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid) {
  const Platform& p = machine.platform;
  const double inside = p.links.node_message_bytes_per_s > 0
                            ? p.links.node_message_bytes_per_s / machine.ranks_per_node
                            : p.links.message.bandwidth_bytes_per_s;
  const auto [m, n, k] = extents_of(contraction);
  const Sent along_p(grid, machine, Axis::p), along_q(grid, machine, Axis::q),
      along_r(grid, machine, Axis::r);
  // Fibres of nodes send at the same time, and the first nodes of a fibre one after the other.
  const double elements = m * k / (along_p.nodes * along_r.nodes) * along_q.broadcast() +
                          k * n / (along_q.nodes * along_r.nodes) * along_p.broadcast() +
                          m * n / (along_p.nodes * along_q.nodes) * along_r.sum();
  return node_port_s(p, static_cast<double>(contraction.element_bytes()) * elements) +
         over(bytes_per_rank(contraction, grid), inside) + redistribution_s(contraction, machine, grid);
}

/// What a rank holds: its tiles; where parts of C are summed, its part and one that comes; two panels of A
/// and B, one of them on its way.
double streaming_bytes(const Contraction& contraction, const ProcessGrid& grid) {
  const auto [m, n, k] = extents_of(contraction);
  const double parts = grid.r > 1 ? 2 * m * n / (grid.p * grid.q) : 0;
  const double panels = 2.0 / std::max(grid.p, grid.q);
  return storage_bytes(contraction) / grid.size() +
         static_cast<double>(contraction.element_bytes()) *
             (parts + panels * (m * k / (grid.p * grid.r) + k * n / (grid.q * grid.r)));
}

/// Whether each rank has tiles, and room for what it holds.
bool suits(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid) {
  return grid.p <= contraction.m.tiles() && grid.q <= contraction.n.tiles() &&
         grid.r <= contraction.k.tiles() &&
         streaming_bytes(contraction, grid) <= static_cast<double>(machine.host_bytes_per_rank());
}

/// Grid and ranks of a node together: of all pairs that move no more between nodes than ctf_grid() with its
/// best node, that fit, and whose ranks all have tiles, the one whose transfers take least; ctf_grid() where
/// there is none.
StyleGrid joint(const Contraction& contraction, const Machine& machine) {
  StyleGrid best = ctf_alone(contraction, machine);
  best.grid.node = choose_node(contraction, machine, best.grid);
  const double most = all_between_nodes(contraction, machine, best.grid);
  double least_s = suits(contraction, machine, best.grid) ? transfers_s(contraction, machine, best.grid)
                                                          : std::numeric_limits<double>::infinity();
  const auto try_grid = [&](const ProcessGrid& grid) {
    const double seconds = transfers_s(contraction, machine, grid);
    if (seconds >= least_s || all_between_nodes(contraction, machine, grid) > most) return;
    least_s = seconds;
    best.grid = grid;
  };
  for_each_full_grid(machine.ranks, [&](const ProcessGrid& natural) {
    if (!suits(contraction, machine, natural)) return;
    try_grid(natural);
    for_each_order(natural, machine.counted_ranks_per_node(), try_grid);
  });
  return best;
}

}  // namespace

const std::vector<Style>& styles() {
  static const std::vector<Style> all{
      {.name = "foretile",
       .meaning = "ours: grid, then the ranks of a node",
       .choose = nullptr,
       .best_node = true,
       .paced = false},
      {.name = "joint",
       .meaning = "ours: grid and ranks of a node together, redistribution counted",
       .choose = joint,
       .paced = false},
      {.name = "ctf", .meaning = "CTF without node awareness", .choose = ctf_in_order},
      {.name = "ctf-node-aware",
       .meaning = "CTF's grid, the ranks of a node by what moves between nodes",
       .choose = ctf_alone,
       .best_node = true},
      {.name = "scalapack", .meaning = "a flat grid, block-cyclic", .choose = flat},
      {.name = "cosma-limited",
       .meaning = "near-cubic blocks, 2.5 times the matrices' memory",
       .choose = recursive_limited,
       .whole_depth = true},
      {.name = "cosma-unlimited",
       .meaning = "the same, all memory",
       .choose = recursive_unlimited,
       .whole_depth = true}};
  return all;
}

const Style& find_style(std::string_view name) {
  return *std::ranges::find(styles(), name, &Style::name);
}

double bytes_per_rank(const Contraction& contraction, const ProcessGrid& grid) {
  const auto [m, n, k] = extents_of(contraction);
  return static_cast<double>(contraction.element_bytes()) *
         (m * k / (grid.p * grid.r) * (1 - 1.0 / grid.q) + k * n / (grid.q * grid.r) * (1 - 1.0 / grid.p) +
          m * n / (grid.p * grid.q) * (1 - 1.0 / grid.r));
}

namespace {

/// Of ranks, each way: how many of a node's leave it, at most, and in all.
struct Moved {
  int of_a_node = 0, all = 0;
};

Moved moved_ranks(const Machine& machine, const ProcessGrid& grid) {
  if (!grid.node) return {};
  const ProcessGrid natural{grid.p, grid.q, grid.r};
  std::vector<int> leaving(static_cast<std::size_t>(machine.counted_nodes()), 0);
  Moved moved;
  for (Rank rank = 0; rank < natural.size(); ++rank) {
    const Rank to = grid.rank(natural.row(rank), natural.column(rank), natural.layer(rank));
    const int node = machine.counted_node_of(rank);
    if (machine.counted_node_of(to) == node) continue;
    ++moved.all;
    moved.of_a_node = std::max(moved.of_a_node, ++leaving[static_cast<std::size_t>(node)]);
  }
  return moved;
}

/// That each rank sends, and likewise receives: A, B, C where it is read; and C on its way back.
double redistributed_by_rank(const Contraction& contraction, const ProcessGrid& grid) {
  const auto [m, n, k] = extents_of(contraction);
  const double c = static_cast<double>(contraction.element_bytes()) * m * n;
  return (storage_bytes(contraction) + (contraction.reads_c() ? c : 0)) / grid.size();
}

}  // namespace

double redistributed_bytes(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid) {
  return moved_ranks(machine, grid).all * redistributed_by_rank(contraction, grid);
}

double redistribution_s(const Contraction& contraction, const Machine& machine, const ProcessGrid& grid) {
  if (!grid.node) return 0;
  const Moved moved = moved_ranks(machine, grid);
  const double by_rank = redistributed_by_rank(contraction, grid);
  return std::max(node_port_s(machine.platform, moved.of_a_node * by_rank),
                  inside_node_s(machine, (machine.counted_ranks_per_node() - moved.of_a_node) * by_rank));
}

}  // namespace foretile
