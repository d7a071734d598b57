// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/block_owners.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>

#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

namespace {

/// Bytes that a rank saves by keeping a block.
using SavedBytes = std::map<int, std::int64_t>;
/// By tensor and block.
using AllSaved = std::vector<std::vector<SavedBytes>>;

/// Ranks that need each tile of A, or of B.
using NeedingRanks = std::vector<std::vector<int>>;

void note_need(NeedingRanks& needs, TileId tile, int rank) {
  std::vector<int>& ranks = needs[static_cast<std::size_t>(tile)];
  if (ranks.empty() || ranks.back() != rank) ranks.push_back(rank);
}

std::array<NeedingRanks, 2> needs_of(const PlannedWork& work) {
  const Contraction& p = work.contraction;
  std::array<NeedingRanks, 2> needs{NeedingRanks(static_cast<std::size_t>(p.a.nonzeros())),
                                    NeedingRanks(static_cast<std::size_t>(p.b.nonzeros()))};
  for (std::size_t rank = 0; rank < work.plan.ranks.size(); ++rank) {
    for (const DevicePlan& device : work.plan.ranks[rank].devices) {
      for_each_product(p, device, [&](const Product& product) {
        note_need(needs[0], product.a, static_cast<int>(rank));
        note_need(needs[1], product.b, static_cast<int>(rank));
      });
    }
  }
  return needs;
}

class OwnerChoice {
 public:
  OwnerChoice(const FusedProgram& program, const ProgramDistribution& distribution)
      : program_(program),
        distribution_(distribution),
        ranks_(static_cast<std::size_t>(distribution.ranks)),
        kept_(ranks_, 0) {
    for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
      const auto blocks = static_cast<std::size_t>(program.blocks(tensor).count());
      saved_.emplace_back(blocks);
      owners_.emplace_back(blocks, Rank(0));
    }
  }

  void note(const StepPlan& plan) {
    if (!plan.work) return;
    const auto needs = needs_of(*plan.work);
    for (const Matrix matrix : {Matrix::a, Matrix::b}) note_operand(plan, matrix, needs);
    note_results(plan);
  }

  std::vector<std::vector<Rank>> owners() {
    for (const std::size_t tensor : results_first()) {
      note_copies(tensor);
      distribute(tensor);
    }
    return std::move(owners_);
  }

 private:
  /// A plan that does not leave tiles where they are gets them from the owners that it wants.
  void note_operand(const StepPlan& plan, Matrix matrix, const std::array<NeedingRanks, 2>& needs) {
    const Contraction& p = plan.work->contraction;
    const std::size_t number = matrix == Matrix::a ? 0 : 1;
    if (plan.work->plan.operands.of(matrix).generated()) return;
    const bool stays =
        plan.work->plan.operands.of(matrix).distribution.owners == plan.step.context.of(matrix).owners;
    for (TileId tile = 0; tile < shape_of(p, matrix).nonzeros(); ++tile) {
      const TileRef ref{matrix, tile};
      SavedBytes& saved = of(operand_of(program_, plan.step, ref).block);
      if (stays) {
        for (const int rank : needs.at(number)[static_cast<std::size_t>(tile)])
          saved[rank] += bytes_of(p, ref);
      } else {
        saved[owner_of(p, plan.work->plan, ref)] += bytes_of(p, ref);
      }
    }
  }

  void note_results(const StepPlan& plan) {
    const std::vector<Rank> c_owners = owners_of_c(plan.work->contraction, plan.work->plan);
    for (TileId tile = 0; tile < std::ssize(c_owners); ++tile) {
      const JoinedProducts::Tile at = plan.step.joined->at({Matrix::c, tile});
      const std::size_t term = plan.step.products[at.part];
      if (distribution_.is_at_owners(term)) continue;
      for (const Addition& addition : program_.additions(term, at.tile))
        of({program_.terms()[term].result, addition.to})[c_owners[static_cast<std::size_t>(tile)]] +=
            plan.work->contraction.c_bytes(tile);
    }
  }

  SavedBytes& of(const ProgramBlock& block) {
    return saved_[block.tensor][static_cast<std::size_t>(block.block)];
  }
  std::int64_t bytes(std::size_t tensor, std::size_t block) const {
    return program_.bytes(tensor, static_cast<BlockId>(block));
  }

  /// By the highest level that writes them, which is above that of what is copied to them.
  std::vector<std::size_t> results_first() const {
    std::vector<int> written(owners_.size(), 0);
    for (std::size_t term = 0; term < program_.terms().size(); ++term) {
      int& level = written[program_.terms()[term].result];
      level = std::max(level, program_.order()[term].level);
    }
    std::vector<std::size_t> tensors(owners_.size());
    std::iota(tensors.begin(), tensors.end(), std::size_t{0});
    std::ranges::stable_sort(tensors, std::ranges::greater{},
                             [&](std::size_t tensor) { return written[tensor]; });
    return tensors;
  }

  void note_copies(std::size_t tensor) {
    for (std::size_t number = 0; number < program_.terms().size(); ++number) {
      const FusedProgramTerm& term = program_.terms()[number];
      if (term.is_product() || term.operands[0] != tensor) continue;
      for (const CopiedBlock& copy : term.copies) {
        for (const Addition& addition : program_.additions(number, copy)) {
          const Rank to = owners_[term.result][static_cast<std::size_t>(addition.to)];
          of({tensor, copy.from})[to] += bytes(tensor, static_cast<std::size_t>(copy.from));
        }
      }
    }
  }

  void distribute(std::size_t tensor) {
    struct Wish {
      std::int64_t saved_bytes;
      std::size_t block;
      int rank;
    };
    const std::size_t blocks = owners_[tensor].size();
    std::vector<Wish> wishes;
    std::int64_t all = 0, largest = 0;
    for (std::size_t block = 0; block < blocks; ++block) {
      for (const auto& [rank, saved] : saved_[tensor][block]) wishes.push_back({saved, block, rank});
      all += bytes(tensor, block);
      largest = std::max(largest, bytes(tensor, block));
    }
    std::ranges::sort(wishes, {},
                      [](const Wish& wish) { return std::tuple(-wish.saved_bytes, wish.block, wish.rank); });
    const std::int64_t most = all / static_cast<std::int64_t>(ranks_) + largest;
    std::vector<std::int64_t> of_rank(ranks_, 0);
    std::vector<bool> distributed(blocks, false);
    const auto give = [&](std::size_t block, std::size_t rank) {
      distributed[block] = true;
      owners_[tensor][block] = Rank::of(rank);
      of_rank[rank] += bytes(tensor, block);
      if (!distribution_.is_on_demand(tensor)) kept_[rank] += bytes(tensor, block);
    };
    for (const auto& [saved, block, rank] : wishes) {
      const auto to = static_cast<std::size_t>(rank);
      if (!distributed[block] && of_rank[to] + bytes(tensor, block) <= most) give(block, to);
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      if (!distributed[block]) give(block, emptiest(of_rank));
    }
  }

  /// Of this tensor, then of all so far.
  std::size_t emptiest(const std::vector<std::int64_t>& of_rank) const {
    std::size_t best = 0;
    for (std::size_t rank = 1; rank < of_rank.size(); ++rank) {
      if (std::pair(of_rank[rank], kept_[rank]) < std::pair(of_rank[best], kept_[best])) best = rank;
    }
    return best;
  }

  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  std::size_t ranks_;
  AllSaved saved_;
  std::vector<std::vector<Rank>> owners_;
  std::vector<std::int64_t> kept_;  // by rank: bytes of all tensors so far
};

}  // namespace

std::vector<std::vector<Rank>> choose_owners(const FusedProgram& program,
                                             const ProgramDistribution& distribution,
                                             const std::vector<StepPlan>& plans) {
  OwnerChoice choice(program, distribution);
  for (const StepPlan& plan : plans) choice.note(plan);
  return choice.owners();
}

}  // namespace foretile
