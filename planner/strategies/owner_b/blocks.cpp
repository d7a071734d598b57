// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/owner_b/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "planner/plan/distribute_blocks.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

namespace {

/// Elements of the tiles of B in these rows and one column.
std::int64_t elements(const Contraction& p, const std::vector<std::int32_t>& rows, std::int32_t column) {
  const auto nonzero = p.b.column(column);
  std::int64_t depth = 0;
  auto row = rows.begin();
  for (const std::int32_t k : nonzero) {
    row = std::lower_bound(row, rows.end(), k);
    if (row == rows.end()) break;
    if (*row == k) depth += p.k.size(k);
  }
  return depth * p.n.size(column);
}

/// `count` things cut into parts as even as can be: where each begins, and the end.
std::vector<std::int32_t> even_parts(std::size_t count, std::int32_t parts) {
  std::vector<std::int32_t> starts;
  for (std::int64_t part = 0; part <= parts; ++part)
    starts.push_back(static_cast<std::int32_t>(part * static_cast<std::int64_t>(count) / parts));
  return starts;
}

/// The largest sum of `sizes` in one of the parts.
std::int64_t largest_part(const std::vector<std::int64_t>& sizes, std::int32_t parts) {
  const std::vector<std::int32_t> starts = even_parts(sizes.size(), parts);
  std::int64_t largest = 0;
  for (std::size_t part = 0; part + 1 < starts.size(); ++part)
    largest = std::max(largest, std::accumulate(sizes.begin() + starts[part],
                                                sizes.begin() + starts[part + 1], std::int64_t{0}));
  return largest;
}

/// How many parts, and the extent of the largest: one for each size that the largest part can have.
struct Parting {
  std::int32_t parts;
  std::int64_t extent;
};

std::vector<Parting> partings(const std::vector<std::int64_t>& sizes) {
  std::vector<Parting> list;
  const auto count = static_cast<std::int32_t>(sizes.size());
  for (std::int32_t parts = 1; parts <= count;) {
    list.push_back({parts, largest_part(sizes, parts)});
    const std::int32_t most = (count + parts - 1) / parts;  // things in a part
    parts = most == 1 ? count + 1 : (count + most - 2) / (most - 1);
  }
  return list;
}

/// What limits and costs the cuts of one family.
struct FamilyExtents {
  std::vector<Parting> rows, columns;
  std::int64_t deepest = 0;       // k of a tile of B
  double depth;                   // of all tiles of B of a column
  double a_elements, b_elements;  // as if dense; may be beyond 64 bits when loaded often

  FamilyExtents(const Contraction& p, const ColumnFamily& family) {
    std::vector<std::int64_t> of_rows, of_columns;
    std::int64_t of_column = 0;
    for (std::int32_t i = 0; i < p.m.tiles(); ++i) of_rows.push_back(p.m.size(i));
    for (const std::int32_t j : family.columns) of_columns.push_back(p.n.size(j));
    for (const std::int32_t k : family.rows) {
      of_column += p.k.size(k);
      deepest = std::max(deepest, std::int64_t{p.k.size(k)});
    }
    depth = static_cast<double>(of_column);
    a_elements = static_cast<double>(p.m.extent()) * depth;
    b_elements =
        static_cast<double>(std::accumulate(of_columns.begin(), of_columns.end(), std::int64_t{0})) * depth;
    rows = partings(of_rows);
    columns = partings(of_columns);
  }

  /// Of C, in a block with so much to multiply; at least a tile.
  std::int64_t c_elements(double flops) const {
    const double most = std::min(1e17, flops / (2 * std::max(1.0, depth)));
    return std::max(static_cast<std::int64_t>(most), rows.back().extent * columns.back().extent);
  }
};

/// No more than INT64_MAX.
std::int64_t product(std::int64_t x, std::int64_t y) {
  return y > 0 && x > INT64_MAX / y ? INT64_MAX : x * y;
}

/// Of one family: least loaded, with C and a chunk of one k within their shares.
std::optional<BlockCut::Parts> least_loaded(const FamilyExtents& family, std::int64_t most_c,
                                            std::int64_t most_chunk, double& loaded) {
  std::optional<BlockCut::Parts> best;
  for (const Parting& rows : family.rows) {
    for (const Parting& columns : family.columns) {
      if (product(rows.extent, columns.extent) > most_c) continue;
      if (product(family.deepest, rows.extent + columns.extent) > most_chunk) continue;
      const double all = rows.parts * family.b_elements + columns.parts * family.a_elements;
      if (best && all >= loaded) break;
      best = {rows.parts, columns.parts};
      loaded = all;
      break;  // more parts of the columns load more
    }
  }
  return best;
}

/// Of so many rows and columns; no more than what no memory has.
std::int64_t bytes_of(const Contraction& p, std::int64_t rows, std::int64_t columns) {
  constexpr double kBeyond = 1e17;
  return static_cast<std::int64_t>(std::min(
      kBeyond,
      static_cast<double>(p.element_bytes()) * static_cast<double>(rows) * static_cast<double>(columns)));
}

/// Each tile of C a block. Throws where chunks of one tile of A and one of B do not fit beside it.
BlockCut least_cut(const Contraction& p, const std::vector<FamilyExtents>& families, int lookahead,
                   std::int64_t device_bytes, const std::string& where) {
  BlockCut cut;
  std::int64_t c_bytes = 0, chunk_bytes = 0;
  for (const FamilyExtents& family : families) {
    const Parting &rows = family.rows.back(), &columns = family.columns.back();
    cut.add({rows.parts, columns.parts}, family.a_elements, family.b_elements);
    c_bytes = std::max(c_bytes, bytes_of(p, rows.extent, columns.extent));
    chunk_bytes = std::max(chunk_bytes, bytes_of(p, family.deepest, rows.extent + columns.extent));
  }
  const std::int64_t needed = c_bytes + (1 + lookahead) * chunk_bytes;
  if (needed > device_bytes)
    throw missing_memory(where,
                         fmt::format("{} of C and of the tiles of A and B in flight", spelled_bytes(needed)),
                         fmt::format("at most {} of device memory", spelled_bytes(device_bytes)),
                         needed - device_bytes, "lower lookahead, or tile the problem finer");
  cut.chunk_bytes = (device_bytes - c_bytes) / (1 + lookahead);
  return cut;
}

/// Bytes of the tiles of A, and of the tiles of B in these columns of row k.
std::int64_t chunk_bytes_of(const Contraction& p, const std::vector<TileId>& a,
                            const std::vector<std::int32_t>& columns, std::int32_t k) {
  std::int64_t bytes = 0;
  for (const TileId tile : a) bytes += p.a_bytes(tile);
  const auto of_b = p.b.row(k);
  auto column = columns.begin();
  for (const std::int32_t j : of_b) {
    column = std::lower_bound(column, columns.end(), j);
    if (column == columns.end()) break;
    if (*column == j) bytes += p.element_bytes() * p.k.size(k) * p.n.size(j);
  }
  return bytes;
}

std::vector<Chunk> chunks_of(const Contraction& p, const BlockProducts& products, const Block& block,
                             const std::vector<std::int32_t>& ks, std::int32_t first_row,
                             std::int32_t end_row, std::int64_t most_bytes) {
  std::vector<Chunk> chunks;
  std::int64_t filled = 0;
  for (const std::int32_t k : ks) {
    std::vector<TileId> tiles;
    const auto rows = p.a.column(k);
    for (std::size_t e = 0; e < rows.size(); ++e) {
      const TileId tile = p.a.column_ids(k)[e];
      if (rows[e] >= first_row && rows[e] < end_row && products.any(tile)) tiles.push_back(tile);
    }
    if (tiles.empty()) continue;
    const std::int64_t bytes = chunk_bytes_of(p, tiles, block.columns, k);
    if (chunks.empty() || filled + bytes > most_bytes) {
      chunks.emplace_back();
      filled = 0;
    }
    chunks.back().a.insert(chunks.back().a.end(), tiles.begin(), tiles.end());
    filled += bytes;
  }
  return chunks;
}

}  // namespace

std::vector<std::vector<ColumnFamily>> distribute_families(const Contraction& p,
                                                           const std::vector<ColumnFamily>& families,
                                                           const std::vector<double>& speeds) {
  std::vector<std::vector<ColumnFamily>> distributed(speeds.size());
  EarliestFinish earliest(speeds);
  for (const ColumnFamily& family : families) {
    std::vector<std::pair<std::int64_t, std::int32_t>> columns;
    for (const std::int32_t j : family.columns) columns.emplace_back(-elements(p, family.rows, j), j);
    std::sort(columns.begin(), columns.end());
    std::vector<std::vector<std::int32_t>> shares(distributed.size());
    for (const auto& [less, j] : columns) {
      shares[earliest.assign(static_cast<double>(-less))].push_back(j);
    }
    for (std::size_t device = 0; device < distributed.size(); ++device) {
      if (shares[device].empty()) continue;
      std::sort(shares[device].begin(), shares[device].end());
      distributed[device].push_back({std::move(shares[device]), family.rows});
    }
  }
  return distributed;
}

void BlockCut::add(const Parts& parts, double of_a, double of_b) {
  of_family.push_back(parts);
  a_elements += parts.columns * of_a;
  b_elements += parts.rows * of_b;
}

BlockCut BlockCut::of(const Contraction& p, const std::vector<ColumnFamily>& families, int lookahead,
                      std::int64_t device_bytes, const std::string& where, double most_flops) {
  std::vector<FamilyExtents> extents;
  for (const ColumnFamily& family : families) extents.emplace_back(p, family);
  BlockCut best;
  double least_loads = std::numeric_limits<double>::infinity();
  for (const int percent : {90, 75, 50, 25, 10}) {
    const std::int64_t c_bytes = device_bytes / 100 * percent;
    const std::int64_t chunk_bytes = (device_bytes - c_bytes) / (1 + lookahead);
    BlockCut cut{{}, chunk_bytes};
    for (const FamilyExtents& family : extents) {
      double loaded = 0;
      const std::int64_t most_c = std::min(c_bytes / p.element_bytes(), family.c_elements(most_flops));
      const auto parts = least_loaded(family, most_c, chunk_bytes / p.element_bytes(), loaded);
      if (!parts) break;
      cut.add(*parts, family.a_elements, family.b_elements);
    }
    const double all = cut.a_elements + cut.b_elements;
    if (cut.of_family.size() < extents.size() || all >= least_loads) continue;
    least_loads = all;
    best = std::move(cut);
  }
  if (best.of_family.size() == extents.size()) return best;
  return least_cut(p, extents, lookahead, device_bytes, where);
}

BlockCut BlockCut::of_tiles(const Contraction& p, const std::vector<ColumnFamily>& families, int lookahead,
                            std::int64_t device_bytes, const std::string& where) {
  std::vector<FamilyExtents> extents;
  for (const ColumnFamily& family : families) extents.emplace_back(p, family);
  BlockCut cut = least_cut(p, extents, lookahead, device_bytes, where);
  cut.chunk_bytes = 0;
  return cut;
}

void add_blocks(const Contraction& p, const ColumnFamily& family, const BlockCut::Parts& parts,
                std::int64_t chunk_bytes, std::vector<Block>& blocks) {
  const std::vector<std::int32_t> columns = even_parts(family.columns.size(), parts.columns);
  const std::vector<std::int32_t> rows = even_parts(static_cast<std::size_t>(p.m.tiles()), parts.rows);
  for (std::size_t y = 0; y + 1 < columns.size(); ++y) {
    const std::vector<std::int32_t> part(family.columns.begin() + columns[y],
                                         family.columns.begin() + columns[y + 1]);
    const BlockProducts products(p, part);
    for (std::size_t x = 0; x + 1 < rows.size(); ++x) {
      Block block{part, {}};
      block.chunks = chunks_of(p, products, block, family.rows, rows[x], rows[x + 1], chunk_bytes);
      if (!block.chunks.empty()) blocks.push_back(std::move(block));
    }
  }
}

DenseWork::DenseWork(const Contraction& p, const std::vector<ColumnFamily>& families) {
  for (const ColumnFamily& family : families) {
    const FamilyExtents extents(p, family);
    a_elements += extents.a_elements;
    b_elements += extents.b_elements;
    flops += 2 * static_cast<double>(p.m.extent()) * extents.b_elements;
  }
}

}  // namespace foretile
