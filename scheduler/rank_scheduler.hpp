// Steps one rank through its plan. The simulator and the executor run this same code.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/device_queue.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/outbox.hpp"
#include "scheduler/statistics.hpp"

namespace foretile {

struct SchedulerOptions {
  int core_slots = 1;             ///< cores of the rank: tiles generated, and core kernels, at once
  bool kernels_on_cores = false;  ///< devices are cores: kernels take core slots too, before generation
  bool zero_copy = false;         ///< devices work on tiles in host memory
  int copy_slots = 2;        ///< copies in flight per device and direction; a copy engine does one at a time
  int send_slots = 4;        ///< messages in flight per rank
  std::vector<int> sockets;  ///< of each device: a near copy of a tile is preferred
};

/// Static: device, order of loads and products, blocks, chunks. Dynamic: the source of a tile of A (another
/// device that holds it, else the host) and which tiles stay in leftover memory.
///
/// Never blocks for good: loads of a device are in order, what the front chunk needs is proven to fit beside
/// its block (planner/verify.hpp), sending waits for nothing, and generated tiles are needed in the order in
/// which they are made.
class RankScheduler {
 public:
  /// `frame` gives grid, lookahead and budgets; its ranks are not used. All references must outlive this.
  /// Throws InputError for extra control edges, which no strategy makes yet.
  RankScheduler(const Plan& frame, const RankPlan& plan, const Contraction& contraction, int rank,
                Backend& backend, SchedulerOptions options, TraceSink* sink = nullptr);

  /// Starts what can be started. Own tiles of A must lie in host memory.
  void start();
  /// An operation ended.
  void done(OperationId id);
  /// A message's tiles lie in host memory; `path` is the sender's with the message's time.
  void received(const Message& message, const Path& path);

  bool finished() const;
  /// Messages are on their way to or from this rank.
  bool expects_messages() const { return to_receive_ > 0 || sending_ > 0; }
  /// Path of the operation that ended last, also during Backend callbacks.
  const Path& path() const { return operations_.path(); }
  const RankStatistics& statistics();

 private:
  void advance();
  void advance_loads(int device);
  void advance_kernels(int device);
  void advance_generation();
  void advance_sends();

  bool open_block(DeviceQueue& queue, int device);
  bool may_load(DeviceQueue& queue, int device);
  MemoryPlace source_of(int device, const Item& item) const;
  bool load_batch(DeviceQueue& queue, int device, MemoryPlace from);
  bool reserve(DeviceQueue& queue, int device, Item& item);
  void arrived(int device, Item& item);
  Item* next_to_generate(DeviceQueue& queue);

  void kernel_done(Operation& operation);
  void copy_done(Operation& operation);
  void generate_done(Operation& operation);
  void finish_front(DeviceQueue& queue, int device);
  void finish_block(DeviceQueue& queue, int device, BlockWork& block);

  const Plan& frame_;
  const Contraction& problem_;
  Backend& backend_;
  SchedulerOptions options_;
  Operations operations_;
  std::vector<DeviceQueue> queues_;
  std::vector<std::shared_ptr<const Broadcast>> own_;
  Outbox outbox_;
  std::vector<bool> on_host_;                          // tiles of A
  std::unordered_map<TileId, std::uint64_t> holders_;  // devices that hold a tile of A, as bits
  std::int64_t to_receive_ = 0;                        // tiles
  std::int64_t staged_bytes_ = 0;
  int cores_busy_ = 0;
  int sending_ = 0;
  RankStatistics statistics_;
};

}  // namespace foretile
