// SPDX-License-Identifier: BSD-3-Clause
// How the indices of a term become those of a matrix product, so that few tensors must be permuted.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "planner/tensor/tensor_term.hpp"

namespace foretile {

/// C = A B with fused indices, the fastest one first. A tensor fits if it is stored as its matrix or as the
/// transpose of it, C only as it is; one that does not must be permuted tile by tile.
struct Fusion {
  std::array<std::size_t, 2> operand{0, 1};  ///< which operands of the term are A and B
  IndexList m, n, k;
  std::array<bool, 3> fits{};           ///< A, B and C
  std::array<bool, 2> is_transposed{};  ///< A is stored as K x M, B as N x K

  std::size_t permuted() const;  ///< how many of the three do not fit
};

/// Bytes of the term's first operand, its second one, and the result.
using FusionWeights = std::array<double, 3>;

/// The one with the fewest bytes of tensors that must be permuted, and of those the one with the fewest such
/// tensors: M in the order of its operand or of the result, N too, K in that of either operand, and either
/// operand as A, since no other order lets one of the three fit. `b`: this operand must be B. The term has
/// two operands.
Fusion best_fusion(const TensorTerm& term, const FusionWeights& weights,
                   std::optional<std::size_t> b = std::nullopt);

}  // namespace foretile
