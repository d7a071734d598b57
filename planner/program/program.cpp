#include "planner/program/program.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

/// Where an index is: half (0 or 1) of a tensor, and its space. -1: not there.
int half_of(const TensorUse& use, const TermIndex& index) {
  const auto found = std::ranges::find(use.indices, index);
  if (found == use.indices.end()) return -1;
  return found - use.indices.begin() < static_cast<std::ptrdiff_t>(use.half()) ? 0 : 1;
}

/// Indices that `alike` says belong together, in order.
template <class Alike>
std::vector<IndexGroup> gathered(const std::vector<TermIndex>& indices, Alike alike) {
  std::vector<IndexGroup> groups;
  for (const TermIndex& index : indices) {
    const auto group =
        std::ranges::find_if(groups, [&](const IndexGroup& each) { return alike(each.front(), index); });
    if (group == groups.end()) {
      groups.push_back({index});
    } else {
      group->push_back(index);
    }
  }
  return groups;
}

}  // namespace

std::vector<TermIndex> summed_indices(const ProgramTerm& term) {
  std::vector<TermIndex> summed;
  for (const TermIndex& index : term.operands[0].indices) {
    if (half_of(term.operands[1], index) >= 0) summed.push_back(index);
  }
  return summed;
}

std::vector<IndexGroup> groups_of_result(const ProgramTerm& term) {
  return gathered(term.result.indices, [&](const TermIndex& x, const TermIndex& y) {
    return x.space == y.space && std::ranges::any_of(term.operands, [&](const TensorUse& use) {
             const int half = half_of(use, x);
             return half >= 0 && half == half_of(use, y);
           });
  });
}

std::vector<IndexGroup> summed_groups(const ProgramTerm& term) {
  return gathered(summed_indices(term), [&](const TermIndex& x, const TermIndex& y) {
    return x.space == y.space && std::ranges::all_of(term.operands, [&](const TensorUse& use) {
             return half_of(use, x) == half_of(use, y);
           });
  });
}

}  // namespace foretile
