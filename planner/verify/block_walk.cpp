// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/block_walk.hpp"

#include <fmt/format.h>

#include <utility>

#include "planner/plan/products.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

void check_block(const Contraction& p, const Block& block, const std::string& where) {
  std::int32_t least = 0;
  for (const std::int32_t j : block.columns) {
    if (j < least || j >= p.n.tiles()) {
      throw broken_plan(where, fmt::format("column {}", j),
                        fmt::format("increasing columns below {}", p.n.tiles()));
    }
    least = j + 1;
  }
  if (block.chunks.empty()) throw broken_plan(where, "no chunks", "at least one");
}

/// A device moves on when a chunk's products are done: each tile must have one.
[[noreturn]] void without_product(const std::string& where, TileId a) {
  throw broken_plan(where, fmt::format("A tile {} without a product", a), "only tiles that are used");
}

}  // namespace

BlockWalk::BlockWalk(const Contraction& contraction, CountFunction progress)
    : p_(contraction), progress_(std::move(progress)), a_block_(contraction.a.nonzeros(), 0) {}

void BlockWalk::enter(TileId a, const std::string& where) {
  if (a < 0 || a >= p_.a.nonzeros()) throw broken_plan(where, fmt::format("A tile {}", a), "a nonzero tile");
  if (a_block_[a] == block_)
    throw broken_plan(where, fmt::format("A tile {} twice", a), "every nonzero product once");
  a_block_[a] = block_;
}

BlockTiles BlockWalk::walk(const Block& block, OnDevice b, const std::string& where) {
  const Contraction& p = p_;
  ++block_;
  check_block(p, block, where);
  const BlockProducts products(p, block.columns);
  std::vector<std::int32_t> b_seen(products.b_slots(), -1);  // chunk that saw the tile last
  std::vector<char> c_seen(products.c_slots(), 0);
  BlockTiles tiles;
  tiles.b.resize(block.chunks.size());
  std::int32_t stamp = 0;
  for (std::size_t z = 0; z < block.chunks.size(); ++z) {
    if (block.chunks[z].a.empty()) throw broken_plan(where, "a chunk without tiles", "at least one of A");
    std::vector<TileId>& chunk_b = tiles.b[z];
    if (b == OnDevice::streams) stamp = static_cast<std::int32_t>(z);
    for (const TileId a : block.chunks[z].a) {
      enter(a, where);
      std::int64_t gemms = 0;
      std::int64_t width = 0;
      products.for_each(a, [&](const Product& product) {
        if (b_seen[product.b_slot] != stamp) {
          b_seen[product.b_slot] = stamp;
          chunk_b.push_back(product.b);
        }
        c_seen[product.c_slot] = 1;
        width += p.n.size(product.j);
        ++gemms;
      });
      if (gemms == 0) without_product(where, a);
      tiles.gemms += gemms;
      tiles.flops += p.flops_per_term() * static_cast<double>(p.m.size(p.a.row_of(a))) *
                     static_cast<double>(p.k.size(p.a.column_of(a))) * static_cast<double>(width);
    }
    if (progress_) progress_(products_ + tiles.gemms);
  }
  for (std::int32_t slot = 0; slot < products.c_slots(); ++slot) {
    if (c_seen[slot]) tiles.c.push_back(products.c_id(slot));
  }
  products_ += tiles.gemms;
  return tiles;
}

}  // namespace foretile
