// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/tensor_term.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

std::size_t position_of(const IndexedTensor& tensor, std::size_t index) {
  return static_cast<std::size_t>(std::ranges::find(tensor.indices, index) - tensor.indices.begin());
}

/// Whether the tensor has both, and they are in one group.
bool antisymmetric_in(const IndexedTensor& tensor, std::size_t x, std::size_t y) {
  if (!has_index(tensor, x) || !has_index(tensor, y)) return false;
  const auto has = [](const IndexList& group, std::size_t position) {
    return std::ranges::find(group, position) != group.end();
  };
  return std::ranges::any_of(tensor.groups, [&](const IndexList& group) {
    return has(group, position_of(tensor, x)) && has(group, position_of(tensor, y));
  });
}

/// Indices that `alike` says belong together, in order.
template <class Alike>
std::vector<IndexList> gathered(const IndexList& indices, Alike alike) {
  std::vector<IndexList> groups;
  for (const std::size_t index : indices) {
    const auto group =
        std::ranges::find_if(groups, [&](const IndexList& each) { return alike(each.front(), index); });
    if (group == groups.end()) {
      groups.push_back({index});
    } else {
      group->push_back(index);
    }
  }
  return groups;
}

}  // namespace

bool has_index(const IndexedTensor& tensor, std::size_t index) {
  return std::ranges::find(tensor.indices, index) != tensor.indices.end();
}

IndexList summed_indices(const TensorTerm& term) {
  IndexList summed;
  if (term.operands.size() < 2) return summed;
  for (const std::size_t index : term.operands[0].indices) {
    if (has_index(term.operands[1], index)) summed.push_back(index);
  }
  return summed;
}

std::vector<IndexList> result_groups(const TensorTerm& term) {
  return gathered(term.result.indices, [&](std::size_t x, std::size_t y) {
    return std::ranges::any_of(term.operands,
                               [&](const IndexedTensor& use) { return antisymmetric_in(use, x, y); });
  });
}

std::vector<IndexList> summed_groups(const TensorTerm& term) {
  return gathered(summed_indices(term), [&](std::size_t x, std::size_t y) {
    return std::ranges::all_of(term.operands,
                               [&](const IndexedTensor& use) { return antisymmetric_in(use, x, y); });
  });
}

std::vector<IndexList> positions_of(const std::vector<IndexList>& groups, const IndexList& indices) {
  std::vector<IndexList> positions;
  for (const IndexList& group : groups) {
    IndexList part;
    for (const std::size_t index : group) {
      const auto at = static_cast<std::size_t>(std::ranges::find(indices, index) - indices.begin());
      if (at < indices.size()) part.push_back(at);
    }
    if (!part.empty()) positions.push_back(std::move(part));
  }
  return positions;
}

}  // namespace foretile
