// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/c_tiles.hpp"

#include <utility>

#include "scheduler/device_queue.hpp"

namespace foretile {

/// C of a block gets its place when the block's turn comes; with prefetch_c when its inputs are loaded.
void CTiles::place(DeviceQueue& queue, Device device, Step first_open_step) {
  if (!queue.chunks_left()) return;
  BlockWork& block = *queue.chunk(queue.front())->block;
  if (options_.in_plan_order && !last_block_left(queue, device, block, first_open_step)) return;
  place(queue, device, block);
  if (!frame_.prefetch_c || options_.in_plan_order || block.c_placed < block.c.size()) return;
  if (const ChunkWork* const ahead = queue.chunk(queue.loading.chunk)) place(queue, device, *ahead->block);
}

/// In plan order: whether C of the block before is written back, and has left at once.
bool CTiles::last_block_left(DeviceQueue& queue, Device device, const BlockWork& block,
                             Step first_open_step) {
  if (block.c_placed > 0) return true;
  if (!queue.finished_c.empty() || queue.stores_in_flight > 0) return false;
  if (frame_.barriers != Barriers::none && queue.front_step() != first_open_step) return false;
  drop_stored(queue, device);
  return true;
}

void CTiles::drop_stored(DeviceQueue& queue, Device device) {
  for (const TileRef tile : queue.stored_c) {
    queue.memory.give_back(problem_.c_bytes(tile.id));
    backend_.release(device, tile);
  }
  queue.stored_c.clear();
}

void CTiles::place(DeviceQueue& queue, Device device, BlockWork& block) {
  while (block.c_placed < block.c.size()) {
    if (devices_read_c(frame_, problem_) && !queue.traits.in_host_memory) {
      if (!load(queue, device, block)) return;
      continue;
    }
    Item& item = block.c[block.c_placed];
    // Proven to fit; but the last block may not yet be written back, or peers may copy older tiles from
    // here.
    if (!queue.memory.take(item.bytes)) return;
    if (devices_read_c(frame_, problem_)) {
      backend_.adopt(device, item.tile);
      ++queue.statistics.c_loads;
    } else {
      backend_.allocate(device, item.tile);
    }
    item.state = ItemState::arrived;
    ++block.c_placed;
  }
}

/// Starts one copy of initial tiles of C; false when none could be started.
bool CTiles::load(DeviceQueue& queue, Device device, BlockWork& block) {
  if (queue.host_copies_in_flight >= options_.copy_slots) return false;
  Copy copy{kHost, device, {}, 0};
  std::vector<Item*> items;
  for (; block.c_placed < block.c.size(); ++block.c_placed) {
    Item& item = block.c[block.c_placed];
    if (!copy.tiles.empty() && copy.bytes + item.bytes > options_.most_copy_bytes(frame_)) break;
    if (!queue.memory.take(item.bytes)) break;
    backend_.allocate(device, item.tile);
    item.state = ItemState::loading;
    copy.tiles.push_back(item.tile);
    copy.bytes += item.bytes;
    items.push_back(&item);
  }
  if (items.empty()) return false;
  start_load(operations_, backend_, queue, copy, items);
  return true;
}

/// While one store is on its way, the room that it leaves may be enough.
bool CTiles::may_store(DeviceQueue& queue) const {
  if (queue.finished_c.empty()) return false;
  if (frame_.store == Store::at_end || options_.in_plan_order || !queue.chunks_left())
    return queue.stores_in_flight < options_.copy_slots;
  return queue.stores_in_flight == 0 && queue.memory.was_full();
}

/// Tiles of C are written back as they are finished, neighbours together.
void CTiles::advance_stores(DeviceQueue& queue, Device device) {
  while (may_store(queue)) {
    Copy store{device, kHost, {}, 0};
    while (!queue.finished_c.empty()) {
      const Item& item = queue.finished_c.front();
      if (!store.tiles.empty() && store.bytes + item.bytes > options_.most_copy_bytes(frame_)) break;
      store.tiles.push_back(item.tile);
      store.bytes += item.bytes;
      queue.finished_c.pop_front();
    }
    ++queue.stores_in_flight;
    const auto [id, event, started] = operations_.start<StoreOperation>(Cause::d2h, device);
    event.bytes = store.bytes;
    started.copy = std::move(store);
    backend_.start_copy(id, started.copy);
  }
}

void CTiles::store_done(DeviceQueue& queue, const Copy& store) {
  --queue.stores_in_flight;
  queue.memory.was_full();  // ask again: there is more room now
  queue.statistics.d2h_bytes += store.bytes;
  queue.stored_c.insert(queue.stored_c.end(), store.tiles.begin(), store.tiles.end());
  if (!options_.in_plan_order || !queue.chunks_left()) drop_stored(queue, Device::of(store.from));
}

}  // namespace foretile
