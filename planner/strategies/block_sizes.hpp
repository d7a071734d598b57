// SPDX-License-Identifier: BSD-3-Clause
// How large the C blocks are, how deep the chunks and how far ahead they are loaded: b, c, d and l of RR-9289
// 3.2.3 and 3.2.4.
#pragma once

#include <cstdint>
#include <optional>

#include "base/id.hpp"
#include "planner/plan/grid.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// What the user fixes; the rest is chosen.
struct BlockSizeWishes {
  std::optional<std::int32_t> b, c, d;  ///< at least 1; larger than the matrices means as large as they are
  std::optional<int> lookahead;
  double c_fraction = 0.75;  ///< share of device memory that a chosen C block takes at most
  bool prefetch_c = false;   ///< C of several blocks may be there at once
  int device_rows = 1;       ///< of the grid of a rank's devices; divides their number
  int device_layers = 1;     ///< the same; device_rows * device_layers divides their number
  /// B is generated, once by a rank, and stays beside C: blocks have all tile rows of a rank. `b` must be
  /// empty and device_rows 1.
  bool b_stays = false;
  /// Host memory of a rank for own and received tiles, where the chunks decide how much is received at once.
  std::optional<std::int64_t> host_bytes{};
};

/// In tiles; b, c, d >= 1. There are X * Y blocks with Z chunks each, X * Y * Z < 2^31.
struct BlockSizes {
  std::int32_t b = 1;
  std::int32_t c = 1;
  std::int32_t d = 1;
  int lookahead = 0;
  std::int32_t X = 1;
  std::int32_t Y = 1;
  std::int32_t Z = 1;

  int steps() const { return X * Y * Z; }
  Step step(std::int32_t x, std::int32_t y, std::int32_t z) const { return Step::of((y * X + x) * Z + z); }
};

/// Even blocks, b = ceil(rows / f) and c = ceil(columns / f) of a rank's rows and columns, b and c rounded up
/// to multiples of the rows and columns of devices (less would leave some idle and save no memory), for the
/// first f = 1, 2, ... whose C takes at most c_fraction of device memory and leaves room for two chunks at d
/// = 1. Lookahead is 1 where C is one block (case c1), else 2 (case c2), or 1 where 2 does not fit. Only
/// where nothing fits so, lookahead is 0; and only where no C block is small enough, the smallest one is
/// taken. Then the largest d for which C and the chunks in flight fit, evened out over the chunks; d and
/// lookahead are smaller where host memory asks for it. Where b, c, d and lookahead are all given they are
/// taken: the verifier counts exactly. Where B stays, its tiles count with C's. Memory is counted with
/// block_bytes and StreamBytes, so tiles of any size are safe, and whatever holds the largest tiles of A, B
/// and C is enough. Throws InputError that names the missing bytes and which wishes to lower.
BlockSizes choose_block_sizes(const Contraction& contraction, const ProcessGrid& grid, int devices,
                              std::int64_t device_bytes, const BlockSizeWishes& wishes);

/// Most bytes of A, B and C that a rank owns where they are distributed cyclically to the grid; a B that is
/// generated has no owner.
std::int64_t most_owned(const Contraction& contraction, const ProcessGrid& grid, bool makes_b);

}  // namespace foretile
