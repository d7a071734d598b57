// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/combine_job.hpp"

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "executor/cpu/combine.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

namespace {

void add(ElementType type, const TileExtents& extents, std::complex<double> beta, std::complex<double> factor,
         TileView from, TileView to) {
  for_each_piece(extents, from, to, [&](const std::byte* x, std::byte* y, std::int64_t bytes) {
    const std::int64_t elements = bytes / type.bytes();
    combine_tile(type, {&elements, 1}, {}, beta, factor, x, y);
  });
}

}  // namespace

std::function<void()> combine_job(const Contraction& p, HostStore& host, const Combine& combine) {
  struct Pair {
    TileExtents extents;
    TileView from, to;
  };
  const std::vector<TileView> from = host.parts(combine.tiles, combine.from);
  const std::vector<TileView> to = host.parts(combine.tiles, combine.to);
  std::vector<Pair> pairs;
  pairs.reserve(from.size());
  for (std::size_t t = 0; t < from.size(); ++t) {
    const TileId c = combine.tiles[t];
    pairs.push_back({extents_of(p, {Matrix::c, c}), from[t], to[t]});
  }
  return [type = p.element(), beta = combine.beta, factor = combine.factor, pairs = std::move(pairs)] {
    for (const Pair& pair : pairs) add(type, pair.extents, beta, factor, pair.from, pair.to);
  };
}

}  // namespace foretile
