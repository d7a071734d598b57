// SPDX-License-Identifier: BSD-3-Clause
// One device's way through its blocks: what is loaded, what is computed, what is stored.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/block_pool.hpp"
#include "scheduler/chunk_work.hpp"
#include "scheduler/copy_estimate.hpp"
#include "scheduler/device_memory.hpp"
#include "scheduler/operations.hpp"
#include "scheduler/options.hpp"
#include "scheduler/statistics.hpp"

namespace foretile {

/// Position of one of the three cursors: chunk counted from the device's first, item within it.
struct Cursor {
  std::size_t chunk = 0;
  std::size_t item = 0;
};

/// The state of one device; RankScheduler moves it. Chunks between the one worked on and the one generated
/// for are expanded, the rest is not.
class DeviceQueue {
 public:
  /// Its blocks come from the pool, which must outlive this.
  DeviceQueue(const Contraction& contraction, BlockPool& pool, Device device, OnDevice b,
              DeviceTraits of_device, DeviceMemory its_memory);

  /// The chunk with this number, expanded if need be; nullptr behind the last one. It must not be finished.
  ChunkWork* chunk(std::size_t number) {
    return number - front_ < window_.size() ? &window_[number - front_] : expanded_to(number);
  }
  /// Number of the earliest unfinished chunk.
  std::size_t front() const { return front_; }
  bool chunks_left() const { return !window_.empty() || expanding_ || pool_->any(device_); }
  /// The same, or blocks that wait for tiles.
  bool blocks_left() const { return chunks_left() || pool_->left(device_); }
  /// It has no block at hand.
  bool idle() const { return window_.empty() && !expanding_; }
  /// Step of the earliest unfinished chunk; kEver when there is none.
  Step front_step() { return chunks_left() ? chunk(front_)->step : kEver; }
  void pop_front();
  /// Number of the chunk of the cursor's next item, whether or not it is expanded, or there.
  std::size_t next_chunk(const Cursor& cursor) const;
  /// Everything was asked for.
  bool loads_over() const;

  /// The item under a cursor, moving it over chunk ends; nullptr behind the last one.
  Item* item(Cursor& cursor);

  /// The next products, at most `most` of one chunk, whose tiles are all in place; with `whole` no fewer, but
  /// at the end of the chunk, or none. Moves the computing cursor behind them. Valid until the next call.
  std::span<const Product> take_products(std::size_t most, bool whole);
  /// Whether take_products() has some, were it not for `whole`.
  bool any_products();
  /// Their chunk.
  ChunkWork* taken_from() const { return taken_from_; }

  DeviceTraits traits;
  DeviceMemory memory;
  DeviceStatistics statistics;
  CopyEstimate copies;
  Cursor generating, loading, computing;
  int kernels_in_flight = 0;
  int host_copies_in_flight = 0;
  int makes_in_flight = 0;  ///< copies from kGenerated
  int peer_copies_in_flight = 0;
  int stores_in_flight = 0;
  std::deque<Item> finished_c;    ///< tiles of C to store
  std::vector<TileRef> stored_c;  ///< written back, to drop; in plan order when the next block opens
  std::int64_t staged_bytes = 0;  ///< generated or being generated for this device

 private:
  ChunkWork* expanded_to(std::size_t number);
  bool expand_next();
  void list_products(const Item& a);
  void gather_products(std::size_t most);
  bool all_taken();

  const Contraction* contraction_;
  BlockPool* pool_;
  Device device_;
  OnDevice b_;
  std::deque<ChunkWork> window_;
  std::size_t front_ = 0;
  std::size_t next_chunk_ = 0;
  std::shared_ptr<BlockWork> expanding_;
  std::vector<Product> products_;  // of the item being computed
  std::size_t next_product_ = 0;
  bool listed_ = false;         // products_ are those of the item being computed
  std::vector<Product> taken_;  // gathered, and with a whole batch given out
  bool given_ = false;          // taken_ was given out
  ChunkWork* taken_from_ = nullptr;
};

/// Of loads from there (scheduler/backend.hpp) to the device.
int& loads_in_flight(DeviceQueue& queue, MemoryPlace from);

/// `items` are those of `copy.tiles`; they arrive when the operation ends. Both come
/// back with what an earlier operation left in them, to be cleared.
void start_load(Operations& operations, Backend& backend, DeviceQueue& queue, Copy& copy,
                std::vector<Item*>& items);

}  // namespace foretile
