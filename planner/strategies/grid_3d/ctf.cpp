// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/grid_3d/ctf.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace foretile {

namespace {

/// Seconds per byte.
struct Coefficients {
  double broadcast;  ///< bcast_mdl; of a rank
  double sum;        ///< red_mdl, for each doubling of the ranks
  double reshuffle;  ///< dgtog_res_mdl, for each doubling of all ranks
  double move;       ///< blres_mdl: whole blocks change their ranks
};

/// The author's figures, 1.32e-9 and 2.5e-9 on Raven and 3.33e-9 and 6.25e-9 on Stampede2, are what a node's
/// ranks have of its messages (docs/results/node-aware.md), and 1.9 times that.
Coefficients coefficients(const Machine& machine) {
  constexpr double kRaven = 1.32e-9;
  const double inside = machine.platform.links.node_message_bytes_per_s;
  const double broadcast = inside > 0 ? machine.counted_ranks_per_node() / inside : kRaven;
  return {broadcast, 1.9 * broadcast, 7.25e-10, 1e-10};
}

/// M, N and K as 0, 1 and 2: the indices of A, B and C, rows first.
using Indices = std::array<std::size_t, 2>;
constexpr std::array<Indices, 3> kIndices{{{0, 2}, {2, 1}, {0, 1}}};
using ThreeExtents = std::array<std::int64_t, 3>;

/// In the order in which src/mapping/topology.cxx lists them: the exponent of the smallest prime changes
/// first. Without 1.
std::vector<int> divisors(int number) {
  std::vector<int> all{1};
  for (int prime = 2; number > 1; ++prime) {
    std::vector<int> powers;
    for (int power = 1; number % prime == 0; number /= prime) powers.push_back(power *= prime);
    const std::size_t before = all.size();
    for (const int power : powers) {
      for (std::size_t i = 0; i < before; ++i) all.push_back(all[i] * power);
    }
  }
  all.erase(all.begin());
  return all;
}

/// Ranks along the fast axis, the slow one, and a third that the slow one is folded with.
struct Axes {
  int fast = 1, slow = 1, folded = 1;
};

std::vector<Axes> all_axes(int ranks) {
  std::vector<Axes> all;
  for (const int fast : divisors(ranks)) {
    const int rest = ranks / fast;
    if (rest == 1) all.push_back({fast, 1, 1});
    for (const int slow : divisors(rest)) all.push_back({fast, slow, rest / slow});
  }
  return all;
}

/// How a matrix of rows x columns is distributed: src/tensor/untyped_tensor.cxx, choose_best_mapping. The
/// longer extent has the fast axis.
struct MatrixAxes {
  Axes axes;
  std::array<int, 2> parts{1, 1};  ///< of rows and columns
  std::size_t fast = 0;            ///< the extent with the fast axis
};

MatrixAxes axes_of(const std::array<std::int64_t, 2>& extents, int ranks, const std::vector<Axes>& all) {
  MatrixAxes best;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::size_t longer = extents[0] >= extents[1] ? 0 : 1;
  for (const Axes& axes : all) {
    if (axes.folded > 1) continue;
    MatrixAxes one{axes, {1, 1}, longer};
    one.parts.at(longer) = axes.fast;
    one.parts.at(1 - longer) = axes.slow;
    const auto share = [&](std::size_t of) {
      return (extents.at(of) + one.parts.at(of) - 1) / one.parts.at(of);
    };
    const double phases = axes.fast + axes.slow + 2.0 * std::lcm(axes.fast, axes.slow);
    const auto used =
        static_cast<std::int64_t>(static_cast<double>(share(0) * share(1)) * (1 + phases / (4.0 * ranks)));
    if (used >= least) continue;
    least = used;
    best = one;
  }
  return best;
}

/// A way to multiply: `stays` does not move; `along_slow` shares an index with it that the slow axes cut, and
/// is sent, or summed, along the fast one; `along_fast` the other way round.
struct Way {
  std::size_t along_slow, along_fast, stays;
};
constexpr std::array<Way, 6> kWays{{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

std::size_t shared(std::size_t matrix, std::size_t other) {
  for (const std::size_t index : kIndices.at(matrix)) {
    if (index == kIndices.at(other)[0] || index == kIndices.at(other)[1]) return index;
  }
  return 0;
}

class Estimate {
 public:
  Estimate(const Contraction& contraction, const Machine& machine)
      : ranks_(machine.ranks),
        cost_(coefficients(machine)),
        extents_{contraction.m.extent(), contraction.n.extent(), contraction.k.extent()},
        all_(all_axes(machine.ranks)) {
    for (std::size_t matrix = 0; matrix < 3; ++matrix) {
      const auto [rows, columns] = kIndices.at(matrix);
      const std::array<std::int64_t, 2> both{extents_.at(rows), extents_.at(columns)};
      bytes_.at(matrix) = static_cast<double>(contraction.element_bytes()) * static_cast<double>(both[0]) *
                          static_cast<double>(both[1]);
      now_.at(matrix) = axes_of(both, ranks_, all_);
    }
  }

  ProcessGrid best() const {
    double least = std::numeric_limits<double>::infinity();
    ProcessGrid grid;
    for (const Axes& axes : all_) {
      for (const Way& way : kWays) {
        const double one = seconds(axes, way);
        if (one >= least) continue;
        least = one;
        std::array<int, 3> cut{1, 1, 1};
        cut.at(shared(way.along_slow, way.stays)) = axes.slow * axes.folded;
        cut.at(shared(way.along_fast, way.stays)) = axes.fast;
        grid = {cut[0], cut[1], cut[2]};
      }
    }
    return grid;
  }

 private:
  double moved_s(std::size_t matrix, double bytes, int ranks) const {
    if (ranks == 1) return 0;
    return matrix == 2 ? cost_.sum * std::log2(ranks) * bytes : cost_.broadcast * bytes;
  }

  double seconds(const Axes& axes, const Way& way) const {
    std::array<int, 3> parts{1, 1, 1};
    parts.at(shared(way.along_slow, way.along_fast)) = std::lcm(axes.fast, axes.slow);
    parts.at(shared(way.along_slow, way.stays)) = axes.slow * axes.folded;
    parts.at(shared(way.along_fast, way.stays)) = axes.fast;
    // Where axes are folded, each rank along the third one has what travels along the slow one.
    std::array<double, 3> local = bytes_;
    for (double& bytes : local) bytes /= ranks_;
    local.at(way.along_fast) *= axes.folded;
    double total = moved_s(way.along_slow, local.at(way.along_slow) * axes.fast, axes.fast) +
                   moved_s(way.along_fast, local.at(way.along_fast) * axes.slow, axes.slow);
    if (axes.folded > 1) total += moved_s(way.along_fast, local.at(way.along_fast), axes.folded);
    for (std::size_t matrix = 0; matrix < 3; ++matrix)
      total += (matrix == 2 ? 2 : 1) * local.at(matrix) * redistribution(matrix, axes, way, parts);
    return total;
  }

  /// Seconds per byte; C goes both ways.
  double redistribution(std::size_t matrix, const Axes& axes, const Way& way,
                        const std::array<int, 3>& parts) const {
    const MatrixAxes& now = now_.at(matrix);
    const auto [rows, columns] = kIndices.at(matrix);
    if (now.parts[0] != parts.at(rows) || now.parts[1] != parts.at(columns))
      return cost_.reshuffle * std::log2(ranks_);
    const std::size_t fast =
        matrix == way.along_slow ? shared(way.along_slow, way.along_fast) : shared(way.along_fast, way.stays);
    const bool stays = axes.folded == 1 && axes.fast == now.axes.fast && axes.slow == now.axes.slow &&
                       kIndices.at(matrix).at(now.fast) == fast;
    return stays ? 0 : cost_.move;
  }

  int ranks_;
  Coefficients cost_;
  ThreeExtents extents_;
  std::vector<Axes> all_;
  std::array<double, 3> bytes_{};  // of A, B and C
  std::array<MatrixAxes, 3> now_;  // before the product
};

}  // namespace

ProcessGrid ctf_grid(const Contraction& contraction, const Machine& machine) {
  if (machine.ranks == 1) return {};
  return Estimate(contraction, machine).best();
}

}  // namespace foretile
