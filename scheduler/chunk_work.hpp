// SPDX-License-Identifier: BSD-3-Clause
// A block being worked on, expanded chunk by chunk to loads and products.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"
#include "scheduler/tile_states.hpp"

namespace foretile {

enum class ItemState : std::uint8_t {
  waiting,     ///< not yet asked for
  generating,  ///< generated B only: on a core
  staged,      ///< generated B only: in host memory
  loading,
  arrived
};

/// One tile to load.
struct Item {
  TileRef tile;
  std::int64_t bytes = 0;
  ItemState state = ItemState::waiting;
  TileSlot slot = kNoSlot;  ///< of a streaming tile, from its load to the chunk's end
};

struct BlockWork {
  BlockWork(const Contraction& contraction, const Block& block);

  /// Whether the tile of C of this c_slot may be worked on.
  bool c_in_place(std::int32_t c_slot);

  const Block* block;
  BlockProducts products;
  std::vector<Item> c;                ///< tiles with a product, in order of first use
  std::vector<std::int32_t> c_of;     ///< per c_slot: position in `c`
  std::vector<std::int32_t> c_open;   ///< per c_slot: products not yet done
  std::size_t c_placed = 0;           ///< of `c`: those with their place on the device
  std::size_t c_arrived = 0;          ///< of `c`: the first so many are known to have arrived
  std::vector<TileRef> b_on_device;   ///< B that stays: to drop when the block ends
  std::vector<std::int32_t> b_chunk;  ///< per b_slot: last chunk that listed it, or -1
};

struct ChunkWork {
  std::shared_ptr<BlockWork> block;
  Step step = 0;
  bool last_of_block = false;
  /// In load order: each A tile behind the B tiles that it is first to use. Its products may start once it
  /// and all items before have arrived.
  std::vector<Item> items;
  std::int64_t unfinished = 0;  ///< products not yet done
};

/// Items of one chunk. A tile of B is listed by the first chunk that uses it, and where B streams by
/// each. Chunks of a block in order.
ChunkWork expand_chunk(const Contraction& contraction, const std::shared_ptr<BlockWork>& block,
                       std::size_t chunk, OnDevice b);

}  // namespace foretile
