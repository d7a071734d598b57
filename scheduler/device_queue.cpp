// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/device_queue.hpp"

#include <utility>

namespace foretile {

DeviceQueue::DeviceQueue(const Contraction& contraction, BlockPool& pool, Device device, OnDevice b,
                         DeviceTraits of_device, DeviceMemory its_memory)
    : traits(of_device),
      memory(std::move(its_memory)),
      contraction_(&contraction),
      pool_(&pool),
      device_(device),
      b_(b) {}

bool DeviceQueue::expand_next() {
  if (!expanding_) {
    const Block* const block = pool_->take(device_);
    if (!block) return false;
    expanding_ = std::make_shared<BlockWork>(*contraction_, *block);
  }
  window_.push_back(expand_chunk(*contraction_, expanding_, next_chunk_, b_));
  if (++next_chunk_ == expanding_->block->chunks.size()) {
    next_chunk_ = 0;
    expanding_.reset();
  }
  return true;
}

ChunkWork* DeviceQueue::expanded_to(std::size_t number) {
  while (number - front_ >= window_.size()) {
    if (!expand_next()) return nullptr;
  }
  return &window_[number - front_];
}

void DeviceQueue::pop_front() {
  if (computing.chunk == front_) listed_ = false;
  for (Cursor* cursor : {&generating, &loading, &computing}) {
    if (cursor->chunk == front_) *cursor = {front_ + 1, 0};
  }
  window_.pop_front();
  ++front_;
}

std::size_t DeviceQueue::next_chunk(const Cursor& cursor) const {
  const std::size_t number = cursor.chunk - front_;
  const bool over = number < window_.size() && cursor.item == window_[number].items.size();
  return cursor.chunk + (over ? 1 : 0);
}

bool DeviceQueue::loads_over() const {
  if (expanding_ || pool_->left(device_)) return false;
  const std::size_t last = front_ + window_.size();
  if (loading.chunk >= last) return true;
  return loading.chunk + 1 == last && loading.item == window_.back().items.size();
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

void DeviceQueue::list_products(const Item& a) {
  if (listed_) return;
  products_.clear();
  chunk(computing.chunk)->block->products.for_each(a.tile.id, [this](const Product& product) {
    products_.push_back(product);
  });
  next_product_ = 0;
  listed_ = true;
}

void DeviceQueue::gather_products(std::size_t most) {
  while (taken_.size() < most) {
    const std::size_t before = computing.chunk;
    if (next_chunk(computing) > loading.chunk) return;  // nothing asked for yet
    const Item* const next = item(computing);
    if (!next || next->state != ItemState::arrived) return;
    if (computing.chunk != before && !taken_.empty()) return;
    if (next->tile.matrix == Matrix::a) {
      list_products(*next);
      taken_from_ = chunk(computing.chunk);
      BlockWork& block = *taken_from_->block;
      while (taken_.size() < most && next_product_ < products_.size() &&
             block.c_in_place(products_[next_product_].c_slot))
        taken_.push_back(products_[next_product_++]);
      if (next_product_ < products_.size()) return;
    }
    ++computing.item;
    listed_ = false;
  }
}

/// The chunk of what was gathered has no more products.
bool DeviceQueue::all_taken() {
  return chunk(computing.chunk) != taken_from_ || computing.item == taken_from_->items.size();
}

std::span<const Product> DeviceQueue::take_products(std::size_t most, bool whole) {
  if (std::exchange(given_, false)) taken_.clear();
  gather_products(most);
  if (whole && taken_.size() < most && !taken_.empty() && !all_taken()) return {};
  given_ = true;
  return taken_;
}

bool DeviceQueue::any_products() {
  if (std::exchange(given_, false)) taken_.clear();
  gather_products(1);
  return !taken_.empty();
}

int& loads_in_flight(DeviceQueue& queue, MemoryPlace from) {
  return from == kHost        ? queue.host_copies_in_flight
         : from == kGenerated ? queue.makes_in_flight
                              : queue.peer_copies_in_flight;
}

void start_load(Operations& operations, Backend& backend, DeviceQueue& queue, Copy& copy,
                std::vector<Item*>& items) {
  ++loads_in_flight(queue, copy.from);
  const Cause cause = copy.from == kHost        ? Cause::h2d
                      : copy.from == kGenerated ? Cause::generate
                                                : Cause::d2d;
  const auto [id, event, load] = operations.start<LoadOperation>(cause, copy.to);
  event.bytes = copy.bytes;
  event.device_bytes = queue.memory.used_bytes();
  load.items.swap(items);
  std::swap(load.copy, copy);
  backend.start_copy(id, load.copy);
}

}  // namespace foretile
