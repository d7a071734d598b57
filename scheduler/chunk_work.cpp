// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/chunk_work.hpp"

namespace foretile {

BlockWork::BlockWork(const Contraction& contraction, const Block& of)
    : block(&of),
      products(contraction, of.columns),
      c_of(products.c_slots(), -1),
      c_open(products.c_slots(), 0),
      b_chunk(products.b_slots(), -1) {
  for (const Chunk& chunk : of.chunks) {
    for (const TileId a : chunk.a) {
      products.for_each(a, [&](const Product& product) {
        std::int32_t& position = c_of[product.c_slot];
        if (position < 0) {
          position = static_cast<std::int32_t>(c.size());
          c.push_back({{Matrix::c, product.c}, contraction.c_bytes(product.c)});
        }
        ++c_open[product.c_slot];
      });
    }
  }
}

bool BlockWork::c_in_place(std::int32_t c_slot) {
  while (c_arrived < c_placed && c[c_arrived].state == ItemState::arrived) ++c_arrived;
  return c_arrived == c.size() || c[c_of[c_slot]].state == ItemState::arrived;
}

ChunkWork expand_chunk(const Contraction& contraction, const std::shared_ptr<BlockWork>& block,
                       std::size_t chunk, OnDevice b) {
  const auto number = static_cast<std::int32_t>(chunk);
  ChunkWork work;
  work.block = block;
  work.step = block->block->chunks[chunk].step;
  work.last_of_block = chunk + 1 == block->block->chunks.size();
  for (const TileId a : block->block->chunks[chunk].a) {
    block->products.for_each(a, [&](const Product& product) {
      ++work.unfinished;
      std::int32_t& listed = block->b_chunk[product.b_slot];
      if (listed == number || (listed >= 0 && b == OnDevice::stays)) return;
      listed = number;
      work.items.push_back({{Matrix::b, product.b}, contraction.b_bytes(product.b)});
    });
    work.items.push_back({{Matrix::a, a}, contraction.a_bytes(a)});
  }
  return work;
}

}  // namespace foretile
