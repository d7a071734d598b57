// SPDX-License-Identifier: BSD-3-Clause
// Device memory that blocks of C and chunks of A and B take, counted tile by tile (RR-9289 2).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/grid.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Blocks of b x c tiles of C per rank of a 2D-cyclic grid. A rank's devices form a grid of `device_rows`
/// rows, to which its rows and columns are distributed round-robin.
struct Blocking {
  ProcessGrid grid;
  int devices = 1;
  std::int32_t b = 1;
  std::int32_t c = 1;
  int device_rows = 1;    ///< divides `devices`; 1: columns alone are distributed (RR-9289 2)
  int device_layers = 1;  ///< of devices that share tiles of C and divide K; rows * layers divides `devices`

  int device_columns() const { return devices / (device_rows * device_layers); }
  /// Layers of devices of all ranks; tile column k of A belongs to layer k mod layers().
  int layers() const { return grid.r * device_layers; }
  /// Place among the rows and columns of its rank.
  std::int32_t local_row(std::int32_t i) const { return i / grid.p; }
  std::int32_t local_column(std::int32_t j) const { return j / grid.q; }
  /// x and y of the block that tile row i, tile column j belongs to.
  std::int32_t x(std::int32_t i) const { return local_row(i) / b; }
  std::int32_t y(std::int32_t j) const { return local_column(j) / c; }
  /// Row and column in the grid of devices.
  int device_row(std::int32_t i) const { return local_row(i) % device_rows; }
  int device_column(std::int32_t j) const { return local_column(j) % device_columns(); }
};

/// Most rows or columns that one of `owners` has of `count` distributed round-robin.
inline std::int32_t most_owned(std::int32_t count, int owners) {
  return count / owners + (count % owners != 0);
}

/// Most tiles of C that one of `devices` has of a rank's rows x columns.
inline std::int64_t most_on_device(std::int32_t rows, std::int32_t columns, int devices, int device_rows) {
  return std::int64_t{most_owned(rows, device_rows)} * most_owned(columns, devices / device_rows);
}

/// Rows of the grid of devices: 1, as in RR-9289, unless another divisor of `devices` leaves the busiest
/// device at least 1% less. 68 x 68 tiles on 6 devices: 68 x 12 = 816 with 1, 34 x 23 = 782 with 2, on
/// average 771.
int best_device_rows(std::int32_t rows, std::int32_t columns, int devices);

/// Most bytes of C's tiles that one device holds in a block. O(nonzeros of C). Where B stays (device_rows
/// must be 1), also of the tiles of B in the block's columns and the device's layer, whether they meet a
/// partner or not. O(nonzeros of B and C).
std::int64_t block_bytes(const Contraction& contraction, const Blocking& blocking, bool b_stays = false);

/// Upper bounds of the bytes of A, and of B where it streams, that one device holds of a chunk, for any
/// depth. Exact for dense matrices; otherwise tiles of the block's rows and columns count even where they
/// meet no partner.
class StreamBytes {
 public:
  /// O(nonzeros of A and B).
  StreamBytes(const Contraction& contraction, const Blocking& blocking, bool b_stays = false);

  /// Of each chunk of depth d, in tiles of one layer of ranks, the most over all ranks, devices and blocks.
  std::vector<std::int64_t> chunks(std::int32_t d) const;

 private:
  std::int32_t depth_;               // tiles along K of a layer of ranks
  std::vector<std::int64_t> a_, b_;  // per group of rows or columns: bytes before tile row k of B
};

}  // namespace foretile
