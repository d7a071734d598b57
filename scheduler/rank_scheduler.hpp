// SPDX-License-Identifier: BSD-3-Clause
// Steps one rank through its plan. The simulator and the executor run this same code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/plan/tile_origins.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/barrier.hpp"
#include "scheduler/block_pool.hpp"
#include "scheduler/c_tiles.hpp"
#include "scheduler/device_queue.hpp"
#include "scheduler/flow.hpp"
#include "scheduler/generation.hpp"
#include "scheduler/host_tiles.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/options.hpp"
#include "scheduler/send_queue.hpp"
#include "scheduler/statistics.hpp"
#include "scheduler/sums.hpp"
#include "scheduler/tile_states.hpp"

namespace foretile {

/// Static: device, order of loads and products, blocks, chunks. Dynamic: with Pool::open which device works
/// on a block; the source of a tile that streams (another device that holds it or is loading it, else the
/// host) and which tiles stay in leftover memory.
///
/// Never blocks for good: loads of a device are in order; what the front chunk and those loaded ahead need is
/// proven to fit beside C of the front block (planner/verify/verify.hpp), and C that is being stored leaves
/// without waiting; sending waits for barriers only, and those for steps whose tiles were sent before;
/// generated tiles are needed in the order in which they are made.
class RankScheduler {
 public:
  /// `frame` gives grid, lookahead, barriers and budgets; its ranks are not used. All references must outlive
  /// this. Throws InputError when a device behind the first 64 has memory of its own.
  RankScheduler(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction, Rank rank,
                Backend& backend, SchedulerOptions options, TraceSink* sink = nullptr);

  /// Starts what can be started. Own tiles of A must be in host memory.
  void start();
  /// An operation ended. `time`: what the back end knows of its duration.
  void done(OperationId id, const OperationTime& time = {});
  /// A message's tiles are in host memory; `path` is the sender's with the message's time.
  void received(const Message& message, const Path& path);
  /// A signal from another rank's barrier; its path is the sender's with the signal's time.
  void signalled(const Signal& signal);

  bool finished() const;
  /// Messages or signals may come, or are on their way out.
  bool expects_messages() const;
  /// Some core of the rank has nothing to do, or serves GPUs while the others multiply.
  bool cores_idle() const { return cores_.busy < cores_.slots || cores_beside_gpus_; }
  /// Path of the operation that ended last, also during Backend callbacks.
  Path path() const { return operations_.path(); }
  const RankStatistics& statistics();
  /// Who has taken which block so far.
  const RankAssignment& assignment() const { return pool_.taken(); }

 private:
  void add_device(const DevicePlan& plan);
  void advance();
  void advance_flow();
  bool advance_fronts();
  void advance_device(Device device);
  void wake_idle();
  void wake_all() { std::fill(awake_.begin(), awake_.end(), true); }
  /// Whether the next load waits for something that wakes no device: another source of its tile, or time.
  bool advance_loads(Device device);
  /// Whether products wait for a core.
  bool advance_kernels(Device device);
  void advance_sends();

  bool may_load(DeviceQueue& queue);
  bool may_enter(DeviceQueue& queue) const;
  bool front_ended(DeviceQueue& queue);
  bool streams(TileRef tile) const;
  bool shared(const DeviceQueue& queue, TileRef tile) const;
  /// To be asked again until the tile is pinned: only then its record stays.
  TileSlot slot_of(Item& item);
  bool ready(const DeviceQueue& queue, const Item& item) const;
  CopyCost cost_of(MemoryPlace from, const Item& item) const;
  CopyCost cost_of(MemoryPlace from, std::span<Item* const> items) const;
  MemoryPlace place_of(TileRef tile) const;
  std::optional<MemoryPlace> source_of(Device device, const Item& item, std::span<Item* const> ahead) const;
  bool load_batch(DeviceQueue& queue, Device device, MemoryPlace from);
  void note_load(DeviceQueue& queue, const Copy& copy, std::span<Item* const> items);
  bool reserve(DeviceQueue& queue, Device device, Item& item);
  void arrived(Device device, Item& item);

  void ended(const KernelOperation& kernel, const TraceEvent& event);
  void ended(const GenerateOperation& generated, const TraceEvent& event);
  void ended(const LoadOperation& load, const TraceEvent& event);
  void ended(const StoreOperation& store, const TraceEvent& event);
  void ended(const SendOperation& send, const TraceEvent& event);
  void ended(const CombineOperation& combine, const TraceEvent& event);
  void ended(const TaskOperation& task, const TraceEvent& event);
  void finished(TileId c);
  void is_here(TileRef tile);
  void finish_front(DeviceQueue& queue, Device device);
  Step first_open();
  void step_ended();
  void forget(TileRef tile);

  const PlanFrame& frame_;
  const Contraction& problem_;
  Rank rank_;
  TileOrigins origins_;
  Backend& backend_;
  SchedulerOptions options_;
  Operations operations_;
  Cores cores_;
  Generation generation_;
  CTiles c_tiles_;
  TileStates tiles_;
  std::vector<std::uint64_t> near_;  // of each device: those on its socket, as bits
  int own_memories_ = 0;             // devices that do not work in host memory
  bool cores_beside_gpus_ = false;   // some device has cores, and some has none
  BlockPool pool_;
  std::vector<DeviceQueue> queues_;
  /// Of each device: to be looked at. What changes a device's memory, copies, products or items wakes it; one
  /// that waits for what wakes no device stays awake.
  std::vector<char> awake_;
  std::vector<std::shared_ptr<const Transfer>> own_;
  SendQueue send_queue_;
  Sums sums_;
  Flow flow_;
  HostTiles host_;
  Barrier barrier_;
  Copy copy_;                 // the one being put together,
  std::vector<Item*> items_;  // and its items
  Step first_open_step_ = 0;  // of this rank
  int sending_ = 0;
  RankStatistics statistics_;
};

}  // namespace foretile
