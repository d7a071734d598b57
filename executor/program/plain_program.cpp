// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/plain_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "planner/tensor/term_order.hpp"

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
  for (std::size_t p = 0; p < spaces.size(); ++p) halves[{p >= term.result.upper(), spaces[p]}].push_back(p);
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
      const auto from = static_cast<std::size_t>(place_of(as_is, moved, w.extents));
      r.values[place] += order.factor * w.values[from];
      r.magnitudes[place] += std::abs(static_cast<double>(order.factor)) * w.magnitudes[from];
    }
    ++place;
  });
}

/// An element, or a product of some, as in PlainTensor.
struct Rounded {
  long double value = 0;
  double magnitude = 0;
};

Rounded operator*(const Rounded& a, const Rounded& b) {
  const auto of_a = std::abs(static_cast<double>(a.value)), of_b = std::abs(static_cast<double>(b.value));
  return {a.value * b.value,
          of_a * b.magnitude + a.magnitude * of_b + kLargestError * a.magnitude * b.magnitude};
}

PlainTensor zero_tensor(std::vector<std::int64_t> extents) {
  const auto size = static_cast<std::size_t>(volume(extents));
  return {std::move(extents), std::vector<long double>(size, 0), std::vector<double>(size, 0)};
}

void add_term(const ProgramTerm& written, const std::vector<ProgramTensor>& tensors,
              const SpinOrbitals& orbitals, std::vector<PlainTensor>& all) {
  const TensorTerm term = tensor_term(written);
  const std::vector<std::int64_t> extents = extents_of(term.spaces, orbitals);
  PlainTensor& result = all[number_of(written.result, tensors)];
  PlainTensor w = zero_tensor(result.extents);
  std::vector<const PlainTensor*> operands;
  for (const auto& operand : written.operands) operands.push_back(&all[number_of(operand, tensors)]);
  for_each_element(zeros(extents), extents, [&](const std::vector<std::int64_t>& at) {
    Rounded product{term.factor, 0};
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const auto from =
          static_cast<std::size_t>(place_of(term.operands[o].indices, at, operands[o]->extents));
      product = product * Rounded{operands[o]->values[from], operands[o]->magnitudes[from]};
      if (product.value == 0 && product.magnitude == 0) return;
    }
    const auto to = static_cast<std::size_t>(place_of(term.result.indices, at, w.extents));
    w.values[to] += product.value;
    w.magnitudes[to] += std::abs(static_cast<double>(product.value)) + product.magnitude;
  });
  IndexList spaces;
  for (const TermIndex& index : written.result.indices) spaces.push_back(index.space);
  add_antisymmetrized(written, spaces, w, result);
}

double product_of_extents(const IndexList& spaces, const SpinOrbitals& orbitals) {
  double product = 1;
  for (const std::int64_t extent : extents_of(spaces, orbitals)) product *= static_cast<double>(extent);
  return product;
}

}  // namespace

double largest_error(const std::vector<double>& found, const PlainTensor& expected) {
  long double largest = 0, difference = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest =
        std::max({largest, std::abs(expected.values[i]), static_cast<long double>(expected.magnitudes[i])});
    const long double one = std::abs(found[i] - expected.values[i]);
    if (std::isnan(one)) return std::numeric_limits<double>::quiet_NaN();
    difference = std::max(difference, one);
  }
  return static_cast<double>(largest > 0 ? difference / largest : difference);
}

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
    PlainTensor& plain = all.emplace_back(zero_tensor(extents_of(tensor.rules.spaces, orbitals)));
    if (tensor.role != TensorRole::given) continue;
    std::vector<double> given(plain.values.size());
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
