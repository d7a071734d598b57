// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_traffic.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace foretile {

namespace {

class TrafficCounter {
 public:
  TrafficCounter(const ProgramPlan& plan, std::size_t terms)
      : plan_(plan.work.plan),
        contraction_(plan.work.contraction),
        machine_(plan.work.machine),
        tiles_of_terms_(plan.tiles_of_terms),
        traffic_(terms) {}

  std::vector<TermTraffic> counted() {
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) note_readers(Rank::of(rank));
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (const Transfer& transfer : plan_.ranks[rank].transfers) count(transfer, Rank::of(rank));
      for (const Transfer& transfer : plan_.ranks[rank].flow.results) count(transfer, Rank::of(rank));
      for (const Sum& sum : plan_.ranks[rank].sums) {
        if (sum.to) count(parts_message(sum), Rank::of(rank));
      }
    }
    return std::move(traffic_);
  }

 private:
  static TileId TilesOfTerm::*first_of(Matrix matrix) {
    return matrix == Matrix::a ? &TilesOfTerm::a : matrix == Matrix::b ? &TilesOfTerm::b : &TilesOfTerm::c;
  }

  std::size_t term_of(TileRef tile) const {
    const auto behind = std::ranges::upper_bound(tiles_of_terms_, tile.id, {}, first_of(tile.matrix));
    return (behind - 1)->term;
  }

  void note_readers(Rank rank) {
    for (const FlowTask& task : plan_.ranks[static_cast<std::size_t>(static_cast<int>(rank))].flow.tasks) {
      if (task.reads.matrix == Matrix::t) readers_.try_emplace({rank, task.step, task.reads.id}, task.writes);
    }
  }

  void count(const Transfer& transfer, Rank owner) {
    std::vector<Rank> at{owner};
    at.insert(at.end(), transfer.others.begin(), transfer.others.end());
    for (int position = 0; position < std::ssize(at); ++position) {
      const Rank from = at[static_cast<std::size_t>(position)];
      for (const int child : children_of(transfer, owner, position))
        count(transfer, from, at[static_cast<std::size_t>(child)]);
    }
  }

  void count(const Transfer& transfer, Rank from, Rank to) {
    const bool crosses = machine_.node_of(from) != machine_.node_of(to);
    for (const TileId id : transfer.tiles) {
      const std::int64_t bytes = bytes_of(contraction_, {transfer.matrix, id});
      TileRef tile{transfer.matrix, id};
      if (tile.matrix == Matrix::t) {
        const auto found = readers_.find({to, transfer.step, id});
        if (found == readers_.end()) continue;
        tile = found->second;
      }
      TermTraffic& term = traffic_[term_of(tile)];
      (tile.matrix == Matrix::a   ? term.a
       : tile.matrix == Matrix::b ? term.b
                                  : term.c) += {bytes, crosses ? bytes : 0};
    }
  }

  const Plan& plan_;
  const Contraction& contraction_;
  const Machine& machine_;
  const std::vector<TilesOfTerm>& tiles_of_terms_;
  std::map<std::tuple<Rank, Step, TileId>, TileRef> readers_;  // what a rank first makes of a tensor's tile
  std::vector<TermTraffic> traffic_;
};

}  // namespace

std::vector<TermTraffic> traffic_of_terms(const ProgramPlan& plan, std::size_t terms) {
  return TrafficCounter(plan, terms).counted();
}

}  // namespace foretile
