#include "scheduler/device_queue.hpp"

#include <utility>

namespace foretile {

DeviceQueue::DeviceQueue(const Contraction& contraction, const DevicePlan& plan, std::int64_t budget_bytes,
                         DeviceMemory::Evicted evicted)
    : memory(budget_bytes, std::move(evicted)), contraction_(&contraction), plan_(&plan) {}

bool DeviceQueue::expand_next() {
  if (next_block_ == plan_->blocks.size()) return false;
  const Block& block = plan_->blocks[next_block_];
  if (next_chunk_ == 0) expanding_ = std::make_shared<BlockWork>(*contraction_, block);
  window_.push_back(expand_chunk(*contraction_, expanding_, next_chunk_));
  if (++next_chunk_ == block.chunks.size()) {
    next_chunk_ = 0;
    ++next_block_;
    expanding_.reset();
  }
  return true;
}

ChunkWork* DeviceQueue::chunk(std::size_t number) {
  while (number - front_ >= window_.size()) {
    if (!expand_next()) return nullptr;
  }
  return &window_[number - front_];
}

void DeviceQueue::pop_front() {
  window_.pop_front();
  ++front_;
}

Item* DeviceQueue::item(Cursor& cursor) {
  for (;;) {
    ChunkWork* const work = chunk(cursor.chunk);
    if (!work) return nullptr;
    if (cursor.item < work->items.size()) return &work->items[cursor.item];
    ++cursor.chunk;
    cursor.item = 0;
  }
}

}  // namespace foretile
