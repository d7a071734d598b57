// Device memory that blocks of C and chunks of A and B take, counted tile by tile (RR-9289 2).
#pragma once

#include <cstdint>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/grid.hpp"

namespace foretile {

/// Blocks of b x c tiles of C per rank of a 2D-cyclic grid whose local columns are dealt to `devices`.
struct Blocking {
  ProcessGrid grid;
  int devices = 1;
  std::int32_t b = 1;
  std::int32_t c = 1;

  /// Place among the rows and columns of its rank.
  std::int32_t local_row(std::int32_t i) const { return i / grid.p; }
  std::int32_t local_column(std::int32_t j) const { return j / grid.q; }
  /// x and y of the block that tile row i, tile column j belongs to.
  std::int32_t x(std::int32_t i) const { return local_row(i) / b; }
  std::int32_t y(std::int32_t j) const { return local_column(j) / c; }
  int device(std::int32_t j) const { return local_column(j) % devices; }
};

/// Most rows or columns that one of `owners` has of `count` dealt in turn.
inline std::int32_t most_dealt(std::int32_t count, int owners) {
  return count / owners + (count % owners != 0);
}

/// Most bytes of C's tiles that one device holds in a block. O(nonzeros of C).
std::int64_t block_bytes(const Contraction& contraction, const Blocking& blocking);

/// Upper bounds of the bytes of A and B that one device holds of a chunk, for any depth. Exact for dense
/// matrices; otherwise tiles of the block's rows and columns count even where they meet no partner.
class StreamBytes {
 public:
  /// O(nonzeros of A and B).
  StreamBytes(const Contraction& contraction, const Blocking& blocking);

  /// Of each chunk of depth d, the most over all ranks, devices and blocks.
  std::vector<std::int64_t> chunks(std::int32_t d) const;

 private:
  std::int32_t depth_;               // tiles along K
  std::vector<std::int64_t> a_, b_;  // per group of rows or columns: bytes before tile row k of B
};

}  // namespace foretile
