// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/program_level.hpp"

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

/// Tiles are where the blocks are of which they are copies. Those that equal a kept block are in place.
OperandContext context_of(const FusedProgram& program, const ProgramDistribution& distribution,
                          const ProgramLevel& level, Matrix matrix) {
  OperandContext context;
  for (TileId tile = 0; tile < shape_of(level.joined->contraction(), matrix).nonzeros(); ++tile) {
    const PermutedBlock from = operand_of(program, level, {matrix, tile});
    context.owners.push_back(distribution.owner_of(from.block));
    if (level.as_stored)
      context.in_place.push_back(from.is_block() && !distribution.is_on_demand(from.block.tensor));
  }
  return context;
}

}  // namespace

TermPart whole_term(const FusedProgram& program, std::size_t term) {
  const FusedProgramTerm& fused = program.terms()[term];
  if (!fused.is_product()) return {term};
  const Contraction& product = fused.product->contraction();
  return {term, {0, product.m.tiles()}, {0, product.n.tiles()}};
}

const Contraction& TermProducts::of(std::size_t term) {
  const FusedProgramTerm& fused = program_.terms()[term];
  if (!as_stored()) return fused.product->contraction();
  const auto found = products_.find(term);
  return found != products_.end() ? found->second
                                  : products_.emplace(term, foretile::as_stored(fused)).first->second;
}

ProgramLevel level_of(TermProducts& products, const ProgramDistribution& distribution,
                      std::vector<TermPart> terms) {
  const FusedProgram& program = products.program();
  ProgramLevel level;
  level.terms = std::move(terms);
  level.as_stored = products.as_stored();
  std::vector<ProductPart> parts;
  for (const TermPart& part : level.terms) {
    const FusedProgramTerm& fused = program.terms()[part.term];
    if (!fused.is_product() || fused.product->contraction().c.nonzeros() == 0) continue;
    const int pieces = distribution.pieces_of(part.term);
    for (int piece = 0; piece < pieces; ++piece) {
      level.products.push_back(part.term);
      parts.push_back({products.of(part.term), part.rows, part.columns, {piece, pieces}});
    }
  }
  if (parts.empty()) return level;
  level.joined.emplace(parts);
  level.context.a = context_of(program, distribution, level, Matrix::a);
  level.context.b = context_of(program, distribution, level, Matrix::b);
  level.context.shares = rank_shares(parts);
  return level;
}

PermutedBlock operand_of(const FusedProgramTerm& term, TileRef tile, bool as_stored) {
  const std::size_t matrix = tile.matrix == Matrix::a ? 0 : 1;
  const BlockPlace place =
      as_stored ? term.product->stored_tile(matrix, tile.id) : term.product->operand_tile(matrix, tile.id);
  double factor = place.order.negative ? -1 : 1;
  if (matrix == 0 && !as_stored)
    factor *= term.product->multiplicity(term.product->contraction().a.column_of(tile.id));
  return {{term.operands[matrix], place.block}, place.order, factor};
}

PermutedBlock operand_of(const FusedProgram& program, const ProgramLevel& level, TileRef tile) {
  const JoinedProducts::Tile at = level.joined->at(tile);
  return operand_of(program.terms()[level.products[at.part]], {tile.matrix, at.tile}, level.as_stored);
}

std::set<Move<ProgramBlock>> block_moves(const FusedProgram& program, const ProgramDistribution& distribution,
                                         const ProgramLevel& level,
                                         const std::function<Rank(TileRef)>& owner) {
  std::set<Move<ProgramBlock>> moves;
  const auto move = [&](const ProgramBlock& block, Rank to) {
    const Rank from = distribution.owner_of(block);
    if (from != to && !distribution.is_on_demand(block.tensor)) moves.insert({block, from, to});
  };
  if (level.joined) {
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(level.joined->contraction(), matrix).nonzeros(); ++tile)
        move(operand_of(program, level, {matrix, tile}).block, owner({matrix, tile}));
    }
  }
  for (const TermPart& part : level.terms) {
    const FusedProgramTerm& term = program.terms()[part.term];
    for (const CopiedBlock& copy : term.copies) {
      for (const Addition& addition : program.additions(part.term, copy))
        move({term.operands[0], copy.from}, distribution.owner_of({term.result, addition.to}));
    }
  }
  return moves;
}

std::set<Move<TileId>> result_moves(const FusedProgram& program, const ProgramDistribution& distribution,
                                    const ProgramLevel& level, const std::function<Rank(TileRef)>& owner) {
  std::set<Move<TileId>> moves;
  const TileId tiles = level.joined ? level.joined->contraction().c.nonzeros() : 0;
  for (TileId tile = 0; tile < tiles; ++tile) {
    const JoinedProducts::Tile at = level.joined->at({Matrix::c, tile});
    const std::size_t term = level.products[at.part];
    const Rank from = owner({Matrix::c, tile});
    for (const Addition& addition : program.additions(term, at.tile)) {
      const Rank to = distribution.owner_of({program.terms()[term].result, addition.to});
      if (from != to) moves.insert({tile, from, to});
    }
  }
  return moves;
}

}  // namespace foretile
