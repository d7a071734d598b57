#include "executor/combine_job.hpp"

#include <array>
#include <utility>
#include <vector>

#include "executor/cpu/combine.hpp"

namespace foretile {

std::function<void()> combine_job(const Contraction& p, HostStore& host, const Combine& combine) {
  struct Pair {
    std::array<std::int64_t, 2> extents;
    const std::byte* from;
    std::byte* to;
  };
  const std::vector<std::byte*> from = host.parts(combine.tiles, combine.from);
  const std::vector<std::byte*> to = host.parts(combine.tiles, combine.to);
  std::vector<Pair> pairs;
  pairs.reserve(from.size());
  for (std::size_t t = 0; t < from.size(); ++t) {
    const TileId c = combine.tiles[t];
    pairs.push_back({{p.m.size(p.c.row_of(c)), p.n.size(p.c.column_of(c))}, from[t], to[t]});
  }
  return [type = p.element(), beta = combine.beta, factor = combine.factor,
          permutation = std::vector<int>(combine.permutation.begin(), combine.permutation.end()),
          pairs = std::move(pairs)] {
    for (const Pair& pair : pairs)
      combine_tile(type, pair.extents, permutation, beta, factor, pair.from, pair.to);
  };
}

}  // namespace foretile
