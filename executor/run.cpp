// SPDX-License-Identifier: BSD-3-Clause
#include "executor/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "executor/backends/cpu_backend.hpp"
#include "executor/backends/gpu_backend.hpp"
#include "executor/backends/mixed_backend.hpp"
#include "executor/backends/registered_memory.hpp"
#include "executor/cpu/binding.hpp"
#include "executor/cpu/thread_seconds.hpp"
#include "executor/gpu/memory_pool.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/device_memory.hpp"
#include "executor/mpi/messenger.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "executor/tiles/tile_slabs.hpp"
#include "planner/plan/landing.hpp"
#include "planner/plan/owners.hpp"
#include "scheduler/options.hpp"
#include "scheduler/polling.hpp"
#include "scheduler/rank_scheduler.hpp"

namespace foretile {

namespace {

/// How long the loop sleeps at most. On CPU cores each poll of MPI takes time from the products, so polls get
/// rarer while all cores work and no message comes. Work that ends wakes the loop at once.
class PollInterval {
 public:
  double seconds(bool messages_expected, bool cores_idle) const {
    if (!messages_expected) return 1.0;
    return cores_idle ? idle_seconds_ : seconds_;
  }
  void looked(bool any) {
    seconds_ = any ? kMovingPollInterval_s : std::min(2 * seconds_, kLongestPollInterval_s);
    idle_seconds_ = any ? kShortestIdle : std::min(1.25 * idle_seconds_, kLongestIdle);
  }

 private:
  // Ranks that wait may share the core of one that works.
  static constexpr double kShortestIdle = 10e-6;
  static constexpr double kLongestIdle = 500e-6;
  double seconds_ = kMovingPollInterval_s;
  double idle_seconds_ = kShortestIdle;
};

int position_of(const Transfer& broadcast, Rank rank) {
  for (std::size_t d = 0; d < broadcast.others.size(); ++d) {
    if (broadcast.others[d] == rank) return static_cast<int>(d) + 1;
  }
  throw WorkError(fmt::format("rank {}: a message for others", rank));
}

void progress_loop(RankScheduler& scheduler, RankBackend& backend, Messenger& messenger, HostStore& host,
                   Rank rank) {
  Messenger::Listener listener;
  listener.sent = [&](OperationId id) { scheduler.done(id); };
  listener.received = [&](std::shared_ptr<MessageBuffer> buffer) {
    const Message message{buffer->transfer(), buffer->owner(), buffer->number(),
                          position_of(*buffer->transfer(), rank), buffer->tile_bytes()};
    const Path path = buffer->hop().path.arriving(buffer->tile_bytes(), backend.now());
    host.keep(std::move(buffer));
    scheduler.received(message, path);
  };
  listener.signalled = [&](Signal signal) {
    signal.path = signal.path.arriving(0, backend.now());
    scheduler.signalled(signal);
  };
  PollInterval interval;
  while (!scheduler.finished()) {
    const bool any = messenger.progress(listener);
    interval.looked(any || messenger.moving());
    for (const auto& [id, time] :
         backend.ended(any ? 0.0 : interval.seconds(scheduler.expects_messages(), scheduler.cores_idle()))) {
      scheduler.done(id, time);
    }
  }
  while (!messenger.idle()) messenger.progress(listener);  // the last signals leave
}

std::unique_ptr<std::pmr::memory_resource> host_memory(const RunOptions& options) {
  if (options.gpus && options.pool_bytes > 0)
    return std::make_unique<PinnedPool>(*options.gpus, options.pool_bytes);
  touch_heap(options.pool_bytes);
  return std::make_unique<TileSlabs>(options.memory ? options.memory : heap_memory());
}

SchedulerOptions scheduling_of(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction,
                               const Machine& machine, Rank rank, const RunOptions& options) {
  SchedulerOptions scheduling =
      scheduler_options(frame, plan, contraction, machine, rank, options.in_plan_order);
  const bool gpus_for_cores = options.gpus && machine.platform.device.kind == DeviceKind::core;
  for (DeviceTraits& device : scheduling.devices) {
    device.in_host_memory = device.in_host_memory && (options.gpus || !options.copies) && !gpus_for_cores;
    device.generates_tiles = device.generates_tiles && options.gpus && !options.storage;
  }
  scheduling.messages_on_devices = scheduling.messages_on_devices && options.gpus && !gpus_for_cores;
  scheduling.core_slots = std::min(scheduling.core_slots, usable_cores());  // a plan for another machine
  for (DeviceTraits& device : scheduling.devices)
    device.cores = std::min(device.cores, scheduling.core_slots);
  return scheduling;
}

/// One rank's part of one run.
struct Work {
  const PlanFrame& frame;
  const RankPlan& plan;
  const Contraction& contraction;
  const Machine& machine;
  Rank rank;
};

std::unique_ptr<GpuBackend> make_gpu_backend(const Work& work, HostStore& host, RankOnNode place,
                                             const RunOptions& run, const GpuBackendOptions& given,
                                             Transport transport) {
  GpuBackendOptions options = given;
  options.rank = work.rank;
  options.first_device = first_device(work.machine, place);
  options.kernel_lanes = work.machine.platform.device.kernel.streams;
  auto gpus = std::make_unique<GpuBackend>(work.contraction, work.frame, work.plan, host, *run.gpus, options,
                                           std::move(transport));
  if (run.warm_up_s > 0) gpus->warm_up(work.frame, work.plan, run.warm_up_s);
  return gpus;
}

std::unique_ptr<RankBackend> make_backend(const Work& work, HostStore& host, int cores, RankOnNode place,
                                          const RunOptions& run, Transport transport) {
  const ProductForm form = product_form(work.frame, work.contraction);
  std::vector<int> sharing;
  for (const DevicePlan& device : work.plan.devices) sharing.push_back(work.frame.class_of(device).cores);
  if (!run.gpus) {
    std::vector<int> cpus;
    if (run.bind) cpus = cpus_of_rank(allowed_cpus(), place.number, place.ranks, cores);
    return std::make_unique<CpuBackend>(work.contraction, form, host, sharing, cores, std::move(transport),
                                        std::move(cpus));
  }
  const auto gpus = static_cast<int>(std::ranges::count_if(work.plan.devices, [&](const DevicePlan& device) {
    return work.frame.class_of(device).kind == work.machine.platform.device.kind;
  }));
  if (gpus == std::ssize(work.plan.devices))
    return make_gpu_backend(work, host, place, run, {.cores = cores}, std::move(transport));
  return std::make_unique<MixedBackend>(
      work.contraction, form, host, sharing, cores, std::move(transport),
      make_gpu_backend(work, host, place, run, {.cores = 0, .devices = gpus}, {}), gpus);
}

/// `scheduler` is there before the first message.
Transport transport_over(Messenger& messenger, const HostStore& host,
                         const std::optional<RankScheduler>& scheduler) {
  Transport transport;
  transport.send = [&](OperationId id, Rank to, const Message& message) {
    messenger.send(id, to, host.message(message.owner, message.number), scheduler->path());
  };
  transport.signal = [&](Rank to, const Signal& signal) { messenger.signal(to, signal); };
  return transport;
}

/// Throws InputError where MPI cannot receive in memory of these GPUs.
void require_device_messages(const Gpus& gpus) {
  if (gpus.memory_is_host() || mpi_takes_device_memory()) return;
  throw input_error(
      "messages",
      fmt::format("\"device\", and an MPI that sends none from memory of GPUs: {}", mpi_version_line()),
      "an MPI that was built for CUDA", "plan with platform.messages=host");
}

/// Memory of the rank's devices for what it receives, by device.
using MessagePools = std::vector<std::unique_ptr<MemoryPool>>;

/// A hole may be missing: then a message comes to `host`, from which copies are slower.
MessagePools message_pools(RankBackend& backend, std::int64_t bytes, std::pmr::memory_resource* host) {
  auto& gpus = dynamic_cast<GpuBackend&>(backend);  // the verifier refuses cores beside them
  MessagePools pools;
  const std::int64_t rounded = Arena::rounded(bytes);
  for (std::byte* const memory : gpus.take_for_messages(rounded))
    pools.push_back(std::make_unique<MemoryPool>(memory, rounded, host));
  return pools;
}

Messenger::MemoryFor memory_for_messages(const MessagePools& pools, std::pmr::memory_resource* host) {
  return [&pools, host](const Transfer& transfer, Rank owner, int number) -> std::pmr::memory_resource* {
    if (transfer.kind != TransferKind::broadcast) return host;
    return pools[landing_device(owner, number, pools.size())].get();
  };
}

/// Of all ranks together. Collective where the others have GPUs too.
void note_gpus(const RankBackend& backend, std::int64_t refused_bytes, const MessagePools& pools,
               MPI_Comm communicator, RunResult& result) {
  const auto* const mixed = dynamic_cast<const MixedBackend*>(&backend);
  const auto* const gpu = mixed ? &mixed->gpus() : dynamic_cast<const GpuBackend*>(&backend);
  if (!gpu) return;
  const auto* const pool = dynamic_cast<const PinnedPool*>(result.memory.get());
  std::int64_t on_host = 0;
  for (const auto& of_device : pools) on_host += of_device->overflow_bytes();
  std::array<std::int64_t, 4> sums{gpu->compactions(), gpu->compacted_bytes(),
                                   (pool ? pool->overflow_bytes() : 0) + refused_bytes, on_host};
  all_reduce(std::span(sums), MPI_SUM, communicator, "notes");
  result.gpu = {sums[0], sums[1], sums[2], sums[3]};
}

RunResult run_part(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction,
                   const Machine& machine, MPI_Comm communicator, const RunOptions& options) {
  require_runnable(contraction);
  const Rank rank = rank_in(communicator);
  const Work work{frame, plan, contraction, machine, rank};
  const SchedulerOptions scheduling = scheduling_of(frame, plan, contraction, machine, rank, options);
  MessagePools pools;  // goes after all messages
  RunResult result;
  const RankOnNode place = place_on_node(communicator);
  // What fails on one rank now, in a caller's numbers or for want of memory, ends the run on all.
  agree(communicator, [&] {
    if (scheduling.messages_on_devices) require_device_messages(*options.gpus);
    if (options.gpus) options.gpus->use_for_host(first_device(machine, place) % options.gpus->count());
    result.memory = host_memory(options);
    const double begun_s = MPI_Wtime();
    result.host = std::make_unique<HostStore>(
        contraction, frame, plan, rank,
        HostStoreOptions{scheduling.core_slots, result.memory.get(), options.storage, options.gpus != nullptr,
                         options.tasks});
    result.fill_s = MPI_Wtime() - begun_s;
  });
  Messenger messenger(communicator, contraction, result.memory.get());
  std::optional<RankScheduler> scheduler;
  std::unique_ptr<RankBackend> backend;
  std::optional<RegisteredMemory> registered;  // goes after the back end, which waits for its copies
  agree(communicator, [&] {
    if (options.gpus && options.storage && !frame.flows())
      registered.emplace(*options.gpus, callers_tiles(contraction, frame, plan, rank, *options.storage));
    backend = make_backend(work, *result.host, scheduling.core_slots, place, options,
                           transport_over(messenger, *result.host, scheduler));
    if (!scheduling.messages_on_devices) return;
    pools = message_pools(*backend, frame.device_message_bytes, result.memory.get());
    messenger.receive_in(memory_for_messages(pools, result.memory.get()));
  });
  scheduler.emplace(frame, plan, contraction, rank, *backend, scheduling, options.trace);

  if (options.finished) {
    backend->on_finished([&](TileId tile) {
      const std::int64_t rows = extents_of(contraction, {Matrix::c, tile}).rows;
      options.finished->finished(tile, result.host->c.at(tile).view(rows));
    });
  }

  quiet_barrier(communicator);
  backend->start_clock();
  const double begun_s = thread_seconds();
  scheduler->start();
  progress_loop(*scheduler, *backend, messenger, *result.host, rank);
  result.progress_s = thread_seconds() - begun_s;
  result.statistics = scheduler->statistics();
  result.assignment = scheduler->assignment();
  if (options.finished) options.finished->all_heard();
  if (!pools.empty()) result.host->drop_received();
  result.host->deliver_c();
  quiet_barrier(communicator);
  note_gpus(*backend, registered ? registered->refused_bytes() : 0, pools, communicator, result);
  result.wall_s = all_reduced(result.statistics.finish_s, MPI_MAX, communicator, "end of the run");
  return result;
}

}  // namespace

RunResult run(const Plan& plan, const Contraction& contraction, const Machine& machine, MPI_Comm communicator,
              const RunOptions& options) {
  const Rank rank = rank_in(communicator);
  const RankPlan without_work{std::vector<DevicePlan>(static_cast<std::size_t>(machine.devices_per_rank)),
                              {}};
  return run_part(plan, rank < plan.grid.size() ? plan.ranks[rank] : without_work, contraction, machine,
                  communicator, options);
}

}  // namespace foretile
