#include "scheduler/chunk_work.hpp"

namespace foretile {

BlockWork::BlockWork(const Contraction& contraction, const Block& of)
    : block(&of), products(contraction, of.columns), b_listed(products.b_slots(), 0) {
  std::vector<char> seen(products.c_slots(), 0);
  for (const Chunk& chunk : of.chunks) {
    for (const TileId a : chunk.a) {
      products.for_each(a, [&](const Product& product) {
        if (seen[product.c_slot]) return;
        seen[product.c_slot] = 1;
        c_used.push_back(product.c_slot);
      });
    }
  }
}

ChunkWork expand_chunk(const Contraction& contraction, const std::shared_ptr<BlockWork>& block,
                       std::size_t chunk) {
  ChunkWork work;
  work.block = block;
  work.last_of_block = chunk + 1 == block->block->chunks.size();
  for (const TileId a : block->block->chunks[chunk].a) {
    const auto first = static_cast<std::int32_t>(work.products.size());
    block->products.for_each(a, [&](const Product& product) {
      work.products.push_back(product);
      if (block->b_listed[product.b_slot]) return;
      block->b_listed[product.b_slot] = 1;
      work.items.push_back(
          {{Matrix::b, product.b}, contraction.b_bytes(product.b), ItemState::waiting, 0, 0});
    });
    work.items.push_back({{Matrix::a, a},
                          contraction.a_bytes(a),
                          ItemState::waiting,
                          first,
                          static_cast<std::int32_t>(work.products.size())});
  }
  work.unfinished = static_cast<std::int64_t>(work.products.size());
  return work;
}

}  // namespace foretile
