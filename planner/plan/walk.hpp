// The walk over the products of a plan, for those who need nothing in between: block after block, chunk after
// chunk.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Calls visit(Product) for each product of the chunk. `products` are those of its block.
template <class Visit>
void for_each_product(const BlockProducts& products, const Chunk& chunk, Visit visit) {
  for (const TileId a : chunk.a) products.for_each(a, visit);
}

/// Calls visit(Product) for each product of the block.
template <class Visit>
void for_each_product(const Contraction& contraction, const Block& block, Visit visit) {
  const BlockProducts products(contraction, block.columns);
  for (const Chunk& chunk : block.chunks) for_each_product(products, chunk, visit);
}

/// Calls visit(Product) for each product of the device.
template <class Visit>
void for_each_product(const Contraction& contraction, const DevicePlan& device, Visit visit) {
  for (const Block& block : device.blocks) for_each_product(contraction, block, visit);
}

}  // namespace foretile
