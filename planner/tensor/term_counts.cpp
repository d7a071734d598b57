// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "planner/tensor/program_tensors.hpp"
#include "planner/tensor/spin_sums.hpp"

namespace foretile {

namespace {

bool is_conserved(const IndexedTensor& tensor, const Spins& spins) {
  return foretile::is_conserved(tensor.indices, tensor.upper, spins);
}

/// Of a chain whose tile of the result has these spins.
Tuples products_of_chain(const TensorTerm& term, const std::vector<IndexList>& summed, const Spins& of_result,
                         const std::vector<LabelledTiles>& tiles) {
  Tuples products = kNoTuples;
  for (const Spins& spins : all_spins(summed_indices(term), of_result)) {
    const bool both = std::ranges::all_of(
        term.operands, [&](const IndexedTensor& operand) { return is_conserved(operand, spins); });
    if (both) products += tuples_of(summed, term.spaces, spins, tiles);
  }
  return products;
}

std::int64_t whole(double count, const std::string& where) {
  constexpr double kMost = 9007199254740992;  // 2^53: whole numbers to there are exact
  if (count <= kMost) return static_cast<std::int64_t>(count);
  throw input_error(where, fmt::format("{:.3g} products of tiles", count),
                    fmt::format("at most {:.3g}", kMost), "take larger tiles");
}

}  // namespace

TermCounts count_term(const ProgramTerm& program_term, const std::vector<LabelledTiles>& tiles,
                      const std::string& source) {
  TermCounts counts;
  if (!program_term.is_product()) return counts;
  const TensorTerm term = tensor_term(program_term);
  const std::vector<IndexList> result = result_groups(term), summed = summed_groups(term);
  double chains = 0, gemms = 0, shortest = 0, longest = 0;
  std::map<double, double> lengths;
  for (const Spins& spins : all_spins(term.result.indices, Spins(term.names.size()))) {
    if (!is_conserved(term.result, spins) || is_beta_alone(term.result.indices, spins)) continue;
    const Tuples of_result = tuples_of(result, term.spaces, spins, tiles);
    const Tuples products = products_of_chain(term, summed, spins, tiles);
    if (of_result.count == 0 || products.count == 0) continue;
    chains += of_result.count;
    lengths[products.count] += of_result.count;
    gemms += of_result.count * products.count;
    counts.flops += 2 * of_result.extents * products.extents;
    shortest = shortest == 0 ? products.count : std::min(shortest, products.count);
    longest = std::max(longest, products.count);
  }
  const std::string where = fmt::format("{}, line {}", source, program_term.line);
  counts.chains = whole(chains, where);
  counts.gemms = whole(gemms, where);
  counts.shortest = whole(shortest, where);
  counts.longest = whole(longest, where);
  for (const auto& [length, count] : lengths) counts.lengths[whole(length, where)] = whole(count, where);
  return counts;
}

TermCounts sum_of(const std::vector<TermCounts>& terms, const std::string& source) {
  TermCounts sum;
  double chains = 0, gemms = 0;
  for (const TermCounts& term : terms) {
    chains += static_cast<double>(term.chains);
    gemms += static_cast<double>(term.gemms);
    sum.flops += term.flops;
  }
  sum.chains = whole(chains, source);
  sum.gemms = whole(gemms, source);
  return sum;
}

}  // namespace foretile
