// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/generation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace foretile {

Item* Generation::next_to_generate(DeviceQueue& queue) const {
  for (; Item* item = queue.item(queue.generating); ++queue.generating.item) {
    if (item->tile.matrix == Matrix::b && item->state == ItemState::waiting)
      return may_stage(queue, *queue.chunk(queue.generating.chunk)) ? item : nullptr;
  }
  return nullptr;
}

/// In plan order with barriers a block waits for other devices before its C is placed.
bool Generation::may_stage(DeviceQueue& queue, const ChunkWork& chunk) const {
  if (chunk.step > last_step_) return false;
  if (frame_.barriers == Barriers::none || !options_.in_plan_order) return true;
  return chunk.block == queue.chunk(queue.front())->block && chunk.block->c_placed == chunk.block->c.size();
}

void Generation::advance(std::vector<DeviceQueue>& queues, std::int64_t last_step) {
  if (!frame_.operands.b.generated()) return;
  if (std::exchange(last_step_, last_step) != last_step || options_.in_plan_order) stuck_ = false;
  while (!cores_.awaited && cores_.free() > 0 && start_next(queues)) ++cores_.busy;
}

/// False: nothing is left to make, or nothing has room.
bool Generation::start_next(std::vector<DeviceQueue>& queues) {
  if (!divided_.empty() && divided_.back().next < divided_.back().parts) {
    start_part(divided_.back());
    return true;
  }
  if (stuck_) return false;
  DeviceQueue* const queue = choose(queues);
  stuck_ = !queue || !has_room(*next_to_generate(*queue));
  if (stuck_) return false;
  Item& item = *next_to_generate(*queue);
  const Device device = Device::of(queue - queues.data());
  const int parts = parts_of(item);
  if (parts == 1) {
    start_tiles(*queue, device);
  } else {
    take(*queue, item);
    start_part(divided_.emplace_back(Divided{&item, device, parts, 0, parts}));
  }
  return true;
}

/// The device with the least in store goes first; the others wait while its tile does not fit, or their small
/// tiles would take every byte that comes free.
DeviceQueue* Generation::choose(std::vector<DeviceQueue>& queues) const {
  DeviceQueue* chosen = nullptr;
  for (DeviceQueue& queue : queues) {
    if (queue.traits.generates_tiles) continue;
    if (chosen && queue.staged_bytes >= chosen->staged_bytes) continue;
    if (next_to_generate(queue)) chosen = &queue;
  }
  return chosen;
}

void Generation::start_part(Divided& tile) {
  const auto operation = start(*tile.item, tile.device);
  add(operation, *tile.item,
      part_of_tile(tile.item->tile.id, elements_of(*tile.item), tile.next++, tile.parts));
  backend_.start_generate(operation.id, parts_);
}

void Generation::start_tiles(DeviceQueue& queue, Device device) {
  Item* item = next_to_generate(queue);
  const auto operation = start(*item, device);
  do {
    take(queue, *item);
    add(operation, *item, {item->tile.id, 0, elements_of(*item)});
    item = next_to_generate(queue);
  } while (item && std::ssize(parts_) < options_.tiles_at_once && has_room(*item) && parts_of(*item) == 1);
  backend_.start_generate(operation.id, parts_);
}

Started<GenerateOperation> Generation::start(const Item& first, Device device) {
  const auto operation = operations_.start<GenerateOperation>(Cause::generate, kHost);
  operation.event.k = problem_.b.row_of(first.tile.id);
  operation.event.j = problem_.b.column_of(first.tile.id);
  operation.work.device = device;
  operation.work.items.clear();
  parts_.clear();
  return operation;
}

void Generation::add(const Started<GenerateOperation>& operation, Item& item, const GeneratedPart& part) {
  operation.event.bytes += part.elements * problem_.element_bytes();
  operation.work.items.push_back(&item);
  parts_.push_back(part);
}

int Generation::parts_of(const Item& item) const {
  return parts_of_tile(item.bytes, std::min(cores_.slots, options_.most_parts), options_.least_part_bytes);
}

bool Generation::has_room(const Item& item) const {
  return staged_bytes_ + item.bytes <= frame_.staging_bytes;
}

void Generation::take(DeviceQueue& queue, Item& item) {
  item.state = ItemState::generating;
  staged_bytes_ += item.bytes;
  queue.staged_bytes += item.bytes;
  ++queue.generating.item;
}

/// Whether what was made is the whole tile or its last part.
bool Generation::staged(const Item& item) {
  const auto of_item = [&item](const Divided& tile) { return tile.item == &item; };
  const auto found = std::find_if(divided_.begin(), divided_.end(), of_item);
  if (found == divided_.end()) return true;
  if (--found->unfinished > 0) return false;
  divided_.erase(found);
  return true;
}

void Generation::done(const GenerateOperation& generated, const TraceEvent& event,
                      RankStatistics& statistics) {
  --cores_.busy;
  for (Item* item : generated.items) {
    if (!staged(*item)) continue;
    item->state = ItemState::staged;
    ++statistics.generated_tiles;
  }
  ++statistics.generate_operations;
  statistics.generated_bytes += event.bytes;
  statistics.generate_s += event.end_s - event.start_s;
}

void Generation::left(DeviceQueue& queue, const Item& item) {
  stuck_ = false;
  staged_bytes_ -= item.bytes;
  queue.staged_bytes -= item.bytes;
}

}  // namespace foretile
