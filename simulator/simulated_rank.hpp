// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's back end on a model of the machine.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/random.hpp"
#include "planner/plan/tile_origins.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/cost/generation.hpp"
#include "platforms/cost/product.hpp"
#include "scheduler/rank_scheduler.hpp"
#include "scheduler/waves.hpp"
#include "simulator/core_cache.hpp"
#include "simulator/engine.hpp"
#include "simulator/machine_links.hpp"

namespace foretile {

class SimulatedRank;

/// An operation under way, or one of its parts.
struct Activity {
  enum class Kind : std::uint8_t {
    plain,
    copy_overhead,
    send_overhead,
    message,
    receive_overhead,
    background,
    polling
  };
  Kind kind = Kind::plain;
  SimulatedRank* rank = nullptr;
  OperationId id = 0;
  EventKey key;
  Route route;             // of a copy
  std::int64_t bytes = 0;  // of a copy: those that use links
  double start_s = 0;
  double software_s = 0;  // of its duration, known when that part is over
  double alone_s = 0;     // what the rest would take on a machine with nothing else to do
  double blocked_s = 0;   // of a copy from unpinned memory, part of `alone_s`
  Message message;
  Rank to_rank = 0;
  Path path;
};

class SimulatedRank final : public Backend {
 public:
  /// References must outlive this.
  SimulatedRank(Rank rank, const PlanFrame& frame, const RankPlan& plan, const Machine& machine,
                Engine& engine, const MachineLinks& links, const Contraction& contraction,
                const TileOrigins& origins, std::vector<std::unique_ptr<SimulatedRank>>& all,
                std::uint64_t noise_seed);

  /// Must be called before anything starts.
  void attach(RankScheduler& scheduler) { scheduler_ = &scheduler; }
  /// The progress loop polls for messages from now on, while it expects any. Call when the scheduler has
  /// started.
  void poll();
  /// An activity of this rank ended.
  void ended(Activity& activity);

  double now() const override { return engine_.now(); }
  int kernel_slots(Device) const override { return 1; }  // the kernel model already counts the streams
  void start_kernel(OperationId id, Device device, std::span<const Product> products) override;
  void start_combine(OperationId id, const Combine& combine) override;
  void start_task(OperationId id, std::int32_t number, const FlowTask& task, int cores) override;
  void start_generate(OperationId id, std::span<const GeneratedPart> parts) override;
  void start_copy(OperationId id, const Copy& copy) override;
  void start_send(OperationId id, Rank to_rank, const Message& message) override;
  void allocate(Device device, TileRef tile) override { book(device, tile); }
  void release(Device, TileRef) override {}
  void release_host(TileRef) override {}
  void release_message(Rank, int) override {}
  void send_signal(Rank to_rank, Signal signal) override;
  void adopt(Device device, TileRef tile) override { book(device, tile); }
  void release_parts(std::span<const TileId>, Device) override {}
  void keep_parts(std::span<const TileId>, Device) override {}
  void release_step(Step) override {}

 private:
  Activity& activity(OperationId id, Activity::Kind kind);
  /// On a resource that nothing else uses: no solver is needed, a timer will do.
  void after(Activity& activity, double seconds);
  /// The same where uses wait for each other, first come first served; `free_at` is when the resource is
  /// free.
  void fifo(Activity& activity, double& free_at, double seconds);
  /// On cores that other ranks may use too: one host with the speed of all cores of the node, of which an
  /// execution gets at most one core's, or what a core reaches alone.
  void on_cores(Activity& activity, double seconds);
  void on_cores(Activity& activity, double seconds, double most_cores);
  void transfer(Activity& activity, const Route& route, std::int64_t bytes);
  Engine::Event end_of(Activity& activity) const;
  CopyCost cost_of(const Copy& copy) const;
  void begin_copy(Activity& activity);
  void begin_message(Activity& activity);
  Route route_of(const Message& message, Rank to_rank) const;
  void deliver(const Activity& activity);
  OperationTime time_of(const Activity& activity) const;
  /// At once where the progress loop is awake, else when it polls.
  void arrives(std::function<void()> see);
  /// The progress loop sees what has arrived.
  void poll_once();
  bool loop_sleeps() const;
  Path seen_now(const Path& path) const;
  void receive(const Message& message, const Path& path);
  KernelTime kernel_time(Device device, std::span<const Product> products);
  void add_batch(KernelTime& time, std::span<const Product> products);
  KernelTime core_time(Device device, std::span<const Product> products);
  /// Whether all devices of the machine are cores, which the ranks of a node share.
  bool on_cores_alone() const { return machine_.platform.device.kind == DeviceKind::core; }
  double operation_s() const;
  double poll_s() const;
  void book(Device device, TileRef tile) {
    const Runtime& runtime = machine_.platform.runtime;
    tile_overhead_s_[device] += tile.matrix == Matrix::c ? runtime.store_overhead_s : runtime.load_overhead_s;
  }
  Activity& free_slot();
  void copy_on_cores(std::int64_t bytes);
  void on_a_core(OperationId id, double seconds, double handed_over_s = 0);
  ProductSize size_of(const Product& product) const;
  void start_making(OperationId id, const Copy& copy);
  void start_reading(OperationId id, std::int64_t bytes);
  double noise(double deviation);

  Rank rank_;
  const PlanFrame& frame_;
  const RankPlan& plan_;
  const Machine& machine_;
  Engine& engine_;
  const MachineLinks& links_;
  const Contraction& problem_;
  const TileOrigins& origins_;
  GenerationTimes generation_;
  bool managers_block_;  // some copies keep their device's manager
  std::vector<std::unique_ptr<SimulatedRank>>& all_;
  RankScheduler* scheduler_ = nullptr;
  std::deque<Activity> activities_;      // by operation id
  std::deque<Activity> unnumbered_;      // what the scheduler did not ask for: receiving, copies of messages
  std::vector<double> manager_free_at_;  // of each device's software
  std::vector<double> maker_free_at_;    // of each device's generation of tiles
  std::vector<double> tile_overhead_s_;  // bookkeeping since each device's last kernel
  std::vector<double> kernel_factors_;   // of devices, for the whole run
  Waves<std::int32_t, ProductSize> waves_;  // by c_slot
  std::deque<CoreCache> caches_;            // of devices that are cores, where the platform knows their cache
  double messenger_free_at_ = 0;
  double file_free_at_ = 0;    // of the node, on its first rank
  std::uint64_t signals_ = 0;  // that were sent to this rank, and polls
  struct Arrival {
    double seen_at_s = 0;  // at the latest
    std::function<void()> see;
  };
  std::deque<Arrival> unseen_;
  Random random_;
};

}  // namespace foretile
