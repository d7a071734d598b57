// SPDX-License-Identifier: BSD-3-Clause
// One tensor equation, result += factor operand operand: which index stands where.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace foretile {

/// Numbers of indices in a term, of positions in a tensor, or of index spaces.
using IndexList = std::vector<std::size_t>;

/// A tensor as a term uses it.
struct IndexedTensor {
  std::string name;
  IndexList indices;              ///< of the term, by position
  std::size_t upper = 0;          ///< the first so many positions are upper ones, the others lower ones
  std::vector<IndexList> groups;  ///< all positions; the tensor is antisymmetric in those of a group
};

/// Each index is in exactly two of the tensors, or, where there is one operand, in it and in the result.
struct TensorTerm {
  std::vector<std::string> names;  ///< of the indices
  IndexList spaces;                ///< by index
  IndexedTensor result;
  std::vector<IndexedTensor> operands;  ///< one or two
  double factor = 1;
};

bool has_index(const IndexedTensor& tensor, std::size_t index);

/// The indices that both operands have, in the order of the first.
IndexList summed_indices(const TensorTerm& term);

/// The result's indices, gathered to groups in which one operand is antisymmetric.
std::vector<IndexList> result_groups(const TensorTerm& term);

/// The summed indices, gathered to groups in which both operands are antisymmetric.
std::vector<IndexList> summed_groups(const TensorTerm& term);

/// Groups of indices as positions in `indices`, in the order of the group; of each the part that is there.
std::vector<IndexList> positions_of(const std::vector<IndexList>& groups, const IndexList& indices);

}  // namespace foretile
