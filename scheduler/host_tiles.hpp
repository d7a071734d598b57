// SPDX-License-Identifier: BSD-3-Clause
// Which tiles of the distributed matrices are in the rank's host memory.
#pragma once

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Own tiles stay. Received ones stay until their last step is over and their message was forwarded.
class HostTiles {
 public:
  using Release = std::function<void(Rank owner, int number)>;

  /// Whether one of the rank's tiles has still to be made.
  using Unmade = std::function<bool(TileRef)>;

  /// `contraction` and `frame` must outlive this. `unmade` is asked where tiles flow.
  HostTiles(const Contraction& contraction, const PlanFrame& frame, Rank rank, Release release,
            Unmade unmade = {});

  /// Whether a tile of A, or of B where it is given, can be read here.
  bool holds(TileRef tile) const;
  /// Where it can be read: kHost, or where its message came to.
  MemoryPlace place_of(TileRef tile) const;
  /// `forwards`: how many ranks this one sends it on to. None comes when its last step is over.
  void received(const Message& message, int forwards, MemoryPlace place = kHost);
  /// One of the forwards was sent. Returns the step of the message; nothing where it stays to the end, or is
  /// none.
  std::optional<Step> forwarded(Rank owner, int number);
  /// All steps before `step` are over on this rank; calls `dropped` for each tile that leaves.
  void ended_before(Step step, const std::function<void(TileRef)>& dropped);

 private:
  using Key = std::pair<Rank, int>;  // owner and number of the broadcast
  struct KeyHash {
    std::size_t operator()(Key key) const {
      return TileIdHash()((std::int64_t{key.first} << 32) + key.second);
    }
  };
  struct Held {
    int forwards = 0;
    bool in_use = true;
    Step step = 0;
  };
  void release_if_done(Key key, Held held);

  using Received = tsl::robin_map<TileId, MemoryPlace, TileIdHash>;
  Received& received_of(Matrix matrix) { return matrix == Matrix::a ? a_ : b_; }
  const Received& received_of(Matrix matrix) const { return matrix == Matrix::a ? a_ : b_; }

  const Contraction& problem_;
  const PlanFrame& frame_;
  Rank rank_;
  Release release_;
  Unmade unmade_;
  Received a_, b_;                           // no bit for each tile: many ranks have a few of millions
  tsl::robin_map<Key, Held, KeyHash> held_;  // with a last step
  std::map<Step, std::vector<std::pair<Key, std::shared_ptr<const Transfer>>>> by_last_step_;
};

}  // namespace foretile
