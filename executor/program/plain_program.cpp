// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/plain_program.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "planner/program/term_order.hpp"

namespace foretile {

namespace {

std::vector<std::int64_t> extents_of(const IndexList& spaces, const SpinOrbitals& orbitals) {
  std::vector<std::int64_t> extents;
  for (const std::size_t space : spaces) extents.push_back(orbitals.count(space));
  return extents;
}

std::int64_t volume(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::int64_t> zeros(const std::vector<std::int64_t>& like) {
  return std::vector<std::int64_t>(like.size(), 0);
}

/// The place of an element, whose positions have the numbers at[indices[p]].
std::int64_t place_of(const IndexList& indices, const std::vector<std::int64_t>& at,
                      const std::vector<std::int64_t>& extents) {
  std::int64_t place = 0;
  for (std::size_t p = indices.size(); p-- > 0;) place = place * extents[p] + at[indices[p]];
  return place;
}

/// Adds W, and W with like indices that come from different operands exchanged, to R: a sum over all orders
/// of the positions of one half and space, divided by the orders in which W is antisymmetric already.
void add_antisymmetrized(const ProgramTerm& term, const IndexList& spaces, const PlainTensor& w,
                         PlainTensor& r) {
  std::map<std::pair<bool, std::size_t>, IndexList> halves;
  for (std::size_t p = 0; p < spaces.size(); ++p) halves[{p >= term.result.half(), spaces[p]}].push_back(p);
  const auto operand_of = [&](std::size_t p) {
    const auto& first = term.operands[0].indices;
    return std::ranges::find(first, term.result.indices[p]) == first.end();
  };
  struct Order {
    IndexList from;
    long double factor;
  };
  IndexList as_is(spaces.size());
  std::iota(as_is.begin(), as_is.end(), std::size_t{0});
  std::vector<Order> orders{{as_is, 1}};
  if (term.result.spatial) halves.clear();
  for (const auto& [key, group] : halves) {
    long double same = 1;
    std::map<bool, int> of_operand;
    for (const std::size_t p : group) same *= ++of_operand[operand_of(p)];
    std::vector<Order> more;
    IndexList taken(group.size());
    std::iota(taken.begin(), taken.end(), std::size_t{0});
    do {
      long double sign = 1;
      for (std::size_t i = 0; i < taken.size(); ++i) {
        for (std::size_t j = i + 1; j < taken.size(); ++j) sign = taken[j] < taken[i] ? -sign : sign;
      }
      for (const Order& before : orders) {
        Order order = before;
        for (std::size_t i = 0; i < group.size(); ++i) order.from[group[i]] = group[taken[i]];
        order.factor *= sign / same;
        more.push_back(std::move(order));
      }
    } while (std::next_permutation(taken.begin(), taken.end()));
    orders = std::move(more);
  }
  std::vector<std::int64_t> moved(spaces.size());
  std::size_t place = 0;
  for_each_element(zeros(r.extents), r.extents, [&](const std::vector<std::int64_t>& at) {
    for (const Order& order : orders) {
      // Position p of R is position from[p] of W.
      for (std::size_t p = 0; p < moved.size(); ++p) moved[order.from[p]] = at[p];
      r.values[place] += order.factor * w.values[static_cast<std::size_t>(place_of(as_is, moved, w.extents))];
    }
    ++place;
  });
}

void add_term(const ProgramTerm& written, const std::vector<ProgramTensor>& tensors,
              const SpinOrbitals& orbitals, std::vector<PlainTensor>& all) {
  const TensorTerm term = tensor_term(written);
  const std::vector<std::int64_t> extents = extents_of(term.spaces, orbitals);
  PlainTensor& result = all[number_of(written.result, tensors)];
  PlainTensor w{result.extents, std::vector<long double>(result.values.size(), 0), 0};
  for_each_element(zeros(extents), extents, [&](const std::vector<std::int64_t>& at) {
    long double product = term.factor;
    for (std::size_t o = 0; o < written.operands.size() && product != 0; ++o) {
      const PlainTensor& operand = all[number_of(written.operands[o], tensors)];
      product *=
          operand.values[static_cast<std::size_t>(place_of(term.operands[o].indices, at, operand.extents))];
    }
    w.values[static_cast<std::size_t>(place_of(term.result.indices, at, w.extents))] += product;
  });
  IndexList spaces;
  for (const TermIndex& index : written.result.indices) spaces.push_back(index.space);
  for (const long double value : w.values) result.largest_sum = std::max(result.largest_sum, std::abs(value));
  add_antisymmetrized(written, spaces, w, result);
}

}  // namespace

namespace {

double product_of_extents(const IndexList& spaces, const SpinOrbitals& orbitals) {
  double product = 1;
  for (const std::int64_t extent : extents_of(spaces, orbitals)) product *= static_cast<double>(extent);
  return product;
}

}  // namespace

double plain_elements(const std::vector<ProgramTensor>& tensors, const SpinOrbitals& orbitals) {
  double elements = 0;
  for (const ProgramTensor& tensor : tensors) elements += product_of_extents(tensor.rules.spaces, orbitals);
  return elements;
}

double plain_work(const Program& program, const std::vector<ProgramTensor>& tensors,
                  const SpinOrbitals& orbitals) {
  double work = plain_elements(tensors, orbitals);
  for (const ProgramTerm& term : program.terms)
    work += product_of_extents(tensor_term(term).spaces, orbitals);
  return work;
}

std::vector<PlainTensor> plain_program(const Program& program, const SpinOrbitals& orbitals,
                                       const ProgramNumbers& numbers) {
  const std::vector<ProgramTensor> tensors = tensors_of(program);
  std::vector<PlainTensor> all;
  for (const ProgramTensor& tensor : tensors) {
    PlainTensor& plain = all.emplace_back();
    plain.extents = extents_of(tensor.rules.spaces, orbitals);
    const auto size = static_cast<std::size_t>(volume(plain.extents));
    plain.values.assign(size, 0);
    if (tensor.role != TensorRole::given) continue;
    std::vector<double> given(size);
    numbers.fill(tensor, zeros(plain.extents), plain.extents, given.data());
    std::ranges::copy(given, plain.values.begin());
  }
  const std::vector<TermOrder> order = order_of_terms(program, "the program");
  std::set<int> levels;
  for (const TermOrder& one : order) levels.insert(one.level);
  for (const int level : levels) {
    for (std::size_t t = 0; t < program.terms.size(); ++t) {
      if (order[t].level == level) add_term(program.terms[t], tensors, orbitals, all);
    }
  }
  return all;
}

}  // namespace foretile
