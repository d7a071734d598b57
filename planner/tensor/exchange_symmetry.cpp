// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/exchange_symmetry.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace foretile {

namespace {

using Mirror = std::vector<std::size_t>;
using Names = std::vector<std::string>;

Names names_of(const TensorUse& use) {
  Names names;
  for (const TermIndex& index : use.indices) names.push_back(index.name);
  return names;
}

/// All ways to exchange some positions of like spaces in pairs, but for none.
std::vector<Mirror> exchanges_of(const IndexList& spaces) {
  Mirror none(spaces.size());
  std::iota(none.begin(), none.end(), std::size_t{0});
  std::vector<Mirror> all{none};
  for (std::size_t p = 0; p < spaces.size(); ++p) {
    for (std::size_t listed = all.size(); listed-- > 0;) {
      if (all[listed][p] != p) continue;
      for (std::size_t q = p + 1; q < spaces.size(); ++q) {
        if (spaces[q] != spaces[p] || all[listed][q] != q) continue;
        all.push_back(all[listed]);
        std::swap(all.back()[p], all.back()[q]);
      }
    }
  }
  all.erase(all.begin());
  return all;
}

/// Whether a term stays the same where indices of its result are exchanged.
class TermSymmetry {
 public:
  TermSymmetry(const ProgramTerm& term, const std::vector<ProgramTensor>& tensors) : term_(term) {
    for (const TensorUse& use : term.operands) {
      numbers_.push_back(number_of(use, tensors));
      mirrors_.push_back(&tensors[numbers_.back()].rules.mirror);
    }
    const Names free = names_of(term.result);
    for (const TermIndex& index : term.operands.front().indices) {
      if (std::ranges::find(free, index.name) == free.end()) summed_.push_back(index);
    }
    std::ranges::sort(summed_, {}, &TermIndex::name);
  }

  bool has(const Mirror& exchange) const {
    constexpr std::size_t kMostSummed = 4;  // 24 orders
    if (summed_.size() > kMostSummed) return false;
    std::map<std::string, std::string> renamed;
    const Names free = names_of(term_.result);
    for (std::size_t p = 0; p < free.size(); ++p) renamed[free[p]] = free[exchange[p]];
    std::vector<std::size_t> order(summed_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      bool alike = true;
      for (std::size_t s = 0; s < order.size(); ++s) {
        alike = alike && summed_[s].space == summed_[order[s]].space;
        renamed[summed_[s].name] = summed_[order[s]].name;
      }
      if (alike && stays(renamed)) return true;
    } while (std::ranges::next_permutation(order).found);
    return false;
  }

 private:
  bool stays(const std::map<std::string, std::string>& renamed) const {
    std::vector<Names> before, after;
    for (const TensorUse& use : term_.operands) {
      before.push_back(names_of(use));
      after.push_back(before.back());
      for (std::string& name : after.back()) name = renamed.at(name);
    }
    if (before.size() == 1) return is_same(0, before[0], after[0]);
    if (is_same(0, before[0], after[0]) && is_same(1, before[1], after[1])) return true;
    return numbers_[0] == numbers_[1] && is_same(0, before[0], after[1]) && is_same(1, before[1], after[0]);
  }

  bool is_same(std::size_t operand, const Names& before, const Names& after) const {
    if (before == after) return true;
    const Mirror& mirror = *mirrors_[operand];
    if (mirror.empty()) return false;
    for (std::size_t p = 0; p < before.size(); ++p) {
      if (before[p] != after[mirror[p]]) return false;
    }
    return true;
  }

  const ProgramTerm& term_;
  std::vector<std::size_t> numbers_;  // of the operands
  std::vector<const Mirror*> mirrors_;
  std::vector<TermIndex> summed_;
};

Mirror mirror_of(const ProgramTensor& tensor, const std::vector<TermSymmetry>& writers) {
  for (const Mirror& exchange : exchanges_of(tensor.rules.spaces)) {
    if (std::ranges::all_of(writers, [&](const TermSymmetry& writer) { return writer.has(exchange); }))
      return exchange;
  }
  return {};
}

}  // namespace

void derive_mirrors(const Program& program, std::vector<ProgramTensor>& tensors) {
  if (program.halves) return;
  std::vector<std::vector<TermSymmetry>> writers(tensors.size());
  for (const ProgramTerm& term : program.terms)
    writers[number_of(term.result, tensors)].emplace_back(term, tensors);
  for (bool found = true; found;) {  // one that is found may show another
    found = false;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      if (tensors[t].role != TensorRole::intermediate || !tensors[t].rules.mirror.empty()) continue;
      tensors[t].rules.mirror = mirror_of(tensors[t], writers[t]);
      found = found || !tensors[t].rules.mirror.empty();
    }
  }
}

}  // namespace foretile
