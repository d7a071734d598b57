// SPDX-License-Identifier: BSD-3-Clause
// Parts of C that are in a rank's host memory until they are added.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/generation.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/send_queue.hpp"
#include "scheduler/statistics.hpp"

namespace foretile {

/// Takes the sums of a rank (planner/plan/sum.hpp) from the parts of its devices to C at the owner. The
/// additions of a sum follow each other in the plan's order; different sums are independent.
class Sums {
 public:
  /// Hears of finished tiles of C.
  using Finished = std::function<void(TileId)>;

  /// References must outlive this object.
  Sums(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction, Rank rank,
       Backend& backend, Operations& operations, Cores& cores, SendQueue& sends, Finished on_finished);

  /// Starts additions while cores are free.
  void advance();
  /// A device's part of a tile came to the host.
  void stored(TileId tile);
  /// Parts of another rank came.
  void received(const Message& message);
  void done(const CombineOperation& operation, const TraceEvent& event, RankStatistics& statistics);
  /// A message was sent; does nothing unless it is one of parts that left this rank.
  void sent(Rank owner, int number);

  /// All sums are written back, or sent.
  bool finished() const { return unfinished_ == 0; }
  /// Parts of other ranks are still to come.
  bool expects_messages() const { return expected_ > 0; }

  /// Some addition waits for a core.
  bool waits_for_core() const { return !ready_.empty(); }

 private:
  struct Addition {
    PlaceOfC to, from;
    bool last = false;  ///< to C, with alpha and beta
  };
  struct State {
    const Sum* sum = nullptr;
    std::int64_t bytes = 0;         ///< of the tiles
    std::int64_t missing = 0;       ///< parts of the rank's devices that are not stored yet
    std::size_t next = 0;           ///< addition
    std::vector<int> message_from;  ///< by Sum::from: the message's number; -1: not here yet
    bool busy = false;              ///< its next addition is in ready_ or under way, or it ended
  };

  static PlaceOfC computed_by(Device device);
  static PlaceOfC come_from(const State& state, std::size_t from);
  static PlaceOfC growing(const State& state);
  bool needs_last(const State& state) const;
  std::size_t additions_of(const State& state) const;
  std::optional<Addition> next_addition(const State& state) const;
  void look_at(std::size_t number);
  void start(std::size_t number);
  void end(std::size_t number);
  void send(std::size_t number);

  const PlanFrame& frame_;
  const RankPlan& plan_;
  const Contraction& problem_;
  Rank rank_;
  Backend& backend_;
  Operations& operations_;
  Cores& cores_;
  SendQueue& sends_;
  Finished on_finished_;
  std::vector<State> states_;  // by number in RankPlan::sums
  std::unordered_map<TileId, std::size_t> sum_of_;
  std::deque<std::size_t> ready_;  // sums whose next addition waits for a core
  std::size_t unfinished_ = 0;
  std::int64_t expected_ = 0;  // messages
};

}  // namespace foretile
