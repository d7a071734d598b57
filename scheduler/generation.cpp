#include "scheduler/generation.hpp"

#include <iterator>

namespace foretile {

namespace {

Item* next_to_generate(DeviceQueue& queue) {
  for (; Item* item = queue.item(queue.generating); ++queue.generating.item) {
    if (item->tile.matrix == Matrix::b && item->state == ItemState::waiting) return item;
  }
  return nullptr;
}

}  // namespace

/// The device with the least in store goes first; the others wait while its tile does not fit, or their small
/// tiles would take every byte that comes free.
void Generation::advance(std::vector<DeviceQueue>& queues) {
  if (!frame_.operands.b.made() || stuck_) return;
  while (cores_.busy < cores_.slots) {
    DeviceQueue* chosen = nullptr;
    Item* item = nullptr;
    for (DeviceQueue& queue : queues) {
      if (queue.traits.makes_tiles) continue;
      if (chosen && queue.staged_bytes >= chosen->staged_bytes) continue;
      Item* const candidate = next_to_generate(queue);
      if (!candidate) continue;
      chosen = &queue;
      item = candidate;
    }
    stuck_ = !chosen || !has_room(*item);
    if (stuck_) return;
    ++cores_.busy;
    const auto [id, event, generate] = operations_.start<GenerateOperation>(Cause::generate, kHost);
    event.k = problem_.b.row_of(item->tile.id);
    event.j = problem_.b.column_of(item->tile.id);
    generate.device = Device::of(chosen - queues.data());
    generate.items.clear();
    tiles_.clear();
    do {
      take(*chosen, *item, event);
      generate.items.push_back(item);
      item = next_to_generate(*chosen);
    } while (item && std::ssize(tiles_) < tiles_at_once_ && has_room(*item));
    backend_.start_generate(id, tiles_);
  }
}

bool Generation::has_room(const Item& item) const {
  return staged_bytes_ + item.bytes <= frame_.staging_bytes;
}

void Generation::take(DeviceQueue& queue, Item& item, TraceEvent& event) {
  item.state = ItemState::generating;
  staged_bytes_ += item.bytes;
  queue.staged_bytes += item.bytes;
  ++queue.generating.item;
  event.bytes += item.bytes;
  tiles_.push_back(item.tile.id);
}

void Generation::done(const GenerateOperation& generated, const TraceEvent& event,
                      RankStatistics& statistics) {
  --cores_.busy;
  for (Item* item : generated.items) item->state = ItemState::staged;
  statistics.generated_tiles += std::ssize(generated.items);
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
