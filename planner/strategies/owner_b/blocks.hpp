// SPDX-License-Identifier: BSD-3-Clause
// How the products of a rank are cut into blocks and chunks of its devices where B stays with its owner.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/owner_b/column_families.hpp"

namespace foretile {

/// The columns of each family distributed to devices of these speeds (in any unit): the column with most to
/// multiply first, to the device that is done with it first. By device, families without columns left out.
std::vector<std::vector<ColumnFamily>> distribute_families(const Contraction& contraction,
                                                           const std::vector<ColumnFamily>& families,
                                                           const std::vector<double>& speeds);

/// In how many parts the tile rows and the columns of a device's families are cut, and bytes of a chunk.
struct BlockCut {
  struct Parts {
    std::int32_t rows = 1, columns = 1;
  };
  std::vector<Parts> of_family;
  std::int64_t chunk_bytes = 0;  ///< largest
  /// Loaded, as if A and B were dense and nothing were found on a device.
  double a_elements = 0, b_elements = 0;

  /// Of the next family, whose elements of A and B are these.
  void add(const Parts& parts, double of_a, double of_b);

  /// C of a block and 1 + lookahead chunks fit `device_bytes`, and of all such cuts least is loaded: A once
  /// for each part of the columns, B once for each part of the rows, most often once. C gets 90, 75, 50, 25
  /// or 10 percent of the memory; where nothing fits so, each tile of C is a block. Extents alone count, so
  /// that sparse blocks take less. No block has more than `most_flops` to multiply unless it is one tile of
  /// C. Throws InputError, which begins with `where` and names the missing bytes.
  static BlockCut of(const Contraction& contraction, const std::vector<ColumnFamily>& families, int lookahead,
                     std::int64_t device_bytes, const std::string& where,
                     double most_flops = std::numeric_limits<double>::infinity());
  /// Each tile of C a block, in chunks of one k: as a runtime works that knows tiles alone. Throws as of().
  static BlockCut of_tiles(const Contraction& contraction, const std::vector<ColumnFamily>& families,
                           int lookahead, std::int64_t device_bytes, const std::string& where);
};

/// Of all blocks of the families, as if A and B were dense.
struct DenseWork {
  double flops = 0;
  double a_elements = 0, b_elements = 0;

  DenseWork(const Contraction& contraction, const std::vector<ColumnFamily>& families);
};

/// The blocks of one family. A chunk holds the block's tiles of A of columns k, in the order of
/// `family.rows`.
void add_blocks(const Contraction& contraction, const ColumnFamily& family, const BlockCut::Parts& parts,
                std::int64_t chunk_bytes, std::vector<Block>& blocks);

}  // namespace foretile
