// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/level_moves.hpp"

#include <algorithm>

#include "planner/plan/owners.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kElementBytes = 8;

class MoveCounter {
 public:
  MoveCounter(const FusedProgram& program, const ProgramDistribution& distribution, const Machine& machine,
              const ProgramLevel& level, const PlannedWork* work)
      : program_(program),
        distribution_(distribution),
        machine_(machine),
        level_(level),
        work_(work),
        moves_(static_cast<std::size_t>(machine.ranks)) {
    if (work) owners_of_c_ = owners_of_c(work->contraction, work->plan);
  }

  std::vector<LevelMoves> count(const std::function<bool(std::size_t)>& is_there) {
    count_blocks(is_there);
    count_moves();
    if (work_) count_products();
    for (const TermPart& part : level_.terms) count_copies(part.term);
    return std::move(moves_);
  }

 private:
  LevelMoves& of(Rank rank) { return moves_[static_cast<std::size_t>(static_cast<int>(rank))]; }
  std::int64_t bytes(const ProgramBlock& block) const { return bytes_of(program_, block); }
  Rank owner(const ProgramBlock& block) const { return distribution_.owner_of(block); }
  Rank owner(TileRef tile) const {
    return tile.matrix == Matrix::c ? owners_of_c_[static_cast<std::size_t>(tile.id)]
                                    : owner_of(work_->contraction, work_->plan, tile);
  }

  void count_blocks(const std::function<bool(std::size_t)>& is_there) {
    for (std::size_t tensor = 0; tensor < program_.tensors().size(); ++tensor) {
      if (!is_there(tensor) || distribution_.is_on_demand(tensor)) continue;
      for (BlockId block = 0; block < program_.blocks(tensor).count(); ++block)
        of(owner({tensor, block})).blocks_bytes += bytes({tensor, block});
    }
  }

  void count_moves() {
    const auto of_tile = [this](TileRef tile) { return owner(tile); };
    for (const auto& move : block_moves(program_, distribution_, level_, of_tile)) {
      of(move.from).sent_bytes += bytes(move.piece);
      of(move.to).received_bytes += bytes(move.piece);
    }
    for (const auto& move : result_moves(program_, distribution_, level_, of_tile)) {
      of(move.from).c_sent_bytes += work_->contraction.c_bytes(move.piece);
      of(move.to).c_received_bytes += work_->contraction.c_bytes(move.piece);
    }
    for (std::size_t tile = 0; tile < owners_of_c_.size(); ++tile)
      of(owners_of_c_[tile]).c_bytes += work_->contraction.c_bytes(static_cast<TileId>(tile));
  }

  void count_products() {
    const Contraction& joined = work_->contraction;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(joined, matrix).nonzeros(); ++tile) {
        LevelMoves& rank = of(owner(TileRef{matrix, tile}));
        const PermutedBlock from = operand_of(program_, level_, {matrix, tile});
        const bool filled = distribution_.is_on_demand(from.block.tensor) && from.is_block();
        std::int64_t& bytes = from.order.is_identity() ? rank.copied_bytes : rank.permuted_bytes;
        if (!filled) bytes += own_bytes_of(joined, work_->plan, {matrix, tile});
        count_made(from.block, rank, !filled);
      }
    }
    for (TileId tile = 0; tile < joined.c.nonzeros(); ++tile) {
      const JoinedProducts::Tile at = level_.joined->at({Matrix::c, tile});
      const std::size_t term = level_.products[at.part];
      count_additions(term, program_.additions(term, at.tile), joined.c_bytes(tile));
    }
  }

  void count_copies(std::size_t term) {
    for (const CopiedBlock& copy : program_.terms()[term].copies) {
      const ProgramBlock from{program_.terms()[term].operands[0], copy.from};
      const std::vector<Addition> additions = program_.additions(term, copy);
      count_additions(term, additions, bytes(from));
      for (const Addition& addition : additions)
        count_made(from, of(owner({program_.terms()[term].result, addition.to})), true);
    }
  }

  /// `beside`: in memory of its own, before it becomes a tile or is added.
  void count_made(const ProgramBlock& block, LevelMoves& rank, bool beside) const {
    if (!distribution_.is_on_demand(block.tensor)) return;
    rank.made_bytes += bytes(block);
    if (beside) rank.making_bytes = std::max(rank.making_bytes, machine_.cores_per_rank() * bytes(block));
  }

  void count_additions(std::size_t term, const std::vector<Addition>& additions, std::int64_t added) {
    for (const Addition& addition : additions) {
      LevelMoves& rank = of(owner({program_.terms()[term].result, addition.to}));
      rank.added_bytes += added;
      if (!addition.order.is_identity()) rank.added_permuted_bytes += added;
    }
  }

  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  const Machine& machine_;
  const ProgramLevel& level_;
  const PlannedWork* work_;
  std::vector<Rank> owners_of_c_;
  std::vector<LevelMoves> moves_;
};

}  // namespace

std::vector<LevelMoves> moves_of(const FusedProgram& program, const ProgramDistribution& distribution,
                                 const Machine& machine, const ProgramLevel& level, const PlannedWork* work,
                                 const std::function<bool(std::size_t)>& is_there) {
  return MoveCounter(program, distribution, machine, level, work).count(is_there);
}

std::int64_t bytes_of(const FusedProgram& program, const ProgramBlock& block) {
  return kElementBytes * program.blocks(block.tensor).elements(block.block);
}

}  // namespace foretile
