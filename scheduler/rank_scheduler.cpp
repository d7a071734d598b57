// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/rank_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/error.hpp"
#include "scheduler/device_queue.hpp"

namespace foretile {

namespace {

/// For each of the first 64 devices those on the same socket, as bits.
std::vector<std::uint64_t> near_devices(const SchedulerOptions& options, std::size_t devices) {
  std::vector<std::uint64_t> near(devices, 0);
  const std::size_t known = std::min(devices, TileStates::kMostDevices);
  for (std::size_t d = 0; d < known; ++d) {
    for (std::size_t other = 0; other < known; ++other) {
      if (options.traits(other).socket == options.traits(d).socket) near[d] |= 1ULL << other;
    }
  }
  return near;
}

}  // namespace

RankScheduler::RankScheduler(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction,
                             Rank rank, Backend& backend, SchedulerOptions options, TraceSink* sink)
    : frame_(frame),
      problem_(contraction),
      rank_(rank),
      origins_(contraction, frame),
      backend_(backend),
      options_(std::move(options)),
      operations_(backend, rank, options_, sink),
      cores_{.slots = options_.core_slots},
      generation_(frame, contraction, backend, operations_, cores_, options_),
      c_tiles_(frame, contraction, options_, backend, operations_),
      tiles_(plan.devices.size()),
      near_(near_devices(options_, plan.devices.size())),
      pool_(frame, plan, contraction, options_.in_plan_order),
      awake_(plan.devices.size(), true),
      sums_(frame, plan, contraction, rank, backend, operations_, cores_, send_queue_,
            [this](TileId c) { finished(c); }),
      flow_(
          frame, plan, contraction, rank, backend, operations_, cores_, send_queue_,
          [this](TileRef tile) { is_here(tile); },
          std::ranges::any_of(options_.devices, [](const DeviceTraits& device) { return device.cores > 0; })),
      host_(
          contraction, frame, rank,
          [&backend](Rank owner, int number) { backend.release_message(owner, number); },
          [this](TileRef tile) { return flow_.waits_for(tile); }),
      barrier_(frame.flows() ? Barriers::global : frame.barriers, rank, frame.grid.size(),
               [this](Rank to, Signal signal) {
                 signal.path = operations_.path();
                 backend_.send_signal(to, signal);
               }) {
  queues_.reserve(plan.devices.size());
  for (std::size_t d = 0; d < plan.devices.size(); ++d) add_device(plan.devices[d]);
  for (const Transfer& broadcast : plan.transfers) {
    std::int64_t bytes = 0;
    for (const TileId tile : broadcast.tiles) bytes += bytes_of(contraction, {broadcast.matrix, tile});
    own_.push_back(std::make_shared<Transfer>(broadcast));
    flow_.send_when_made({own_.back(), rank, static_cast<int>(own_.size()) - 1, 0, bytes});
  }
}

void RankScheduler::add_device(const DevicePlan& plan) {
  const std::size_t device = queues_.size();
  const DeviceTraits traits = options_.traits(device);
  if (!traits.in_host_memory) ++own_memories_;
  if (device > 0 && (traits.cores > 0) != (queues_.back().traits.cores > 0)) cores_beside_gpus_ = true;
  if (!traits.in_host_memory && device >= TileStates::kMostDevices) {
    throw input_error("plan", fmt::format("device {} of a rank has memory of its own", device),
                      fmt::format("such devices among the first {} only", TileStates::kMostDevices),
                      "raise ranks_per_node");
  }
  const auto evicted = [this, device](TileRef tile) { backend_.release(Device::of(device), tile); };
  queues_.emplace_back(problem_, pool_, Device::of(device), frame_.operands.b.on_device, traits,
                       DeviceMemory(tiles_, device, frame_.memory_of(plan), evicted));
}

void RankScheduler::start() {
  flow_.start();
  step_ended();
  advance();
}

void RankScheduler::advance() {
  sums_.advance();  // before all else: additions free memory
  advance_flow();   // others wait for what tasks make
  cores_.awaited = false;
  do {
    if (options_.in_plan_order) wake_all();
    advance_fronts();
    for (Device d = 0; d < std::ssize(queues_); ++d) {
      if (awake_[d]) advance_device(d);
    }
  } while (options_.in_plan_order && advance_fronts());
  if (frame_.barriers == Barriers::none) {
    generation_.advance(queues_);
  } else {
    generation_.advance(queues_, std::int64_t{barrier_.first_open()} + frame_.lookahead);
  }
  advance_flow();  // blocks may have ended
  advance_sends();
}

void RankScheduler::advance_flow() {
  if (!frame_.flows()) return;
  step_ended();
  flow_.advance(barrier_.first_open());
}

/// Each step can give work to those behind it, and loads that reach the next block to the placing of its C.
void RankScheduler::advance_device(Device device) {
  DeviceQueue& queue = queues_[device];
  const std::size_t loading_before = queue.loading.chunk;
  c_tiles_.advance_stores(queue, device);
  c_tiles_.place(queue, device, first_open_step_);
  const bool loads_depend_on_others = advance_loads(device);
  if (frame_.store == Store::lru) c_tiles_.advance_stores(queue, device);  // for what found no room
  const bool products_wait_for_cores = advance_kernels(device);
  awake_[device] = loads_depend_on_others || products_wait_for_cores || queue.loading.chunk != loading_before;
}

// ---- loads ----

bool RankScheduler::streams(TileRef tile) const {
  return tile.matrix == Matrix::a || frame_.operands.b.streams();
}

/// Other devices may load the tile from this one, and this one from others.
bool RankScheduler::shared(const DeviceQueue& queue, TileRef tile) const {
  return streams(tile) && !queue.traits.in_host_memory && !options_.in_plan_order && own_memories_ > 1;
}

TileSlot RankScheduler::slot_of(Item& item) {
  return item.slot = tiles_.slot(item.tile, item.bytes);
}

/// Control edges: chunk z + 1 + lookahead after chunk z, step after step, and where B stays, block after
/// block with C in its place first.
bool RankScheduler::may_load(DeviceQueue& queue) {
  if (!queue.chunks_left()) return false;
  // First, so that a block is not taken from the pool before it can be loaded.
  if (queue.next_chunk(queue.loading) - queue.front() > static_cast<std::size_t>(frame_.lookahead))
    return false;
  if (!queue.item(queue.loading)) return false;
  const ChunkWork& loading = *queue.chunk(queue.loading.chunk);
  if (frame_.barriers != Barriers::none && loading.step - frame_.lookahead > barrier_.first_open())
    return false;
  if (frame_.operands.b.streams() && !options_.in_plan_order) return !frame_.flows() || may_enter(queue);
  const BlockWork& block = *queue.chunk(queue.front())->block;
  if (frame_.operands.b.streams()) return block.c_placed == block.c.size();
  return loading.block.get() == &block && block.c_placed == block.c.size();
}

/// Where tiles flow, but not in plan order, blocks come in any order, and each was proven to fit alone: what
/// is loaded of the next one must leave room for all of the one behind it, whose C comes later. So loads
/// enter the next block alone, and only with C of the front block in its place.
bool RankScheduler::may_enter(DeviceQueue& queue) const {
  const auto* const front = queue.chunk(queue.front())->block.get();
  const auto* const loading = queue.chunk(queue.loading.chunk)->block.get();
  if (loading == front) return true;
  for (std::size_t chunk = queue.front(); chunk < queue.loading.chunk; ++chunk) {
    const auto* const between = queue.chunk(chunk)->block.get();
    if (between != front && between != loading) return false;
  }
  return front->c_placed == front->c.size();
}

CopyCost RankScheduler::cost_of(MemoryPlace from, const Item& item) const {
  const CopyCosts& costs = options_.copies;
  if (from != kHost) return other_copy_cost(costs.runtime, item.bytes);
  return copy_in_cost(costs.runtime, costs.host, origins_.of(rank_, item.tile), item.bytes);
}

CopyCost RankScheduler::cost_of(MemoryPlace from, std::span<Item* const> items) const {
  CopyCost sum;
  for (const Item* item : items) sum += cost_of(from, *item);
  return sum;
}

MemoryPlace RankScheduler::place_of(TileRef tile) const {
  return options_.messages_on_devices && streams(tile) ? host_.place_of(tile) : kHost;
}

/// Nothing: another device is loading the tile, and a copy from there will arrive no later than one from the
/// host, which would travel behind the tiles of `ahead`, a copy that has not started.
std::optional<MemoryPlace> RankScheduler::source_of(Device device, const Item& item,
                                                    std::span<Item* const> ahead) const {
  const DeviceQueue& queue = queues_[device];
  if (!streams(item.tile) && queue.traits.generates_tiles) return kGenerated;
  if (!shared(queue, item.tile)) return place_of(item.tile);
  const auto source = tiles_.source(item.slot, device, near_[device]);
  if (source) return *source == kHost ? place_of(item.tile) : *source;
  // It is near: it came to a device of the rank.
  if (const MemoryPlace place = place_of(item.tile); place != kHost) return place;
  const CopyEstimate& copies = queue.copies;
  const double now_s = backend_.now();
  const CopyCost from_peer = other_copy_cost(options_.copies.runtime, item.bytes);
  const double waiting_s =
      copies.arrival_s(options_.copies.peer, false, from_peer, std::max(now_s, tiles_.expected_s(item.slot)));
  CopyCost from_host = cost_of(kHost, ahead);
  from_host += cost_of(kHost, item);
  const double from_host_s = copies.arrival_s(options_.copies.host, true, from_host, now_s);
  constexpr double kRounding =
      1 - 1e-9;  // of two equal arrivals the peer's, which leaves the host's link free
  if (from_host_s < kRounding * waiting_s) return kHost;
  return std::nullopt;
}

/// Whether the tile is in host memory. Only then is it taken from a device, too: it may have been kept there
/// while it is sent again, and its step must not end before that message came, or more would be in host
/// memory than was proven.
bool RankScheduler::ready(const DeviceQueue& queue, const Item& item) const {
  if (streams(item.tile)) return host_.holds(item.tile);
  return queue.traits.generates_tiles || item.state == ItemState::staged;
}

bool RankScheduler::reserve(DeviceQueue& queue, Device device, Item& item) {
  if (streams(item.tile)) {
    if (!queue.memory.reserve(item.slot)) return false;
  } else {
    if (!queue.memory.take(item.bytes)) return false;
    queue.chunk(queue.front())->block->b_on_device.push_back(item.tile);
  }
  if (queue.traits.in_host_memory) {
    backend_.adopt(device, item.tile);
  } else {
    backend_.allocate(device, item.tile);
  }
  return true;
}

void RankScheduler::arrived(Device device, Item& item) {
  DeviceQueue& queue = queues_[device];
  item.state = ItemState::arrived;
  if (item.tile.matrix == Matrix::c) return;
  if (streams(item.tile)) {
    if (shared(queue, item.tile)) tiles_.load_ended(item.slot, device);
    return;
  }
  if (queue.traits.generates_tiles) return;
  generation_.left(queue, item);
  if (!queue.traits.in_host_memory) backend_.release_host(item.tile);
}

/// Starts one copy of neighbouring items from `from`; false when nothing could be started.
bool RankScheduler::load_batch(DeviceQueue& queue, Device device, MemoryPlace from) {
  if (loads_in_flight(queue, from) >= options_.copy_slots) return false;
  Copy& copy = copy_;
  copy.from = from;
  copy.to = device;
  copy.bytes = 0;
  copy.tiles.clear();
  items_.clear();
  const std::int64_t most_bytes = options_.most_copy_bytes(frame_);
  while (copy.tiles.empty() || may_load(queue)) {
    Item& item = *queue.item(queue.loading);
    if (streams(item.tile) && queue.memory.holds(slot_of(item))) break;
    if (source_of(device, item, items_) != from || !ready(queue, item)) break;
    if (!copy.tiles.empty() && copy.bytes + item.bytes > most_bytes) break;
    if (!reserve(queue, device, item)) break;
    if (from >= 0) queues_[from].memory.pin_if_present(item.slot);
    item.state = ItemState::loading;
    copy.tiles.push_back(item.tile);
    copy.bytes += item.bytes;
    items_.push_back(&item);
    ++queue.loading.item;
  }
  if (items_.empty()) return false;
  note_load(queue, copy, items_);
  start_load(operations_, backend_, queue, copy, items_);
  return true;
}

/// Tiles that others may copy from here, and when they will be there.
void RankScheduler::note_load(DeviceQueue& queue, const Copy& copy, std::span<Item* const> items) {
  if (copy.from == kGenerated) return;
  const bool from_host = copy.from == kHost;
  const LinkModel& link = from_host ? options_.copies.host : options_.copies.peer;
  const CopyCost cost = cost_of(copy.from, items);
  const double arrival_s = queue.copies.arrival_s(link, from_host, cost, backend_.now());
  queue.copies.started(link, from_host, cost, backend_.now());
  for (const Item* item : items) {
    if (shared(queue, item->tile)) tiles_.load_started(item->slot, arrival_s);
  }
}

bool RankScheduler::advance_loads(Device device) {
  DeviceQueue& queue = queues_[device];
  while (may_load(queue)) {
    Item& item = *queue.item(queue.loading);
    if (!ready(queue, item)) return false;
    if (streams(item.tile) && queue.memory.pin_if_present(slot_of(item))) {
      ++queue.statistics.hits;
      item.state = ItemState::arrived;  // or on its way for an earlier item, which products wait for anyway
      ++queue.loading.item;
      continue;
    }
    if (!queue.traits.in_host_memory) {
      const auto from = source_of(device, item, {});
      // Other devices, and time, may show another source of a tile that devices share.
      if (!from || !load_batch(queue, device, *from)) return shared(queue, item.tile);
      continue;
    }
    if (!reserve(queue, device, item)) return false;
    if (streams(item.tile)) ++queue.statistics.host_loads;
    arrived(device, item);
    ++queue.loading.item;
  }
  return false;
}

void RankScheduler::ended(const LoadOperation& load, const TraceEvent&) {
  const Copy& copy = load.copy;
  DeviceQueue& queue = queues_[copy.to];
  awake_[copy.to] = true;
  if (copy.from >= 0) awake_[copy.from] = true;  // it has more room
  --loads_in_flight(queue, copy.from);
  if (copy.from == kGenerated) {
    statistics_.generated_tiles += std::ssize(copy.tiles);
    statistics_.generated_bytes += copy.bytes;
    for (Item* item : load.items) arrived(Device::of(copy.to), *item);
    return;
  }
  const bool from_host = copy.from == kHost;
  (from_host ? queue.statistics.h2d_bytes : queue.statistics.d2d_bytes) += copy.bytes;
  for (Item* item : load.items) {
    if (item->tile.matrix == Matrix::c) {
      ++queue.statistics.c_loads;
    } else if (streams(item->tile)) {
      ++(from_host ? queue.statistics.host_loads : queue.statistics.peer_loads);
    }
    if (copy.from >= 0) queues_[copy.from].memory.unpin(item->slot);
    arrived(Device::of(copy.to), *item);
  }
}

// ---- products ----

bool RankScheduler::advance_kernels(Device device) {
  DeviceQueue& queue = queues_[device];
  while (queue.kernels_in_flight < backend_.kernel_slots(device)) {
    // A device has its cores, however many of its products wait for them.
    const int cores = queue.kernels_in_flight == 0 ? queue.traits.cores : 0;
    if (cores > cores_.free()) {
      if (cores > 1 && queue.any_products()) cores_.awaited = true;
      return true;
    }
    // One that has cores leaves them now and then: to tasks, and if it has many to additions.
    const bool others_wait = flow_.waits_for_core() || (queue.traits.cores > 1 && sums_.waits_for_core());
    if (queue.traits.cores > 0 && cores == 0 && others_wait) return true;
    const auto products =
        queue.take_products(static_cast<std::size_t>(queue.traits.batch), options_.whole_batches);
    if (products.empty()) return false;
    const auto [id, event, kernel] = operations_.start<KernelOperation>(Cause::kernel, device);
    event.i = products.front().i;
    event.j = products.front().j;
    event.k = products.front().k;
    event.products = static_cast<std::int32_t>(products.size());
    event.device_bytes = queue.memory.used_bytes();
    kernel.chunk = queue.taken_from();
    kernel.c_slots.clear();
    kernel.flops = 0;
    for (const Product& product : products) {
      kernel.c_slots.push_back(product.c_slot);
      kernel.flops += problem_.flops(product.i, product.j, product.k);
    }
    ++queue.kernels_in_flight;
    cores_.busy += cores;
    backend_.start_kernel(id, device, products);
  }
  return false;
}

void RankScheduler::ended(const KernelOperation& kernel, const TraceEvent& event) {
  DeviceQueue& queue = queues_[event.device];
  awake_[event.device] = true;
  --queue.kernels_in_flight;
  if (queue.kernels_in_flight == 0) cores_.busy -= queue.traits.cores;
  BlockWork& block = *kernel.chunk->block;
  for (const std::int32_t slot : kernel.c_slots) {
    if (--block.c_open[slot] == 0) queue.finished_c.push_back(block.c[block.c_of[slot]]);
  }
  queue.statistics.flops += kernel.flops;
  pool_.multiplied(Device::of(event.device), kernel.flops, event.end_s);
  if (frame_.pool == Pool::open) wake_idle();
  queue.statistics.kernels += event.products;
  ++queue.statistics.launches;
  kernel.chunk->unfinished -= event.products;
}

/// What others have done may have made a block of theirs worth taking.
void RankScheduler::wake_idle() {
  for (std::size_t d = 0; d < queues_.size(); ++d) {
    if (queues_[d].idle()) awake_[d] = true;
  }
}

void RankScheduler::ended(const GenerateOperation& generated, const TraceEvent& event) {
  generation_.done(generated, event, statistics_);
  awake_[generated.device] = true;
}

void RankScheduler::ended(const StoreOperation& store, const TraceEvent&) {
  c_tiles_.store_done(queues_[store.copy.from], store.copy);
  for (const TileRef tile : store.copy.tiles) {
    if (frame_.partial_sums) {
      sums_.stored(tile.id);
    } else {
      finished(tile.id);
    }
  }
  awake_[store.copy.from] = true;
}

bool RankScheduler::front_ended(DeviceQueue& queue) {
  if (!queue.chunks_left() || queue.chunk(queue.front())->unfinished > 0) return false;
  if (!options_.in_plan_order) return true;
  // Whatever may be loaded beside this chunk was asked for.
  if (!queue.item(queue.loading)) return true;
  if (queue.loading.chunk - queue.front() > static_cast<std::size_t>(frame_.lookahead)) return true;
  const ChunkWork& loading = *queue.chunk(queue.loading.chunk);
  if (!frame_.operands.b.streams() && loading.block != queue.chunk(queue.front())->block) return true;
  // A sparse block may leave steps out, so that the barrier keeps back the next chunk until this one ended.
  return frame_.barriers != Barriers::none && loading.step - frame_.lookahead > queue.front_step();
}

bool RankScheduler::advance_fronts() {
  bool any = false;
  for (std::size_t d = 0; d < queues_.size(); ++d) {
    if (!awake_[d] && !options_.in_plan_order) continue;
    for (; front_ended(queues_[d]); any = true) finish_front(queues_[d], Device::of(d));
  }
  if (any && !frame_.flows()) step_ended();
  return any;
}

void RankScheduler::finish_front(DeviceQueue& queue, Device device) {
  ChunkWork& chunk = *queue.chunk(queue.front());
  for (const Item& item : chunk.items) {
    if (streams(item.tile)) queue.memory.unpin(item.slot);
  }
  if (chunk.last_of_block) {
    if (frame_.flows()) flow_.block_ended(chunk.step);
    for (const TileRef tile : chunk.block->b_on_device) {
      queue.memory.give_back(problem_.b_bytes(tile.id));
      backend_.release(device, tile);
    }
  }
  queue.pop_front();
  if (!queue.chunks_left()) c_tiles_.drop_stored(queue, device);
}

/// The first step that is not over on this rank.
Step RankScheduler::first_open() {
  if (frame_.flows()) return flow_.first_open();
  Step first = kEver;
  for (DeviceQueue& queue : queues_) first = std::min(first, queue.front_step());
  return first;
}

/// A step may be over on this rank: tiles that were used last in it leave, and the barriers hear of it.
void RankScheduler::step_ended() {
  if (frame_.barriers == Barriers::none && !frame_.flows()) return;
  const Step first = first_open();
  if (first == first_open_step_) return;
  wake_all();
  const Step before = std::exchange(first_open_step_, first);
  const auto forget = [this](TileRef tile) { this->forget(tile); };
  host_.ended_before(first, forget);
  const auto steps = static_cast<int>(frame_.steps.size());  // 0 where nothing flows
  for (Step step = before; step < std::min(int{first}, steps); ++step) {
    flow_.for_each_generated(step, forget);
    backend_.release_step(step);
    std::vector<double>& ends_s = statistics_.step_ends_s;
    ends_s.push_back(std::max(ends_s.empty() ? 0 : ends_s.back(), statistics_.finish_s));
  }
  barrier_.ended_before(first);
}

/// The tile leaves host memory.
void RankScheduler::forget(TileRef tile) {
  if (own_memories_ == static_cast<int>(queues_.size())) return;
  const TileSlot slot = tiles_.find(tile);
  if (slot == kNoSlot) return;
  for (DeviceQueue& queue : queues_) {
    if (queue.traits.in_host_memory) queue.memory.forget(slot);
  }
}

// ---- messages ----

void RankScheduler::advance_sends() {
  while (sending_ < options_.send_slots && !send_queue_.empty()) {
    if (frame_.barriers == Barriers::global &&
        send_queue_.next().message.transfer->step - frame_.lookahead > barrier_.first_open())
      return;
    const SendQueue::Entry entry = send_queue_.take();
    ++sending_;
    const auto [id, event, send] = operations_.start<SendOperation>(Cause::network, kHost);
    event.bytes = entry.message.bytes;
    send = {entry.message.owner, entry.message.number, entry.to_rank};
    backend_.start_send(id, entry.to_rank, entry.message);
  }
}

void RankScheduler::ended(const SendOperation& send, const TraceEvent& event) {
  --sending_;
  statistics_.sent_bytes += event.bytes;
  if (options_.node_of(send.to) != options_.node_of(rank_))
    statistics_.sent_between_nodes_bytes += event.bytes;
  const std::optional<Step> forwarded = host_.forwarded(send.owner, send.number);
  if (forwarded && frame_.flows()) flow_.forwarded(*forwarded);
  sums_.sent(send.owner, send.number);
  flow_.sent(send.owner, send.number);
}

void RankScheduler::ended(const CombineOperation& combine, const TraceEvent& event) {
  sums_.done(combine, event, statistics_);
}

void RankScheduler::ended(const TaskOperation& task, const TraceEvent& event) {
  flow_.done(task, event, statistics_);
}

/// The tile of C is on this rank.
void RankScheduler::finished(TileId c) {
  backend_.finished(c);
  if (!frame_.flows()) return;
  flow_.sum_ended(c);
  flow_.computed(c);
}

/// A tile that the rank has made. Devices may wait for it, or for a block with it.
void RankScheduler::is_here(TileRef tile) {
  pool_.is_here(tile);
  wake_all();
}

void RankScheduler::received(const Message& message, const Path& path) {
  operations_.set_path(path);
  statistics_.received_bytes += message.bytes;
  switch (message.transfer->kind) {
    case TransferKind::parts:
      sums_.received(message);
      break;
    case TransferKind::result:
      flow_.received(message);
      break;
    case TransferKind::broadcast: {
      const int forwards = send_queue_.forward(message);
      host_.received(message, forwards,
                     options_.messages_on_devices
                         ? place_received(queues_.size(), message.owner, message.number)
                         : kHost);
      if (!frame_.flows()) break;
      flow_.forwards(message.transfer->step, forwards);
      for (const TileId tile : message.transfer->tiles) pool_.is_here({message.transfer->matrix, tile});
      break;
    }
  }
  wake_all();
  advance();
}

void RankScheduler::signalled(const Signal& signal) {
  operations_.set_path(signal.path);
  barrier_.signalled(signal);
  wake_all();
  advance();
}

void RankScheduler::done(OperationId id, const OperationTime& time) {
  const Operation& operation = operations_.end(id, time);
  statistics_.finish_s = operation.event.end_s;
  statistics_.critical = operations_.path();
  std::visit([&](const auto& work) { ended(work, operation.event); }, operation.work);
  advance();
}

bool RankScheduler::finished() const {
  if (!barrier_.over() || operations_.in_flight() > 0 || !send_queue_.empty() || !sums_.finished() ||
      !flow_.finished())
    return false;
  return std::none_of(queues_.begin(), queues_.end(), [](const DeviceQueue& queue) {
    return queue.blocks_left() || !queue.finished_c.empty();
  });
}

bool RankScheduler::expects_messages() const {
  if (frame_.grid.size() == 1) return false;
  if (sending_ > 0 || !send_queue_.empty() || !barrier_.over() || sums_.expects_messages() ||
      !flow_.finished())
    return true;
  return std::any_of(queues_.begin(), queues_.end(),
                     [](const DeviceQueue& queue) { return !queue.loads_over(); });
}

const RankStatistics& RankScheduler::statistics() {
  statistics_.devices.clear();
  statistics_.send_s = operations_.busy_seconds(Cause::network, kHost);
  statistics_.combine_s = operations_.busy_seconds(Cause::combine, kHost);
  for (std::size_t d = 0; d < queues_.size(); ++d) {
    const auto busy_s = [&](Cause cause) { return operations_.busy_seconds(cause, Device::of(d)); };
    DeviceQueue& queue = queues_[d];
    queue.statistics.kernel_s = busy_s(Cause::kernel);
    queue.statistics.h2d_s = busy_s(Cause::h2d);
    queue.statistics.d2d_s = busy_s(Cause::d2d);
    queue.statistics.d2h_s = busy_s(Cause::d2h);
    queue.statistics.evictions = queue.memory.evictions();
    queue.statistics.peak_bytes = queue.memory.peak_bytes();
    statistics_.devices.push_back(queue.statistics);
  }
  return statistics_;
}

}  // namespace foretile
