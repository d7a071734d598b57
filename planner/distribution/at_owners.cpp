// SPDX-License-Identifier: BSD-3-Clause
#include "planner/distribution/at_owners.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "planner/plan/products_of_tile.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

Settings settings_of(const ProgramDistribution& distribution, std::size_t term, const Settings& settings) {
  const std::string own = distribution.strategy_of(term);
  return own.empty() ? settings : settings_of_strategy(own, settings);
}

bool writes_alone(const FusedProgram& program, std::size_t term) {
  const std::size_t result = program.terms()[term].result;
  return program.tensors()[result].role == TensorRole::intermediate &&
         std::ranges::count(program.terms(), result, &FusedProgramTerm::result) == 1;
}

bool is_read_by_products(const FusedProgram& program, std::size_t tensor) {
  return std::ranges::any_of(program.terms(), [&](const FusedProgramTerm& term) {
    return term.is_product() && std::ranges::find(term.operands, tensor) != term.operands.end();
  });
}

bool are_added_once(const FusedProgram& program, std::size_t term) {
  const TileId tiles = program.terms()[term].product->contraction().c.nonzeros();
  for (TileId c = 0; c < tiles; ++c) {
    if (program.additions(term, c).size() != 1) return false;
  }
  return true;
}

/// A term whose tiles of C are where the blocks are.
struct AtOwners {
  double operand_bytes = 0;  ///< A and B that come to the ranks
  double most_work = 0, all_work = 0, largest_tile = 0;
  int ranks;

  AtOwners(const FusedProgram& program, const ProgramDistribution& distribution, std::size_t term)
      : ranks(distribution.ranks) {
    const Contraction& p = program.terms()[term].product->contraction();
    const std::size_t result = program.terms()[term].result;
    std::vector<double> work(static_cast<std::size_t>(distribution.ranks), 0);
    std::set<std::pair<int, TileId>> a_at, b_at;
    for (TileId c = 0; c < p.c.nonzeros(); ++c) {
      const int rank = distribution.owner_of({result, program.additions(term, c).front().to});
      double flops = 0;
      for_each_product_of(p, c, [&](TileId a, TileId b) {
        flops += p.flops(p.c.row_of(c), p.c.column_of(c), p.a.column_of(a));
        if (a_at.emplace(rank, a).second) operand_bytes += static_cast<double>(p.a_bytes(a));
        if (b_at.emplace(rank, b).second) operand_bytes += static_cast<double>(p.b_bytes(b));
      });
      work[static_cast<std::size_t>(rank)] += flops;
      all_work += flops;
      largest_tile = std::max(largest_tile, flops);
    }
    most_work = std::ranges::max(work);
  }

  bool is_even() const {
    constexpr double kEven = 1.1;
    return most_work <= kEven * all_work / ranks + largest_tile;
  }
};

}  // namespace

std::vector<bool> may_be_at_owners(const FusedProgram& program, const ProgramDistribution& distribution,
                                   const Settings& settings) {
  std::vector<bool> may;
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    const FusedProgramTerm& fused = program.terms()[term];
    may.push_back(fused.multiplies() && distribution.split_k_of(term) == 1 && writes_alone(program, term) &&
                  is_read_by_products(program, fused.result) && are_added_once(program, term) &&
                  operand_bytes(fused.product->contraction(), 1, settings_of(distribution, term, settings)));
  }
  return may;
}

std::vector<bool> worth_being_at_owners(const FusedProgram& program, const ProgramDistribution& distribution,
                                        const Machine& machine, const Settings& settings) {
  std::vector<bool> worth = distribution.at_owners;
  for (std::size_t term = 0; term < worth.size(); ++term) {
    if (!worth[term]) continue;
    const Contraction& product = program.terms()[term].product->contraction();
    const double elsewhere =
        *operand_bytes(product, machine.ranks, settings_of(distribution, term, settings)) +
        bytes_of_all(product, Matrix::c);
    const AtOwners there(program, distribution, term);
    worth[term] = there.operand_bytes < elsewhere && there.is_even();
  }
  return worth;
}

}  // namespace foretile
