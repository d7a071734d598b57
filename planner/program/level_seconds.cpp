// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/level_seconds.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/bound/bound.hpp"
#include "platforms/cost/addition.hpp"

namespace foretile {

namespace {

/// At a rate of 0: it never limits.
double seconds(double bytes, double bytes_per_s) {
  return bytes_per_s > 0 ? bytes / bytes_per_s : 0;
}

/// Of the slowest rank or node, which sends and receives at once.
double message_seconds(const LevelPlan& plan, const Machine& machine, std::int64_t LevelMoves::*sent,
                       std::int64_t LevelMoves::*received) {
  const Platform& p = machine.platform;
  const bool one_node = machine.nodes() == 1;
  const LinkModel& link = one_node ? p.links.message : p.network.message;
  std::vector<double> out(static_cast<std::size_t>(machine.nodes()), 0), in = out;
  double slowest = 0;
  for (std::size_t rank = 0; rank < plan.moves.size(); ++rank) {
    const auto node = static_cast<std::size_t>(machine.node_of(Rank::of(rank)));
    out[node] += static_cast<double>(plan.moves[rank].*sent);
    in[node] += static_cast<double>(plan.moves[rank].*received);
    const auto most = static_cast<double>(std::max(plan.moves[rank].*sent, plan.moves[rank].*received));
    slowest = std::max(slowest, seconds(most, link.bandwidth_bytes_per_s));
  }
  if (one_node) return slowest;
  const double busiest = std::max(std::ranges::max(out), std::ranges::max(in));
  return std::max(slowest, seconds(busiest, p.network.node_injection_bytes_per_s));
}

/// In the order in which they are, and with indices in another one.
struct MovedBytes {
  std::int64_t plain = 0, permuted = 0;
};

/// Of the rank that takes longest.
double core_seconds(const LevelPlan& plan, const Machine& machine, MovedBytes (*bytes)(const LevelMoves&)) {
  double slowest = 0;
  for (const LevelMoves& rank : plan.moves) {
    const auto [plain, permuted] = bytes(rank);
    const int cores = machine.cores_per_rank();
    slowest = std::max(slowest, block_seconds(machine.platform, plain / cores, false) +
                                    block_seconds(machine.platform, permuted / cores, true));
  }
  return slowest;
}

double making_seconds(const LevelPlan& plan, const Machine& machine) {
  double most = 0;
  for (const LevelMoves& rank : plan.moves) most = std::max(most, static_cast<double>(rank.made_bytes));
  return seconds(most, machine.platform.generation_bytes_per_s_per_core * machine.cores_per_rank());
}

}  // namespace

LevelMoveTimes move_times(const LevelPlan& plan, const Machine& machine) {
  return {
      .blocks_s = message_seconds(plan, machine, &LevelMoves::sent_bytes, &LevelMoves::received_bytes),
      .made_s = making_seconds(plan, machine),
      .permuted_s = core_seconds(plan, machine,
                                 [](const LevelMoves& rank) {
                                   return MovedBytes{rank.copied_bytes, rank.permuted_bytes};
                                 }),
      .results_s = message_seconds(plan, machine, &LevelMoves::c_sent_bytes, &LevelMoves::c_received_bytes),
      .additions_s = core_seconds(plan, machine, [](const LevelMoves& rank) {
        return MovedBytes{rank.added_bytes - rank.added_permuted_bytes, rank.added_permuted_bytes};
      })};
}

double least_seconds(const LevelPlan& plan, const Machine& machine) {
  const double moves = move_times(plan, machine).moves_s();
  return plan.work ? moves + plan_bound(plan.work->plan, plan.work->contraction, plan.work->machine).seconds
                   : moves;
}

}  // namespace foretile
