// SPDX-License-Identifier: BSD-3-Clause
// When the tensors of a program are in memory, and how much they take.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/tensor/program_tensors.hpp"
#include "planner/tensor/term_order.hpp"

namespace foretile {

/// Levels run one after the other, from 1 to the last.
struct TensorLife {
  ProgramTensor tensor;
  TensorSize size;
  TensorLevels levels;
};

struct ProgramMemory {
  std::vector<TensorLife> tensors;  ///< in the order of tensors_of()
  std::vector<double> elements;     ///< of all tensors that are there at a level, from 1
  int fullest = 1;                  ///< the level with most
  /// Of the term with the largest tiles of A, B and C together.
  double largest_product = 0;

  double peak_elements() const { return elements[static_cast<std::size_t>(fullest) - 1]; }
  /// The least that a node must have of `nodes` that share all tensors evenly: its share, and the tiles of
  /// one product.
  double per_node(std::int64_t nodes) const {
    return peak_elements() / static_cast<double>(nodes) + largest_product;
  }
};

/// `order` by term; `tiles` by space.
ProgramMemory memory_of(const Program& program, const std::vector<TermOrder>& order,
                        const std::vector<LabelledTiles>& tiles);

}  // namespace foretile
