// SPDX-License-Identifier: BSD-3-Clause
// What the executor's progress loop asks of a back end, on top of what the scheduler asks.
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "executor/backends/host_store.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Where messages of the rank go.
struct Transport {
  std::function<void(OperationId, Rank to_rank, const Message&)> send;
  std::function<void(Rank to_rank, const Signal&)> signal;
};

/// What the progress loop tells the scheduler.
struct EndedOperation {
  OperationId id = 0;
  OperationTime time;
};

class RankBackend : public Backend {
 public:
  /// Who hears of finished tiles of C; before the clock starts.
  void tell_finished(std::function<void(TileId)> listener) { finished_ = std::move(listener); }
  void finished(TileId tile) final {
    if (finished_) finished_(tile);
  }

  /// The clock starts now.
  virtual void start_clock() = 0;
  /// Operations ended since the last call; waits up to `seconds` for the first. Throws what their work threw.
  /// Valid until the next call.
  virtual std::span<const EndedOperation> ended(double seconds) = 0;

 private:
  std::function<void(TileId)> finished_;
};

}  // namespace foretile
