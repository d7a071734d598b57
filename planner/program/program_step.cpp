// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/program_step.hpp"

#include <algorithm>
#include <array>

namespace foretile {

namespace {

/// Of the term's product, with tiles as they are stored.
Contraction as_stored(const FusedProgramTerm& term) {
  Contraction product = term.product->contraction();
  for (std::int32_t k = 0; k < product.k.tiles(); ++k)
    product.products_of_k.push_back(term.product->product_of(k));
  return product;
}

/// Tiles are where the blocks are of which they are made. Those of a kept block are in place, or in another
/// order.
OperandContext context_of(const FusedProgram& program, const ProgramDistribution& distribution,
                          const ProgramStep& step, Matrix matrix) {
  OperandContext context;
  for (TileId tile = 0; tile < shape_of(step.joined->contraction(), matrix).nonzeros(); ++tile) {
    const PermutedBlock from = operand_of(program, step, {matrix, tile});
    context.owners.push_back(distribution.owner_of(from.block));
    const bool kept = !distribution.is_on_demand(from.block.tensor);
    context.in_place.push_back(kept && from.is_block());
    context.in_other_order.push_back(kept && !from.is_block());
  }
  return context;
}

std::vector<std::optional<Rank>> c_owners_of(const FusedProgram& program,
                                             const ProgramDistribution& distribution,
                                             const ProgramStep& step) {
  std::vector<std::optional<Rank>> owners;
  const auto is_at_owners = [&](std::size_t term) { return distribution.is_at_owners(term); };
  if (std::ranges::none_of(step.products, is_at_owners)) return owners;
  for (TileId tile = 0; tile < step.joined->contraction().c.nonzeros(); ++tile) {
    const JoinedProducts::Tile at = step.joined->at({Matrix::c, tile});
    const std::size_t term = step.products[at.part];
    owners.emplace_back();
    if (is_at_owners(term))
      owners.back() =
          distribution.owner_of({program.terms()[term].result, program.additions(term, at.tile).front().to});
  }
  return owners;
}

}  // namespace

TermPart whole_term(const FusedProgram& program, std::size_t term) {
  const FusedProgramTerm& fused = program.terms()[term];
  if (!fused.is_product()) return {term, {0, static_cast<std::int32_t>(fused.copies.size())}};
  const Contraction& product = fused.product->contraction();
  return {term, {0, product.m.tiles()}, {0, product.n.tiles()}};
}

const Contraction& TermProducts::of(std::size_t term) {
  const FusedProgramTerm& fused = program_.terms()[term];
  const auto found = products_.find(term);
  return found != products_.end() ? found->second
                                  : products_.emplace(term, foretile::as_stored(fused)).first->second;
}

ProgramStep make_step(TermProducts& products, const ProgramDistribution& distribution,
                      std::vector<TermPart> terms) {
  const FusedProgram& program = products.program();
  ProgramStep step;
  step.terms = std::move(terms);
  std::vector<ProductPart> parts;
  for (const TermPart& part : step.terms) {
    const FusedProgramTerm& fused = program.terms()[part.term];
    if (!fused.multiplies()) continue;
    const int pieces = distribution.split_k_of(part.term);
    for (int piece = 0; piece < pieces; ++piece) {
      step.products.push_back(part.term);
      parts.push_back(
          {products.of(part.term), part.rows, part.columns, {piece, pieces, program.program().spatial}});
    }
  }
  if (parts.empty()) return step;
  step.joined.emplace(parts);
  step.context.a = context_of(program, distribution, step, Matrix::a);
  step.context.b = context_of(program, distribution, step, Matrix::b);
  step.context.shares = rank_shares(parts);
  step.context.c_owners = c_owners_of(program, distribution, step);
  step.context.neighbours = program.program().spatial;
  return step;
}

PermutedBlock operand_of(const FusedProgramTerm& term, TileRef tile) {
  const std::size_t matrix = tile.matrix == Matrix::a ? 0 : 1;
  const BlockPlace place = term.product->stored_tile(matrix, tile.id);
  return {{term.operands[matrix], place.block}, place.order, place.order.negative ? -1.0 : 1.0};
}

PermutedBlock operand_of(const FusedProgram& program, const ProgramStep& step, TileRef tile) {
  const JoinedProducts::Tile at = step.joined->at(tile);
  return operand_of(program.terms()[step.products[at.part]], {tile.matrix, at.tile});
}

}  // namespace foretile
