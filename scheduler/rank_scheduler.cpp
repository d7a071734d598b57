#include "scheduler/rank_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "base/error.hpp"
#include "planner/owners.hpp"

namespace foretile {

RankScheduler::RankScheduler(const Plan& frame, const RankPlan& plan, const Contraction& contraction,
                             int rank, Backend& backend, SchedulerOptions options, TraceSink* sink)
    : frame_(frame),
      problem_(contraction),
      backend_(backend),
      options_(std::move(options)),
      operations_(backend, rank, sink),
      on_host_(contraction.a.nonzeros(), false) {
  if (!options_.zero_copy && plan.devices.size() > 64) {  // holders_ has a bit for each
    throw input_error("plan",
                      fmt::format("{} devices with memory of their own in one rank", plan.devices.size()),
                      "at most 64", "raise ranks_per_node");
  }
  std::vector<bool> counted(contraction.a.nonzeros(), false);
  queues_.reserve(plan.devices.size());
  for (std::size_t d = 0; d < plan.devices.size(); ++d) {
    const auto evicted = [this, d](TileRef tile) {
      if (const auto found = holders_.find(tile.id); found != holders_.end()) found->second &= ~(1ULL << d);
      backend_.release(static_cast<int>(d), tile);
    };
    queues_.emplace_back(contraction, plan.devices[d], frame.device_budget_bytes, evicted);
    for (const Block& block : plan.devices[d].blocks) {
      for (const Chunk& chunk : block.chunks) {
        for (const TileId a : chunk.a) {
          if (counted[a] || owner_of(contraction, frame.grid, {Matrix::a, a}) == rank) continue;
          counted[a] = true;
          ++to_receive_;
        }
      }
    }
  }
  for (TileId a = 0; a < contraction.a.nonzeros(); ++a) {
    on_host_[a] = owner_of(contraction, frame.grid, {Matrix::a, a}) == rank;
  }
  for (const Broadcast& broadcast : plan.broadcasts) {
    std::int64_t bytes = 0;
    for (const TileId a : broadcast.tiles) bytes += contraction.a_bytes(a);
    own_.push_back(std::make_shared<Broadcast>(broadcast));
    outbox_.forward({own_.back(), rank, static_cast<int>(own_.size()) - 1, 0, bytes});
  }
}

void RankScheduler::start() {
  advance();
}

void RankScheduler::advance() {
  for (int d = 0; d < static_cast<int>(queues_.size()); ++d) {
    advance_loads(d);
    advance_kernels(d);
  }
  advance_generation();
  advance_sends();
}

// ---- loads ----

bool RankScheduler::open_block(DeviceQueue& queue, int device) {
  BlockWork& block = *queue.chunk(queue.front())->block;
  if (queue.storing) return false;
  for (; block.c_placed < block.c_used.size(); ++block.c_placed) {
    const TileRef tile{Matrix::c, block.products.c_id(block.c_used[block.c_placed])};
    // The verifier proved that the whole block fits; but peers may still copy older tiles from here.
    if (!queue.memory.reserve(tile, problem_.c_bytes(tile.id))) return false;
    backend_.allocate(device, tile);
    block.on_device.push_back(tile);
  }
  return true;
}

/// Control edges: block after block, and chunk z + 1 + lookahead after chunk z.
bool RankScheduler::may_load(DeviceQueue& queue, int device) {
  if (!queue.chunks_left() || !queue.item(queue.loading)) return false;
  if (queue.loading.chunk - queue.front() > static_cast<std::size_t>(frame_.lookahead)) return false;
  if (queue.chunk(queue.loading.chunk)->block != queue.chunk(queue.front())->block) return false;
  return open_block(queue, device);
}

MemoryPlace RankScheduler::source_of(int device, const Item& item) const {
  if (item.tile.matrix == Matrix::b) return kHost;
  const auto found = holders_.find(item.tile.id);
  const std::uint64_t mask = found == holders_.end() ? 0 : found->second & ~(1ULL << device);
  if (mask == 0) return kHost;
  std::uint64_t near = 0;
  for (std::size_t d = 0; d < options_.sockets.size(); ++d) {
    if (options_.sockets[d] == options_.sockets[device]) near |= 1ULL << d;
  }
  return std::countr_zero(mask & near ? mask & near : mask);
}

bool RankScheduler::reserve(DeviceQueue& queue, int device, Item& item) {
  if (!queue.memory.reserve(item.tile, item.bytes)) return false;
  if (item.tile.matrix == Matrix::b) queue.chunk(queue.front())->block->on_device.push_back(item.tile);
  if (options_.zero_copy) {
    backend_.adopt(device, item.tile);
  } else {
    backend_.allocate(device, item.tile);
  }
  return true;
}

void RankScheduler::arrived(int device, Item& item) {
  item.state = ItemState::arrived;
  if (item.tile.matrix == Matrix::a) {
    if (!options_.zero_copy && queues_.size() > 1) holders_[item.tile.id] |= 1ULL << device;
    return;
  }
  staged_bytes_ -= item.bytes;
  queues_[device].staged_bytes -= item.bytes;
  if (!options_.zero_copy) backend_.release_host(item.tile);
}

/// Starts one copy of neighbouring items from `from`; false when nothing could be started.
bool RankScheduler::load_batch(DeviceQueue& queue, int device, MemoryPlace from) {
  int& in_flight = from == kHost ? queue.host_copies_in_flight : queue.peer_copies_in_flight;
  if (in_flight >= options_.copy_slots) return false;
  Copy copy{from, device, {}, 0};
  std::vector<Item*> items;
  while (copy.tiles.empty() || may_load(queue, device)) {
    Item& item = *queue.item(queue.loading);
    const bool ready = item.tile.matrix == Matrix::b
                           ? item.state == ItemState::staged
                           : (from != kHost || on_host_[item.tile.id]) && !queue.memory.holds(item.tile);
    if (!ready || source_of(device, item) != from) break;
    if (!copy.tiles.empty() && copy.bytes + item.bytes > frame_.copy_batch_bytes) break;
    if (!reserve(queue, device, item)) break;
    if (from != kHost) queues_[from].memory.pin_if_present(item.tile);
    item.state = ItemState::loading;
    copy.tiles.push_back(item.tile);
    copy.bytes += item.bytes;
    items.push_back(&item);
    ++queue.loading.item;
  }
  if (copy.tiles.empty()) return false;
  ++in_flight;
  OperationId id = 0;
  Operation& operation = operations_.start(from == kHost ? Cause::h2d : Cause::d2d, device, id);
  operation.event.bytes = copy.bytes;
  operation.items = std::move(items);
  operation.copy = std::move(copy);
  backend_.start_copy(id, operation.copy);
  return true;
}

void RankScheduler::advance_loads(int device) {
  DeviceQueue& queue = queues_[device];
  while (may_load(queue, device)) {
    Item& item = *queue.item(queue.loading);
    if (item.tile.matrix == Matrix::a && queue.memory.pin_if_present(item.tile)) {
      ++queue.statistics.hits;
      arrived(device, item);
      ++queue.loading.item;
      continue;
    }
    const MemoryPlace from = source_of(device, item);
    const bool ready = item.tile.matrix == Matrix::b ? item.state == ItemState::staged
                                                     : from != kHost || on_host_[item.tile.id];
    if (!ready) return;
    if (!options_.zero_copy) {
      if (!load_batch(queue, device, from)) return;
      continue;
    }
    if (!reserve(queue, device, item)) return;
    if (item.tile.matrix == Matrix::a) ++queue.statistics.host_loads;
    arrived(device, item);
    ++queue.loading.item;
  }
}

void RankScheduler::copy_done(Operation& operation) {
  const Copy& copy = operation.copy;
  if (copy.to == kHost) {
    DeviceQueue& queue = queues_[copy.from];
    queue.statistics.d2h_bytes += copy.bytes;
    for (const TileRef tile : copy.tiles) {
      queue.memory.drop(tile);
      backend_.release(copy.from, tile);
    }
    queue.storing = false;
    return;
  }
  DeviceQueue& queue = queues_[copy.to];
  const bool from_host = copy.from == kHost;
  --(from_host ? queue.host_copies_in_flight : queue.peer_copies_in_flight);
  (from_host ? queue.statistics.h2d_bytes : queue.statistics.d2d_bytes) += copy.bytes;
  for (Item* item : operation.items) {
    if (item->tile.matrix == Matrix::a)
      ++(from_host ? queue.statistics.host_loads : queue.statistics.peer_loads);
    if (!from_host) queues_[copy.from].memory.unpin(item->tile);
    arrived(copy.to, *item);
  }
}

// ---- products ----

void RankScheduler::advance_kernels(int device) {
  DeviceQueue& queue = queues_[device];
  while (queue.kernels_in_flight < backend_.kernel_slots()) {
    if (options_.kernels_on_cores && cores_busy_ >= options_.core_slots) return;
    if (queue.computing.chunk > queue.loading.chunk) return;  // nothing asked for yet
    Item* const item = queue.item(queue.computing);
    if (!item || item->state != ItemState::arrived) return;
    if (item->tile.matrix != Matrix::a) {
      ++queue.computing.item;
      continue;
    }
    if (queue.next_product < 0) queue.next_product = item->first_product;
    if (queue.next_product == item->last_product) {
      queue.next_product = -1;
      ++queue.computing.item;
      continue;
    }
    ChunkWork& chunk = *queue.chunk(queue.computing.chunk);
    const Product& product = chunk.products[queue.next_product++];
    OperationId id = 0;
    Operation& operation = operations_.start(Cause::kernel, device, id);
    operation.event.i = product.i;
    operation.event.j = product.j;
    operation.event.k = product.k;
    operation.chunk = &chunk;
    ++queue.kernels_in_flight;
    if (options_.kernels_on_cores) ++cores_busy_;
    backend_.start_kernel(id, device, item->tile.id, product);
  }
}

void RankScheduler::kernel_done(Operation& operation) {
  const int device = operation.event.device;
  DeviceQueue& queue = queues_[device];
  --queue.kernels_in_flight;
  if (options_.kernels_on_cores) --cores_busy_;
  ++queue.statistics.kernels;
  queue.statistics.flops += problem_.flops(operation.event.i, operation.event.j, operation.event.k);
  --operation.chunk->unfinished;
  while (queue.chunks_left() && queue.chunk(queue.front())->unfinished == 0) finish_front(queue, device);
}

void RankScheduler::finish_front(DeviceQueue& queue, int device) {
  ChunkWork& chunk = *queue.chunk(queue.front());
  for (const Item& item : chunk.items) {
    if (item.tile.matrix == Matrix::a) queue.memory.unpin(item.tile);
  }
  if (chunk.last_of_block) finish_block(queue, device, *chunk.block);
  if (queue.computing.chunk == queue.front()) queue.next_product = -1;
  for (Cursor* cursor : {&queue.generating, &queue.loading, &queue.computing}) {
    if (cursor->chunk == queue.front()) *cursor = {queue.front() + 1, 0};
  }
  queue.pop_front();
}

/// B is dropped, C goes home; the next block opens when it is there.
void RankScheduler::finish_block(DeviceQueue& queue, int device, BlockWork& block) {
  Copy store{device, kHost, {}, 0};
  for (const TileRef tile : block.on_device) {
    if (tile.matrix == Matrix::c) {
      store.tiles.push_back(tile);
      store.bytes += problem_.c_bytes(tile.id);
    } else {
      queue.memory.drop(tile);
      backend_.release(device, tile);
    }
  }
  queue.storing = true;
  OperationId id = 0;
  Operation& operation = operations_.start(Cause::d2h, device, id);
  operation.event.bytes = store.bytes;
  operation.copy = std::move(store);
  backend_.start_copy(id, operation.copy);
}

// ---- generation ----

Item* RankScheduler::next_to_generate(DeviceQueue& queue) {
  for (; Item* item = queue.item(queue.generating); ++queue.generating.item) {
    if (item->tile.matrix == Matrix::b && item->state == ItemState::waiting) return item;
  }
  return nullptr;
}

/// The device with the least in store goes first; the others wait while its tile does not fit, or their small
/// tiles would take every byte that comes free.
void RankScheduler::advance_generation() {
  while (cores_busy_ < options_.core_slots) {
    DeviceQueue* chosen = nullptr;
    Item* item = nullptr;
    for (DeviceQueue& queue : queues_) {
      if (chosen && queue.staged_bytes >= chosen->staged_bytes) continue;
      Item* const candidate = next_to_generate(queue);
      if (!candidate) continue;
      chosen = &queue;
      item = candidate;
    }
    if (!chosen || staged_bytes_ + item->bytes > frame_.staging_bytes) return;
    item->state = ItemState::generating;
    staged_bytes_ += item->bytes;
    chosen->staged_bytes += item->bytes;
    ++chosen->generating.item;
    ++cores_busy_;
    OperationId id = 0;
    Operation& operation = operations_.start(Cause::generate, kHost, id);
    operation.event.bytes = item->bytes;
    operation.event.k = problem_.b.row_of(item->tile.id);
    operation.event.j = problem_.b.column_of(item->tile.id);
    operation.items.push_back(item);
    backend_.start_generate(id, item->tile.id);
  }
}

void RankScheduler::generate_done(Operation& operation) {
  --cores_busy_;
  operation.items.front()->state = ItemState::staged;
  ++statistics_.generated_tiles;
  statistics_.generated_bytes += operation.event.bytes;
  statistics_.generate_s += operation.event.end_s - operation.event.start_s;
}

// ---- messages ----

void RankScheduler::advance_sends() {
  while (sending_ < options_.send_slots && !outbox_.empty()) {
    const Outbox::Entry entry = outbox_.take();
    ++sending_;
    OperationId id = 0;
    Operation& operation = operations_.start(Cause::network, kHost, id);
    operation.event.bytes = entry.message.bytes;
    backend_.start_send(id, entry.to_rank, entry.message);
  }
}

void RankScheduler::received(const Message& message, const Path& path) {
  operations_.set_path(path);
  for (const TileId a : message.broadcast->tiles) {
    assert(!on_host_[a]);
    on_host_[a] = true;
    --to_receive_;
  }
  statistics_.received_bytes += message.bytes;
  outbox_.forward(message);
  advance();
}

void RankScheduler::done(OperationId id) {
  Operation& operation = operations_.end(id);
  statistics_.finish_s = operation.event.end_s;
  statistics_.critical = operations_.path();
  switch (operation.event.cause) {
    case Cause::kernel:
      kernel_done(operation);
      break;
    case Cause::generate:
      generate_done(operation);
      break;
    case Cause::network:
      --sending_;
      statistics_.sent_bytes += operation.event.bytes;
      break;
    case Cause::h2d:
    case Cause::d2d:
    case Cause::d2h:
      copy_done(operation);
      break;
    case Cause::wait:
      break;
  }
  advance();
}

bool RankScheduler::finished() const {
  if (to_receive_ > 0 || operations_.in_flight() > 0 || !outbox_.empty()) return false;
  return std::all_of(queues_.begin(), queues_.end(), [](const DeviceQueue& queue) {
    return !queue.storing && !const_cast<DeviceQueue&>(queue).chunks_left();
  });
}

const RankStatistics& RankScheduler::statistics() {
  statistics_.devices.clear();
  statistics_.send_s = operations_.busy_seconds(Cause::network, kHost);
  for (std::size_t d = 0; d < queues_.size(); ++d) {
    const auto busy_s = [&](Cause cause) { return operations_.busy_seconds(cause, static_cast<int>(d)); };
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
