// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/fusion.hpp"

#include <algorithm>
#include <tuple>

namespace foretile {

namespace {

IndexList joined(IndexList first, const IndexList& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The indices that both have, in the order of the first.
IndexList common(const IndexList& first, const IndexList& second) {
  IndexList both;
  for (const std::size_t index : first) {
    if (std::ranges::find(second, index) != second.end()) both.push_back(index);
  }
  return both;
}

void fit(const TensorTerm& term, Fusion& fusion) {
  const IndexList &a = term.operands[fusion.operand[0]].indices,
                  &b = term.operands[fusion.operand[1]].indices;
  const bool a_plain = a == joined(fusion.m, fusion.k), b_plain = b == joined(fusion.k, fusion.n);
  fusion.is_transposed = {!a_plain && a == joined(fusion.k, fusion.m),
                          !b_plain && b == joined(fusion.n, fusion.k)};
  fusion.fits = {a_plain || fusion.is_transposed[0], b_plain || fusion.is_transposed[1],
                 term.result.indices == joined(fusion.m, fusion.n)};
}

double cost(const Fusion& fusion, const FusionWeights& weights) {
  return (fusion.fits[0] ? 0 : weights.at(fusion.operand[0])) +
         (fusion.fits[1] ? 0 : weights.at(fusion.operand[1])) + (fusion.fits[2] ? 0 : weights[2]);
}

}  // namespace

std::size_t Fusion::permuted() const {
  return static_cast<std::size_t>(std::ranges::count(fits, false));
}

Fusion best_fusion(const TensorTerm& term, const FusionWeights& weights, std::optional<std::size_t> b) {
  std::optional<Fusion> best;
  for (const std::size_t second : {std::size_t{1}, std::size_t{0}}) {
    if (b && *b != second) continue;
    Fusion fusion;
    fusion.operand = {1 - second, second};
    const IndexList &in_a = term.operands[1 - second].indices, &in_b = term.operands[second].indices,
                    &in_c = term.result.indices;
    for (const IndexList& m : {common(in_a, in_c), common(in_c, in_a)}) {
      for (const IndexList& k : {common(in_a, in_b), common(in_b, in_a)}) {
        for (const IndexList& n : {common(in_b, in_c), common(in_c, in_b)}) {
          fusion.m = m, fusion.k = k, fusion.n = n;
          fit(term, fusion);
          const auto price = [&](const Fusion& one) {
            return std::tuple(cost(one, weights), one.permuted());
          };
          if (!best || price(fusion) < price(*best)) best = fusion;
        }
      }
    }
  }
  return *best;
}

}  // namespace foretile
