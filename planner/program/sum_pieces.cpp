// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/sum_pieces.hpp"

#include <algorithm>
#include <cstddef>

#include "planner/plan/products_of_tile.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/addition_model.hpp"

namespace foretile {

namespace {

/// Seconds for a byte that is sent, while all ranks send; 0: no rate limits it.
double seconds_per_sent_byte(const Machine& machine) {
  const Platform& p = machine.platform;
  const auto seconds = [](double bytes_per_s) { return bytes_per_s > 0 ? 1 / bytes_per_s : 0; };
  if (machine.nodes() == 1) return seconds(p.links.message.bandwidth_bytes_per_s) / machine.ranks;
  return std::max(seconds(p.network.message.bandwidth_bytes_per_s) / machine.ranks,
                  seconds(p.network.node_injection_bytes_per_s) / machine.nodes());
}

/// What tiles of C of a term take on their way to the result, where it has so many pieces.
class PieceCosts {
 public:
  PieceCosts(const FusedProgram& program, const Machine& machine, std::size_t term) : machine_(machine) {
    const Contraction& p = program.terms()[term].product->contraction();
    for (TileId c = 0; c < p.c.nonzeros(); ++c) {
      int chain = 0;
      for_each_product_of(p, c, [&](TileId, TileId) { ++chain; });
      const auto additions = static_cast<double>(program.additions(term, c).size());
      tiles_.push_back({chain, additions, p.c_bytes(c)});
      longest_ = std::max(longest_, chain);
    }
  }

  int longest_chain() const { return longest_; }

  double seconds(int pieces, double sent_byte_s) const {
    double sent = 0, added = 0;
    for (const Tile& tile : tiles_) {
      const double landed = tile.additions * std::clamp(tile.chain, 1, pieces);
      sent += landed * static_cast<double>(tile.bytes) * sent_byte_s;
      added += landed * addition_seconds(machine_.platform, tile.bytes);
    }
    return sent + added / (machine_.ranks * machine_.cores_per_rank());
  }

 private:
  struct Tile {
    int chain = 0;  // products
    double additions = 0;
    std::int64_t bytes = 0;
  };
  const Machine& machine_;
  std::vector<Tile> tiles_;
  int longest_ = 1;
};

int pieces_of(const FusedProgram& program, const Machine& machine, const Settings& settings,
              std::size_t term) {
  const Contraction& product = program.terms()[term].product->contraction();
  const PieceCosts costs(program, machine, term);
  const double sent_byte_s = seconds_per_sent_byte(machine);
  int best = 1;
  double least = -1;
  for (int pieces = 1; pieces <= std::min(machine.ranks, costs.longest_chain()); ++pieces) {
    if (machine.ranks % pieces != 0) continue;
    const auto sent = operand_bytes(product, machine.ranks / pieces, settings);
    if (!sent) return 1;
    const double seconds = *sent * sent_byte_s + costs.seconds(pieces, sent_byte_s);
    if (least < 0 || seconds < least) least = seconds, best = pieces;
  }
  return best;
}

}  // namespace

std::vector<int> choose_sum_pieces(const FusedProgram& program, const Machine& machine,
                                   const Settings& settings) {
  std::vector<int> pieces;
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    const FusedProgramTerm& fused = program.terms()[term];
    const bool has_tiles = fused.is_product() && fused.product->contraction().c.nonzeros() > 0;
    const std::string own = program.strategy(term);
    const Settings of_term = own.empty() ? settings : settings_of_strategy(own, settings);
    pieces.push_back(has_tiles ? pieces_of(program, machine, of_term, term) : 1);
  }
  return pieces;
}

}  // namespace foretile
