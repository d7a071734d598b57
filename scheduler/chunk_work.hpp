// A block being worked on, expanded chunk by chunk to loads and products.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "planner/products.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

enum class ItemState : std::uint8_t {
  waiting,     ///< not yet asked for
  generating,  ///< B only: on a core
  staged,      ///< B only: in host memory
  loading,
  arrived
};

/// One tile to load. A tile of A carries its products, which may start once this and all items before have
/// arrived.
struct Item {
  TileRef tile;
  std::int64_t bytes = 0;
  ItemState state = ItemState::waiting;
  std::int32_t first_product = 0;
  std::int32_t last_product = 0;
};

struct BlockWork {
  BlockWork(const Contraction& contraction, const Block& block);

  const Block* block;
  BlockProducts products;
  std::vector<char> b_listed;        ///< per b_slot: some chunk's items hold it
  std::vector<std::int32_t> c_used;  ///< c_slots with a product, in order of first use
  std::vector<TileRef> on_device;    ///< B and C tiles to drop when the block ends
  std::size_t c_placed = 0;          ///< of c_used: those with their place on the device
};

struct ChunkWork {
  std::shared_ptr<BlockWork> block;
  bool last_of_block = false;
  std::vector<Item> items;  ///< in load order: each A tile behind the B tiles that it is first to use
  std::vector<Product> products;
  std::int64_t unfinished = 0;  ///< products not yet done
};

/// Items and products of one chunk; marks the B tiles that it lists. Chunks of a block in order.
ChunkWork expand_chunk(const Contraction& contraction, const std::shared_ptr<BlockWork>& block,
                       std::size_t chunk);

}  // namespace foretile
