// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/simulated_rank.hpp"

#include <algorithm>
#include <utility>

#include "platforms/cost/addition.hpp"
#include "platforms/cost/message.hpp"
#include "platforms/cost/team.hpp"
#include "scheduler/polling.hpp"
#include "simulator/noise.hpp"

namespace foretile {

SimulatedRank::SimulatedRank(Rank rank, const PlanFrame& frame, const RankPlan& plan, const Machine& machine,
                             Engine& engine, const MachineLinks& links, const Contraction& contraction,
                             const TileOrigins& origins, std::vector<std::unique_ptr<SimulatedRank>>& all,
                             std::uint64_t noise_seed)
    : rank_(rank),
      frame_(frame),
      plan_(plan),
      machine_(machine),
      engine_(engine),
      links_(links),
      problem_(contraction),
      origins_(origins),
      generation_(machine, contraction.sources.b == Source::in_file),
      managers_block_(machine.platform.runtime.unpinned.any()),
      all_(all),
      manager_free_at_(plan.devices.size(), 0.0),
      maker_free_at_(plan.devices.size(), 0.0),
      tile_overhead_s_(plan.devices.size(), 0.0),
      random_(counter_bits(noise_seed, static_cast<std::uint64_t>(rank))) {
  const Noise& noise = machine.platform.noise;
  const auto node = static_cast<std::uint64_t>(machine.node_of(rank));
  for (std::size_t device = 0; device < plan.devices.size(); ++device) {
    // Cores beside GPUs, or in their place, are numbered behind all GPUs.
    const bool like_platform = frame.class_of(plan.devices[device]).kind == machine.platform.device.kind;
    const auto number =
        static_cast<std::uint64_t>(like_platform ? rank * machine.devices_per_rank + static_cast<int>(device)
                                                 : machine.devices() + rank);
    const double speed = like_platform ? machine.speed_of(rank, Device::of(device)) : 1;
    kernel_factors_.push_back(1 / speed * lasting_factor(noise.device, noise_seed, Noisy::device, number) *
                              lasting_factor(noise.node, noise_seed, Noisy::node, node) *
                              lasting_factor(noise.model, noise_seed, Noisy::model, 0));
  }
  if (machine.platform.device.cache.bytes == 0) return;
  // Devices that take turns on a core share its cache.
  const double cores = machine.platform.cores_per_node();
  const double devices = 1.0 * std::min(machine.ranks_per_node, machine.ranks) * machine.devices_per_rank;
  for (std::size_t device = 0; device < plan.devices.size(); ++device)
    caches_.emplace_back(machine.platform.device.cache, std::min(1.0, cores / devices));
}

double SimulatedRank::noise(double deviation) {
  return noise_factor(deviation, random_);
}

Activity& SimulatedRank::activity(OperationId id, Activity::Kind kind) {
  while (activities_.size() <= id) activities_.emplace_back();
  Activity& a = activities_[id];
  a.kind = kind;
  a.rank = this;
  a.id = id;
  a.key = {rank_, EventKey::Kind::operation, id};
  a.start_s = now();
  a.software_s = 0;
  a.alone_s = 0;
  a.blocked_s = 0;
  return a;
}

void SimulatedRank::after(Activity& activity, double seconds) {
  engine_.after(seconds, activity.key, end_of(activity));
}

Engine::Event SimulatedRank::end_of(Activity& activity) const {
  return [&activity] { activity.rank->ended(activity); };
}

void SimulatedRank::fifo(Activity& activity, double& free_at, double seconds) {
  free_at = std::max(now(), free_at) + seconds;
  after(activity, free_at - now());
}

void SimulatedRank::on_cores(Activity& activity, double seconds) {
  on_cores(activity, seconds, machine_.platform.solo_speedup);
}

void SimulatedRank::on_cores(Activity& activity, double seconds, double most_cores) {
  engine_.execute(rank_, seconds, most_cores, activity.key, end_of(activity));
}

/// The bytes flow when the latency is over.
void SimulatedRank::transfer(Activity& activity, const Route& route, std::int64_t bytes) {
  const auto noisy =
      static_cast<std::uint64_t>(static_cast<double>(bytes) * noise(machine_.platform.noise.link));
  activity.alone_s = route.seconds_alone(noisy);
  const auto start = [this, &activity, route, noisy] {
    engine_.transfer(route, noisy, activity.key, end_of(activity));
  };
  if (route.latency_s > 0) {
    engine_.after(route.latency_s, activity.key, start);
  } else {
    start();
  }
}

ProductSize SimulatedRank::size_of(const Product& x) const {
  return {problem_.m.size(x.i), problem_.n.size(x.j), problem_.k.size(x.k)};
}

/// The progress loop's, for each operation of a core.
double SimulatedRank::operation_s() const {
  return on_cores_alone() ? machine_.platform.runtime.operation_overhead_s : 0;
}

/// The progress loop's, each time that it wakes up.
double SimulatedRank::poll_s() const {
  return on_cores_alone() ? machine_.platform.runtime.look_overhead_s : 0;
}

/// Products of the plan's batch one launch after the other, in the order given: a group may hold many.
KernelTime SimulatedRank::kernel_time(Device device, std::span<const Product> products) {
  const DeviceClass& of = frame_.class_of(plan_.devices[static_cast<std::size_t>(device)]);
  KernelTime time;
  if (of.kind != machine_.platform.device.kind) {
    // Each core has its part of each product, and none waits for another until all have ended.
    for (const Product& x : products)
      time += product_time(machine_.platform.core, problem_.element(), largest_part(size_of(x), of.cores), 0);
    return time;
  }
  if (!caches_.empty()) return core_time(device, products);
  while (!products.empty()) {
    const std::size_t taken = std::min(products.size(), static_cast<std::size_t>(frame_.batch));
    add_batch(time, products.first(taken));
    products = products.subspan(taken);
    time.launch_s += hand_over_s(machine_);
  }
  return time;
}

/// Products on a core that keeps tiles in its cache.
KernelTime SimulatedRank::core_time(Device device, std::span<const Product> products) {
  CoreCache& cache = caches_[static_cast<std::size_t>(device)];
  KernelTime time;
  for (const Product& x : products) {
    const std::int64_t a = problem_.a_bytes(x.a), b = problem_.b_bytes(x.b), c = problem_.c_bytes(x.c);
    const auto missed = [&](TileRef tile, std::int64_t bytes) {
      return (1 - cache.use(tile, bytes)) * static_cast<double>(bytes);
    };
    const ProductBytes from_memory{missed({Matrix::a, x.a}, a), missed({Matrix::b, x.b}, b),
                                   missed({Matrix::c, x.c}, c)};
    const ProductBytes all{static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)};
    KernelTime one = product_time(machine_.platform.device, problem_.element(), size_of(x),
                                  cached_share(all, from_memory));
    one.launch_s += hand_over_s(machine_);
    time += one;
  }
  return time;
}

/// A launch cannot have two products for the same tile of C: they follow in another one.
void SimulatedRank::add_batch(KernelTime& time, std::span<const Product> products) {
  const auto add = [&](std::span<const ProductSize> launch) {
    time += launch_time(machine_.platform.device, problem_.element(), launch);
  };
  if (products.size() == 1) {
    const ProductSize one = size_of(products.front());
    add({&one, 1});
    return;
  }
  waves_.clear();
  for (const Product& x : products) waves_.add(x.c_slot, size_of(x));
  for (const std::vector<ProductSize>& wave : waves_.all()) add(wave);
}

void SimulatedRank::start_kernel(OperationId id, Device device, std::span<const Product> products) {
  KernelTime time = kernel_time(device, products);
  time.launch_s += operation_s();
  time.launch_s += std::exchange(tile_overhead_s_[device], 0.0);
  if (time.launch_s + time.work_s > kAlwaysNoticed_s) time.launch_s += poll_s();
  const double factor =
      noise(machine_.platform.noise.kernel) * kernel_factors_[static_cast<std::size_t>(device)];
  Activity& a = activity(id, Activity::Kind::plain);
  a.software_s = factor * time.launch_s;
  a.alone_s = factor * time.work_s;
  if (on_cores_alone()) {
    on_cores(a, a.software_s + a.alone_s);
  } else {
    after(a, a.software_s + a.alone_s);
  }
}

/// A core is busy until it has read, and those of a node get the file's bytes one after the other.
void SimulatedRank::start_reading(OperationId id, std::int64_t bytes) {
  Activity& a = activity(id, Activity::Kind::plain);
  a.software_s = operation_s();
  const double noisy = noise(machine_.platform.noise.link) * static_cast<double>(bytes);
  const double passing_s = generation_.file_s(noisy);
  a.alone_s = generation_.core_s(noisy);
  double& free_at = all_[static_cast<std::size_t>(machine_.node_of(rank_)) *
                         static_cast<std::size_t>(machine_.ranks_per_node)]
                        ->file_free_at_;
  free_at = std::max(now(), free_at) + passing_s;
  after(a, std::max(free_at - now(), a.alone_s) + a.software_s);
}

void SimulatedRank::start_generate(OperationId id, std::span<const GeneratedPart> parts) {
  std::int64_t bytes = 0;
  for (const GeneratedPart& part : parts) bytes += part.elements * problem_.element_bytes();
  if (problem_.sources.b == Source::in_file) return start_reading(id, bytes);
  on_a_core(id, generation_.core_s(noise(machine_.platform.noise.kernel) * static_cast<double>(bytes)),
            static_cast<double>(parts.size()) * hand_over_s(machine_));
}

void SimulatedRank::start_combine(OperationId id, const Combine& combine) {
  std::int64_t bytes = 0;
  for (const TileId tile : combine.tiles) bytes += problem_.c_bytes(tile);
  on_a_core(id, addition_seconds(machine_.platform, bytes));
}

void SimulatedRank::start_task(OperationId id, std::int32_t, const FlowTask& task, int cores) {
  const TaskWork work = work_of(frame_, problem_, task);
  const double generated_s = work.generated_bytes > 0
                                 ? generation_.core_s(noise(machine_.platform.noise.kernel) *
                                                      static_cast<double>(work.generated_bytes))
                                 : 0;
  on_a_core(id, generated_s + block_seconds(machine_.platform, work.bytes, work.permutes) / cores);
}

void SimulatedRank::on_a_core(OperationId id, double seconds, double handed_over_s) {
  Activity& a = activity(id, Activity::Kind::plain);
  a.software_s = handed_over_s + operation_s();
  a.alone_s = seconds;
  if (on_cores_alone()) {
    on_cores(a, a.software_s + a.alone_s);
  } else {
    after(a, a.alone_s);
  }
}

/// On the device, one launch after the other. Products beside it lose nothing here.
void SimulatedRank::start_making(OperationId id, const Copy& copy) {
  const Platform& p = machine_.platform;
  const double work = generation_.device_s(static_cast<double>(copy.bytes));
  Activity& a = activity(id, Activity::Kind::plain);
  a.software_s = p.device.kernel.start_seconds();
  a.alone_s = noise(p.noise.kernel) * work;
  fifo(a, maker_free_at_[copy.to], a.software_s + a.alone_s);
}

CopyCost SimulatedRank::cost_of(const Copy& copy) const {
  const Platform& p = machine_.platform;
  CopyCost cost;
  for (const TileRef tile : copy.tiles) {
    const std::int64_t bytes = bytes_of(problem_, tile);
    cost += copy.from == kHost ? copy_in_cost(p, origins_.of(rank_, tile), bytes)
                               : other_copy_cost(p.runtime, bytes);
  }
  return cost;
}

/// The manager takes its copies one after the other, and one from unpinned memory keeps it until its end.
/// Products do not wait for it: RR-9365 (4, 5.2) has transfers "in parallel of task executions".
void SimulatedRank::start_copy(OperationId id, const Copy& copy) {
  if (copy.from == kGenerated) {
    start_making(id, copy);
    return;
  }
  const MemoryPlace device = copy.to == kHost ? copy.from : copy.to;
  double& manager_free_at = manager_free_at_[device];
  const CopyCost cost = cost_of(copy);
  if (frame_.class_of(plan_.devices[device]).in_host_memory()) {  // C is there already
    Activity& a = activity(id, Activity::Kind::plain);
    fifo(a, manager_free_at, cost.software_s);
    a.software_s = manager_free_at - now();
    return;
  }
  Activity& a = activity(id, Activity::Kind::copy_overhead);
  a.route = links_.copy(rank_, copy);
  a.bytes = cost.linked_bytes;
  a.software_s = cost.software_s;
  a.blocked_s = noise(machine_.platform.noise.link) * cost.blocked_s;
  if (cost.manager_s() > 0 || manager_free_at > now()) {
    fifo(a, manager_free_at, a.software_s + a.blocked_s);
  } else {
    begin_copy(a);
  }
}

void SimulatedRank::begin_copy(Activity& a) {
  a.kind = Activity::Kind::plain;
  // Behind blocking copies most of the queueing is for copies, not for software.
  if (!managers_block_) a.software_s = now() - a.start_s;
  if (a.bytes > 0) {
    transfer(a, a.route, a.bytes);
  } else {
    a.alone_s = a.route.latency_s;
    after(a, a.route.latency_s);
  }
  a.alone_s += a.blocked_s;
}

/// The progress loop's own copying beside the products; nothing waits for it but who shares the cores.
void SimulatedRank::copy_on_cores(std::int64_t bytes) {
  const Platform& p = machine_.platform;
  if (!on_cores_alone() || p.runtime.message_copy_bytes_per_s <= 0) return;
  Activity& a = free_slot();
  a.kind = Activity::Kind::background;
  a.rank = this;
  on_cores(a, static_cast<double>(bytes) / p.runtime.message_copy_bytes_per_s);
}

/// In pieces, because the last message's time is not known yet; they grow with the time, so that there
/// are few.
void SimulatedRank::poll() {
  constexpr double kLeastPiece_s = 1e-3;
  constexpr double kPartOfTime = 0.1;
  constexpr double kNever_s = 1e9;  // a rank that waits so long waits for ever: let the simulation end
  const double share = std::min(1.0, poll_s() / kLongestPollInterval_s);
  if (share <= 0 || now() > kNever_s || !scheduler_->expects_messages()) return;
  Activity& a = free_slot();
  a.kind = Activity::Kind::polling;
  a.rank = this;
  on_cores(a, share * std::max(kLeastPiece_s, kPartOfTime * now()), share);
}

void SimulatedRank::begin_message(Activity& a) {
  copy_on_cores(a.message.bytes);
  a.kind = Activity::Kind::message;
  a.software_s = now() - a.start_s;
  transfer(a, route_of(a.message, a.to_rank), a.message.bytes);
}

/// Own tiles leave from host memory, others from where they came to.
Route SimulatedRank::route_of(const Message& message, Rank to_rank) const {
  if (!frame_.messages_on_devices() || message.transfer->kind != TransferKind::broadcast)
    return links_.message(rank_, to_rank);
  const auto place = [&](const SimulatedRank& rank) -> MemoryPlace {
    return landing_device(message.owner, message.number, rank.plan_.devices.size());
  };
  return links_.message(rank_, to_rank, message.owner == rank_ ? kHost : place(*this), place(*all_[to_rank]));
}

void SimulatedRank::start_send(OperationId id, Rank to_rank, const Message& message) {
  Activity& a = activity(id, Activity::Kind::send_overhead);
  a.message = message;
  a.to_rank = to_rank;
  const double overhead = message_software_s(machine_.platform, message.transfer->tiles.size());
  if (overhead > 0) {
    fifo(a, messenger_free_at_, overhead);
  } else {
    begin_message(a);
  }
}

/// A few bytes: only latency.
void SimulatedRank::send_signal(Rank to_rank, Signal signal) {
  SimulatedRank& receiver = *all_[to_rank];
  const double latency_s = links_.message(rank_, to_rank).latency_s;
  // What the path does not explain yet is the time since the operation that ended last.
  signal.path = signal.path.plus(Cause::wait, Part::work, std::max(0.0, now() - signal.path.total()))
                    .plus(PathOperation{Cause::network, latency_s, 0});
  engine_.after(latency_s, {to_rank, EventKey::Kind::signal, receiver.signals_++}, [&receiver, signal] {
    receiver.arrives([&receiver, signal = signal]() mutable {
      signal.path = receiver.seen_now(signal.path);
      receiver.scheduler_->signalled(signal);
    });
  });
}

/// Idle cores let it poll all the time.
bool SimulatedRank::loop_sleeps() const {
  return on_cores_alone() && machine_.platform.runtime.polling_delay_s > 0 && !scheduler_->cores_idle();
}

/// One poll sees all that is there, so the first that waits sets the timer.
void SimulatedRank::arrives(std::function<void()> see) {
  if (!loop_sleeps()) {
    see();
    return;
  }
  const double delay_s = machine_.platform.runtime.polling_delay_s;
  unseen_.push_back({now() + delay_s, std::move(see)});
  if (unseen_.size() > 1) return;
  engine_.after(delay_s, {rank_, EventKey::Kind::signal, signals_++}, [this] {
    constexpr double kRounding_s = 1e-9;
    if (!unseen_.empty() && unseen_.front().seen_at_s <= now() + kRounding_s) poll_once();
  });
}

void SimulatedRank::poll_once() {
  for (const Arrival& arrival : std::exchange(unseen_, {})) arrival.see();
}

/// With the time since its arrival.
Path SimulatedRank::seen_now(const Path& path) const {
  const double waited_s = now() - path.total();
  return waited_s > 0 ? path.plus(Cause::network, Part::software, waited_s) : path;
}

/// What neither software nor the operation alone explains is time in which others had the resource too. A
/// core whose neighbours were idle took less than both.
OperationTime SimulatedRank::time_of(const Activity& a) const {
  const double took = now() - a.start_s;
  const double expected = a.software_s + a.alone_s;
  if (took >= expected) return {a.software_s, took - expected};
  return {a.software_s * took / expected, 0};
}

void SimulatedRank::ended(Activity& a) {
  switch (a.kind) {
    case Activity::Kind::plain: {
      const bool wakes_loop = now() - a.start_s > kAlwaysNoticed_s;
      scheduler_->done(a.id, time_of(a));  // `a` may be in use again from here on
      if (wakes_loop || !loop_sleeps()) poll_once();
      break;
    }
    case Activity::Kind::copy_overhead:
      begin_copy(a);
      break;
    case Activity::Kind::send_overhead:
      begin_message(a);
      break;
    case Activity::Kind::message:
      deliver(a);
      break;
    case Activity::Kind::receive_overhead: {
      const Message message = a.message;
      const double seconds = now() - a.path.total();
      const Path path = a.path.plus(Cause::network, Part::software, seconds);
      a.rank = nullptr;  // free
      scheduler_->received(message, path);
      break;
    }
    case Activity::Kind::background:
      a.rank = nullptr;  // free
      break;
    case Activity::Kind::polling:
      a.rank = nullptr;
      poll();
      break;
  }
}

void SimulatedRank::deliver(const Activity& a) {
  SimulatedRank& receiver = *all_[a.to_rank];
  const Message message = a.message;
  scheduler_->done(a.id, time_of(a));  // `a` may be in use again from here on
  receiver.arrives([&receiver, message, path = scheduler_->path()] {
    receiver.receive(message, receiver.seen_now(path));
  });
}

Activity& SimulatedRank::free_slot() {
  const auto slot = std::find_if(unnumbered_.begin(), unnumbered_.end(),
                                 [](const Activity& a) { return a.rank == nullptr; });
  const auto number = static_cast<std::uint64_t>(slot - unnumbered_.begin());
  Activity& free = slot == unnumbered_.end() ? unnumbered_.emplace_back() : *slot;
  free.key = {rank_, EventKey::Kind::other, number};
  return free;
}

void SimulatedRank::receive(const Message& message, const Path& path) {
  copy_on_cores(message.bytes);
  const double overhead = message_software_s(machine_.platform, message.transfer->tiles.size());
  if (overhead <= 0) {
    scheduler_->received(message, path);
    return;
  }
  Activity& slot = free_slot();
  slot.kind = Activity::Kind::receive_overhead;
  slot.rank = this;
  slot.message = message;
  slot.path = path;
  fifo(slot, messenger_free_at_, overhead);
}

}  // namespace foretile
