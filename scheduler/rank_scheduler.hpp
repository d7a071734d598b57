// Steps one rank through its plan. The simulator and the executor run this same code.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/barrier.hpp"
#include "scheduler/device_queue.hpp"
#include "scheduler/generation.hpp"
#include "scheduler/host_tiles.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/outbox.hpp"
#include "scheduler/statistics.hpp"

namespace foretile {

struct SchedulerOptions {
  int core_slots = 1;             ///< cores of the rank: tiles generated, and core kernels, at once
  bool kernels_on_cores = false;  ///< devices are cores: kernels take core slots too, before generation
  bool zero_copy = false;         ///< devices work on tiles in host memory
  int batch = 1;                  ///< products of a chunk in one launch, at most
  int copy_slots = 2;        ///< copies in flight per device and direction; a copy engine does one at a time
  int send_slots = 4;        ///< messages in flight per rank
  std::vector<int> sockets;  ///< of each device: a near copy of a tile is preferred
  /// Loads, hits and evictions depend on the plan alone, not on what ends first: all loads come from the
  /// host, the memory of a chunk is free only when everything was asked for that may be loaded beside it, and
  /// a block opens when C of the last one is home. For comparing back ends; slower.
  bool in_plan_order = false;
};

/// Static: device, order of loads and products, blocks, chunks. Dynamic: the source of a tile that streams
/// (another device that holds it or is loading it, else the host) and which tiles stay in leftover memory.
///
/// Never blocks for good: loads of a device are in order; what the front chunk and those loaded ahead need is
/// proven to fit beside C of the front block (planner/verify.hpp), and C that is being stored leaves by
/// itself; sending waits for barriers only, and those for steps whose tiles were sent before; generated tiles
/// are needed in the order in which they are made.
class RankScheduler {
 public:
  /// `frame` gives grid, lookahead, barriers and budgets; its ranks are not used. All references must outlive
  /// this. Throws InputError for more than 64 devices with memory of their own.
  RankScheduler(const Plan& frame, const RankPlan& plan, const Contraction& contraction, int rank,
                Backend& backend, SchedulerOptions options, TraceSink* sink = nullptr);

  /// Starts what can be started. Own tiles of A must lie in host memory.
  void start();
  /// An operation ended.
  void done(OperationId id);
  /// A message's tiles lie in host memory; `path` is the sender's with the message's time.
  void received(const Message& message, const Path& path);
  /// News from another rank's barrier.
  void signalled(const Signal& signal);

  bool finished() const;
  /// Messages or signals may come, or are on their way out.
  bool expects_messages() const;
  /// Some core of the rank has nothing to do.
  bool cores_idle() const { return cores_.busy < cores_.slots; }
  /// Path of the operation that ended last, also during Backend callbacks.
  const Path& path() const { return operations_.path(); }
  const RankStatistics& statistics();

 private:
  void advance();
  bool advance_fronts();
  void advance_loads(int device);
  void advance_kernels(int device);
  void advance_sends();

  void place_c(DeviceQueue& queue, int device);
  void place_c(DeviceQueue& queue, int device, BlockWork& block);
  bool load_c(DeviceQueue& queue, int device, BlockWork& block);
  bool may_load(DeviceQueue& queue);
  bool front_ended(DeviceQueue& queue);
  void drop_stored(DeviceQueue& queue, int device);
  bool c_has_left(DeviceQueue& queue, int device, const BlockWork& block);
  bool streams(TileRef tile) const;
  bool shared(TileRef tile) const;
  bool ready(const Item& item) const;
  bool coming_to_peer(TileRef tile) const;
  MemoryPlace source_of(int device, TileRef tile) const;
  bool load_batch(DeviceQueue& queue, int device, MemoryPlace from);
  bool reserve(DeviceQueue& queue, int device, Item& item);
  void arrived(int device, Item& item);
  void start_load(DeviceQueue& queue, Copy copy, std::vector<Item*> items);
  void advance_stores(int device);

  void kernel_done(Operation& operation);
  void load_done(Operation& operation);
  void store_done(Operation& operation);
  void send_done(const Operation& operation);
  void finish_front(DeviceQueue& queue, int device);
  void step_ended();

  const Plan& frame_;
  const Contraction& problem_;
  Backend& backend_;
  SchedulerOptions options_;
  Operations operations_;
  Cores cores_;
  Generation generation_;
  std::vector<DeviceQueue> queues_;
  std::vector<std::shared_ptr<const Broadcast>> own_;
  Outbox outbox_;
  HostTiles host_;
  Barrier barrier_;
  struct Holders {
    std::uint64_t devices = 0;  // that have the tile, as bits
    int coming = 0;             // loads under way
  };
  std::unordered_map<TileRef, Holders, TileRefHash> holders_;  // of streaming tiles
  int first_open_step_ = 0;                                    // of this rank
  int sending_ = 0;
  RankStatistics statistics_;
};

}  // namespace foretile
