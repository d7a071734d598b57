#include "planner/program/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"
#include "planner/program/term_steps.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kElementBytes = 8;

/// Counts what the ranks do around the products of one level.
class MoveCounter {
 public:
  /// `flows`: the plan is a step, in which all tensors count as there.
  MoveCounter(const FusedProgram& program, const Machine& machine, LevelPlan& plan, bool flows)
      : program_(program), machine_(machine), plan_(plan), flows_(flows) {
    plan.moves.assign(static_cast<std::size_t>(machine.ranks), {});
  }

  void count() {
    count_blocks();
    count_moves();
    if (plan_.work) count_products();
    for (const std::size_t term : plan_.level.terms) count_copies(term);
  }

 private:
  LevelMoves& of(Rank rank) { return plan_.moves[static_cast<std::size_t>(static_cast<int>(rank))]; }
  std::int64_t bytes(const ProgramBlock& block) const {
    return kElementBytes * program_.blocks(block.tensor).elements(block.block);
  }
  Rank owner(const ProgramBlock& block) const { return owner_of(block, machine_.ranks); }

  void count_blocks() {
    for (std::size_t tensor = 0; tensor < program_.tensors().size(); ++tensor) {
      if (!flows_ && !program_.is_there(tensor, plan_.number)) continue;
      for (BlockId block = 0; block < program_.blocks(tensor).count(); ++block)
        of(owner({tensor, block})).blocks_bytes += bytes({tensor, block});
    }
  }

  void count_moves() {
    std::vector<Rank> of_c;
    if (plan_.work) of_c = owners_of_c(plan_.work->contraction, plan_.work->plan);
    const auto owner_of_tile = [&](TileRef tile) {
      return tile.matrix == Matrix::c ? of_c[static_cast<std::size_t>(tile.id)]
                                      : owner_of(plan_.work->contraction, plan_.work->plan, tile);
    };
    for (const auto& move : block_moves(program_, plan_.level, owner_of_tile, machine_.ranks)) {
      of(move.from).sent_bytes += bytes(move.piece);
      of(move.to).received_bytes += bytes(move.piece);
    }
    for (const auto& move : result_moves(program_, plan_.level, owner_of_tile, machine_.ranks)) {
      of(move.from).c_sent_bytes += plan_.work->contraction.c_bytes(move.piece);
      of(move.to).c_received_bytes += plan_.work->contraction.c_bytes(move.piece);
    }
    for (std::size_t tile = 0; tile < of_c.size(); ++tile)
      of(of_c[tile]).c_bytes += plan_.work->contraction.c_bytes(static_cast<TileId>(tile));
  }

  void count_products() {
    const Contraction& joined = plan_.work->contraction;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(joined, matrix).nonzeros(); ++tile)
        of(owner_of(joined, plan_.work->plan, {matrix, tile})).permuted_bytes +=
            bytes_of(joined, {matrix, tile});
    }
    for (TileId tile = 0; tile < joined.c.nonzeros(); ++tile) {
      const JoinedProducts::Part part = plan_.level.joined->c(tile);
      const std::size_t term = plan_.level.products[part.product];
      count_additions(term, program_.additions(term, part.tile), joined.c_bytes(tile));
    }
  }

  void count_copies(std::size_t term) {
    for (const CopiedBlock& copy : program_.terms()[term].copies)
      count_additions(term, program_.additions(term, copy),
                      bytes({program_.terms()[term].operands[0], copy.from}));
  }

  void count_additions(std::size_t term, const std::vector<Addition>& additions, std::int64_t added) {
    for (const Addition& addition : additions)
      of(owner({program_.terms()[term].result, addition.to})).added_bytes += added;
  }

  const FusedProgram& program_;
  const Machine& machine_;
  LevelPlan& plan_;
  bool flows_;
};

/// Of these tensors the one with most bytes.
std::size_t largest_of(const FusedProgram& program, const std::vector<std::size_t>& tensors) {
  return *std::ranges::max_element(tensors, {},
                                   [&](std::size_t tensor) { return program.blocks(tensor).elements(); });
}

std::vector<std::size_t> tensors_there(const FusedProgram& program, int level, bool flows) {
  std::vector<std::size_t> tensors;
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (flows || program.is_there(tensor, level)) tensors.push_back(tensor);
  }
  return tensors;
}

std::string quantity(std::int64_t bytes) {
  return format_quantity(static_cast<double>(bytes), Dimension::bytes);
}

std::int64_t bytes_of(const LevelPlan& plan, int at_once) {
  return plan.blocks_bytes() + at_once * (plan.peak_host_bytes() - plan.blocks_bytes());
}

const char* name_of_part(bool flows) {
  return flows ? "step" : "level";
}

/// The term alone, or the tensors that are there while its level or step runs.
InputError does_not_fit(const FusedProgram& program, const Machine& machine, const LevelPlan& plan,
                        bool flows) {
  const std::int64_t there = machine.host_bytes_per_rank();
  const std::int64_t blocks = plan.blocks_bytes();
  const bool tensors_alone = blocks > there;
  const std::int64_t needed = tensors_alone ? blocks : plan.peak_host_bytes();
  const std::size_t term = plan.level.terms.front();
  const std::size_t largest = largest_of(
      program, tensors_alone ? tensors_there(program, plan.number, flows) : program.terms()[term].operands);
  const std::string part = fmt::format("{} {}", name_of_part(flows), plan.number);
  return input_error(
      tensors_alone ? part : fmt::format("{}, term {}", part, program.program().terms[term].name),
      fmt::format("{} of {} for a rank, {} more than its host memory has", quantity(needed),
                  tensors_alone ? "tensors" : "tensors, permuted copies and results",
                  quantity(needed - there)),
      fmt::format("at most {}", quantity(there)),
      fmt::format("use more nodes, or compute slices of {} ({}) when they are needed instead of keeping it",
                  text_of(program.tensors()[largest], program.program()),
                  quantity(kElementBytes * program.blocks(largest).elements())));
}

double flops_of(const FusedProgram& program, std::size_t term) {
  const FusedProgramTerm& fused = program.terms()[term];
  return fused.is_product() ? traits(fused.product->contraction()).flops : 0;
}

/// Plans the terms of one level, in as few halves, quarters, ... as fit.
class LevelPlanner {
 public:
  LevelPlanner(const FusedProgram& program, const Machine& machine, const Settings& settings, int at_once)
      : program_(program), machine_(machine), settings_(settings), at_once_(at_once) {}

  /// The next level's.
  std::vector<LevelPlan> plans_of(std::vector<std::size_t> terms) {
    ++number_;
    plans_.clear();
    plan(std::move(terms));
    for (std::size_t part = 0; part < plans_.size(); ++part) {
      plans_[part].part = static_cast<int>(part) + 1;
      plans_[part].parts = static_cast<int>(plans_.size());
    }
    return std::move(plans_);
  }

 private:
  bool flows() const { return at_once_ > 1; }

  void plan(std::vector<std::size_t> terms) {
    LevelPlan plan;
    plan.number = number_;
    try {
      plan.level = level_of(program_, terms, machine_.ranks);
      if (plan.level.joined) {
        Contraction joined = plan.level.joined->contraction();
        joined.busy = busy_;
        plan.work = plan_work(std::move(joined), machine_, settings_);
      }
    } catch (const InputError& error) {
      if (terms.size() > 1) return plan_halves(terms);
      throw InputError(fmt::format("{} {}, term {}: {}", name_of_part(flows()), number_,
                                   program_.program().terms[terms.front()].name, error.what()));
    }
    MoveCounter(program_, machine_, plan, flows()).count();
    if (bytes_of(plan, terms.size() > 1 ? at_once_ : 1) <= machine_.host_bytes_per_rank()) {
      if (flows() && plan.work) add_work(*plan.work);
      plans_.push_back(std::move(plan));
    } else if (terms.size() > 1) {
      plan_halves(terms);
    } else {
      throw does_not_fit(program_, machine_, plan, flows());
    }
  }

  /// What follows can even out what devices have more than others.
  void add_work(const PlannedWork& work) {
    busy_.resize(static_cast<std::size_t>(machine_.devices()), 0);
    for (std::size_t rank = 0; rank < work.plan.ranks.size(); ++rank) {
      const auto& devices = work.plan.ranks[rank].devices;
      for (std::size_t device = 0; device < devices.size(); ++device) {
        for (const Block& block : devices[device].blocks)
          busy_[rank * static_cast<std::size_t>(machine_.devices_per_rank) + device] +=
              block_flops(work.contraction, block);
      }
    }
  }

  /// Of about the same work; at least one term each.
  void plan_halves(const std::vector<std::size_t>& terms) {
    double all = 0, first = 0;
    for (const std::size_t term : terms) all += flops_of(program_, term);
    auto middle = terms.begin() + 1;
    for (; middle + 1 != terms.end() && first + flops_of(program_, *(middle - 1)) < all / 2; ++middle)
      first += flops_of(program_, *(middle - 1));
    plan({terms.begin(), middle});
    plan({middle, terms.end()});
  }

  const FusedProgram& program_;
  const Machine& machine_;
  const Settings& settings_;
  int number_ = 0, at_once_;
  std::vector<double> busy_;  // where levels are not apart: flops of each device so far
  std::vector<LevelPlan> plans_;
};

}  // namespace

namespace {

std::vector<Rank> owners_of_operands(const FusedProgram& program, const ProgramLevel& level, Matrix matrix,
                                     int ranks) {
  std::vector<Rank> owners;
  for (TileId tile = 0; tile < shape_of(level.joined->contraction(), matrix).nonzeros(); ++tile)
    owners.push_back(owner_of(operand_of(program, level, {matrix, tile}).block, ranks));
  return owners;
}

}  // namespace

ProgramLevel level_of(const FusedProgram& program, std::vector<std::size_t> terms, int ranks) {
  ProgramLevel level;
  level.terms = std::move(terms);
  std::vector<const Contraction*> contractions;
  for (const std::size_t term : level.terms) {
    const FusedProgramTerm& fused = program.terms()[term];
    if (!fused.is_product() || fused.product->contraction().c.nonzeros() == 0) continue;
    level.products.push_back(term);
    contractions.push_back(&fused.product->contraction());
  }
  if (contractions.empty()) return level;
  level.joined.emplace(contractions);
  level.joined->place(owners_of_operands(program, level, Matrix::a, ranks),
                      owners_of_operands(program, level, Matrix::b, ranks));
  return level;
}

PermutedBlock operand_of(const FusedProgramTerm& term, TileRef tile) {
  const std::size_t matrix = tile.matrix == Matrix::a ? 0 : 1;
  const BlockPlace place = term.product->operand_tile(matrix, tile.id);
  double factor = place.order.negative ? -1 : 1;
  if (matrix == 0) factor *= term.product->multiplicity(term.product->contraction().a.column_of(tile.id));
  return {{term.operands[matrix], place.block}, place.order, factor};
}

PermutedBlock operand_of(const FusedProgram& program, const ProgramLevel& level, TileRef tile) {
  const JoinedProducts::Part part =
      tile.matrix == Matrix::a ? level.joined->a(tile.id) : level.joined->b(tile.id);
  return operand_of(program.terms()[level.products[part.product]], {tile.matrix, part.tile});
}

std::set<Move<ProgramBlock>> block_moves(const FusedProgram& program, const ProgramLevel& level,
                                         const std::function<Rank(TileRef)>& owner, int ranks) {
  std::set<Move<ProgramBlock>> moves;
  const auto move = [&](const ProgramBlock& block, Rank to) {
    const Rank from = owner_of(block, ranks);
    if (from != to) moves.insert({block, from, to});
  };
  if (level.joined) {
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(level.joined->contraction(), matrix).nonzeros(); ++tile)
        move(operand_of(program, level, {matrix, tile}).block, owner({matrix, tile}));
    }
  }
  for (const std::size_t number : level.terms) {
    const FusedProgramTerm& term = program.terms()[number];
    for (const CopiedBlock& copy : term.copies) {
      for (const Addition& addition : program.additions(number, copy))
        move({term.operands[0], copy.from}, owner_of({term.result, addition.to}, ranks));
    }
  }
  return moves;
}

std::set<Move<TileId>> result_moves(const FusedProgram& program, const ProgramLevel& level,
                                    const std::function<Rank(TileRef)>& owner, int ranks) {
  std::set<Move<TileId>> moves;
  const TileId tiles = level.joined ? level.joined->contraction().c.nonzeros() : 0;
  for (TileId tile = 0; tile < tiles; ++tile) {
    const JoinedProducts::Part part = level.joined->c(tile);
    const std::size_t term = level.products[part.product];
    const Rank from = owner({Matrix::c, tile});
    for (const Addition& addition : program.additions(term, part.tile)) {
      const Rank to = owner_of({program.terms()[term].result, addition.to}, ranks);
      if (from != to) moves.insert({tile, from, to});
    }
  }
  return moves;
}

std::int64_t LevelPlan::peak_host_bytes() const {
  std::int64_t beside = 0;
  for (const LevelMoves& rank : moves) beside = std::max(beside, rank.memory_beside_plan());
  return beside + (work ? work->summary.peak_host_bytes : 0);
}

std::int64_t LevelPlan::blocks_bytes() const {
  std::int64_t blocks = 0;
  for (const LevelMoves& rank : moves) blocks = std::max(blocks, rank.blocks_bytes);
  return blocks;
}

namespace {

/// What is wrong with the settings is not the fault of a term: the smallest product is asked first.
void check_settings(const FusedProgram& program, const Machine& machine, const Settings& settings) {
  const FusedProgramTerm* smallest = nullptr;
  for (const FusedProgramTerm& term : program.terms()) {
    if (!term.is_product() || term.product->contraction().c.nonzeros() == 0) continue;
    if (!smallest || term.product->contraction().c.nonzeros() < smallest->product->contraction().c.nonzeros())
      smallest = &term;
  }
  if (smallest) prepare_planner(smallest->product->contraction(), machine, settings);
}

}  // namespace

namespace {

std::vector<LevelPlan> plan_in_order(const FusedProgram& program, const Machine& machine,
                                     const Settings& settings, int at_once,
                                     const std::vector<std::vector<std::size_t>>& order) {
  const Settings all = settings_for_terms(settings);
  check_settings(program, machine, all);
  std::vector<LevelPlan> plans;
  LevelPlanner planner(program, machine, all, at_once);
  for (const std::vector<std::size_t>& terms : order) {
    for (LevelPlan& plan : planner.plans_of(terms)) plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace

std::vector<LevelPlan> plan_program(const FusedProgram& program, const Machine& machine,
                                    const Settings& settings) {
  std::vector<std::vector<std::size_t>> levels;
  for (int level = 1; level <= program.levels(); ++level) levels.push_back(program.terms_of_level(level));
  return plan_in_order(program, machine, settings, 1, levels);
}

std::vector<LevelPlan> plan_steps(const FusedProgram& program, const Machine& machine,
                                  const Settings& settings, int at_once) {
  constexpr double kSteps = 8;  // at least, of equal work: then none is short beside the gaps between them
  std::vector<double> work;
  for (std::size_t term = 0; term < program.terms().size(); ++term) work.push_back(flops_of(program, term));
  const double enough = std::accumulate(work.begin(), work.end(), 0.0) / kSteps;
  return plan_in_order(program, machine, settings, at_once, steps_of_terms(program.order(), work, enough));
}

}  // namespace foretile
