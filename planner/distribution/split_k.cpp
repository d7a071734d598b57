// SPDX-License-Identifier: BSD-3-Clause
#include "planner/distribution/split_k.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "planner/plan/products_of_tile.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/cost/addition.hpp"
#include "platforms/cost/message.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

namespace {

/// Of two ranks that are as far apart as any.
LinkModel result_link(const Machine& machine) {
  return message_link(machine, 0, Rank::of(machine.ranks - 1));
}
LinkModel operand_link(const Machine& machine) {
  return least_message_link(machine, 0, Rank::of(machine.ranks - 1));
}

/// Seconds for a byte that is sent over such links, while all ranks send; 0: no rate limits it.
double seconds_per_sent_byte(const Machine& machine, const LinkModel& link) {
  const Platform& p = machine.platform;
  const bool near = machine.nodes() == 1;
  const double of_ranks_s = over(1, link.bandwidth_bytes_per_s) / machine.ranks;
  return near ? of_ranks_s : std::max(of_ranks_s, node_port_s(p, 1) / machine.nodes());
}

/// A term's tiles of C, and what they take to be computed and on their way to the result, where it has so
/// many pieces.
class PieceCosts {
 public:
  PieceCosts(const FusedProgram& program, const Machine& machine, std::size_t term)
      : machine_(machine), receive_s_(over(1, result_link(machine).bandwidth_bytes_per_s)) {
    const Contraction& p = program.terms()[term].product->contraction();
    const LeastTimes least(machine, p.element(), 1);
    for (TileId c = 0; c < p.c.nonzeros(); ++c) {
      int chain = 0;
      for_each_product_of(p, c, [&](TileId a, TileId) {
        products_s_ +=
            least.work(p.m.size(p.c.row_of(c)), p.n.size(p.c.column_of(c)), p.k.size(p.a.column_of(a)));
        ++chain;
      });
      const auto additions = static_cast<double>(program.additions(term, c).size());
      tiles_.push_back({chain, additions, p.c_bytes(c)});
      longest_ = std::max(longest_, chain);
    }
  }

  /// Divisors of the number of ranks, and as many pieces as there are ranks for. Increasing.
  std::vector<int> candidates() const {
    const int most = std::min(machine_.ranks, longest_);
    int all_have_ranks = 1;
    if (std::ssize(tiles_) <= machine_.ranks) {
      while (all_have_ranks < most && tiles_of_c(all_have_ranks + 1) <= machine_.ranks) ++all_have_ranks;
    }
    std::vector<int> pieces{1};
    for (int more = 2; more <= most; ++more) {
      if (machine_.ranks % more == 0 || more == all_have_ranks) pieces.push_back(more);
    }
    return pieces;
  }

  /// Ranks that have something to do, each with a tile of C at least.
  int busy_ranks(int pieces) const {
    return static_cast<int>(std::min<std::int64_t>(machine_.ranks, tiles_of_c(pieces)));
  }

  /// Ranks multiply piece after piece, equal ones, each on all of their devices.
  double multiplying_s(int pieces) const {
    const auto count = static_cast<double>(tiles_of_c(pieces));
    return products_s_ / machine_.devices_per_rank / count * std::ceil(count / machine_.ranks);
  }

  /// Messages and additions, evenly on all ranks.
  double landing_s(int pieces, double sent_byte_s) const {
    double sent = 0, added = 0;
    for (const Tile& tile : tiles_) {
      const double landed = tile.additions * tile.cut_to(pieces);
      sent += landed * static_cast<double>(tile.bytes) * sent_byte_s;
      added += landed * addition_seconds(machine_.platform, tile.bytes);
    }
    return sent + added / (machine_.ranks * machine_.cores_per_rank());
  }

  /// Of the tile of the result that takes longest: its rank adds the pieces one behind the other, on all
  /// cores.
  double longest_landing_s(int pieces) const {
    double longest = 0;
    for (const Tile& tile : tiles_) {
      const double addition_s = addition_seconds(machine_.platform, tile.bytes) / machine_.cores_per_rank();
      longest = std::max(longest,
                         tile.cut_to(pieces) * (static_cast<double>(tile.bytes) * receive_s_ + addition_s));
    }
    return longest;
  }

 private:
  struct Tile {
    int chain = 0;  // products
    double additions = 0;
    std::int64_t bytes = 0;

    int cut_to(int pieces) const { return std::clamp(chain, 1, pieces); }
  };

  std::int64_t tiles_of_c(int pieces) const {
    std::int64_t count = 0;
    for (const Tile& tile : tiles_) count += tile.cut_to(pieces);
    return count;
  }

  const Machine& machine_;
  double receive_s_ = 0;   // a byte, on one rank
  double products_s_ = 0;  // on one device
  std::vector<Tile> tiles_;
  int longest_ = 1;
};

int fastest_pieces(const FusedProgram& program, const Machine& machine, const Settings& settings,
                   std::size_t term) {
  const Contraction& product = program.terms()[term].product->contraction();
  const PieceCosts costs(program, machine, term);
  const double operand_byte_s = seconds_per_sent_byte(machine, operand_link(machine));
  const double result_byte_s = seconds_per_sent_byte(machine, result_link(machine));
  int best = 1;
  double least = -1;
  for (const int pieces : costs.candidates()) {
    const auto sent = operand_bytes(product, std::max(machine.ranks / pieces, 1), settings);
    if (!sent) return 1;
    const double share = static_cast<double>(costs.busy_ranks(pieces)) / machine.ranks;
    double landing_s = costs.landing_s(pieces, result_byte_s), multiplying_s = 0;
    if (machine.platform.device.kind == DeviceKind::gpu) {
      landing_s = std::max(landing_s, costs.longest_landing_s(pieces));
      multiplying_s = costs.multiplying_s(pieces);
    }
    const double seconds = *sent * operand_byte_s / share + multiplying_s + landing_s;
    if (least < 0 || seconds < least) least = seconds, best = pieces;
  }
  return best;
}

int fewest_pieces(const FusedProgram& program, const Machine& machine, const Settings& settings,
                  std::size_t term) {
  if (!operand_bytes(program.terms()[term].product->contraction(), machine.ranks, settings)) return 1;
  const PieceCosts costs(program, machine, term);
  int best = 1;
  for (const int pieces : costs.candidates()) {
    if (costs.busy_ranks(pieces) > costs.busy_ranks(best)) best = pieces;
  }
  return best;
}

}  // namespace

std::vector<int> choose_split_k(const FusedProgram& program, const ProgramDistribution& distribution,
                                const Machine& machine, const Settings& settings, SplitKRule cut) {
  std::vector<int> pieces;
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    const FusedProgramTerm& fused = program.terms()[term];
    const std::string own = distribution.strategy_of(term);
    const Settings of_term = own.empty() ? settings : settings_of_strategy(own, settings);
    const auto of = cut == SplitKRule::fastest ? fastest_pieces : fewest_pieces;
    pieces.push_back(fused.multiplies() ? of(program, machine, of_term, term) : 1);
  }
  return pieces;
}

}  // namespace foretile
