// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/flow_run.hpp"

#include <algorithm>
#include <utility>

#include "executor/cpu/blas.hpp"
#include "executor/mpi/own_communicator.hpp"
#include "executor/program/permute_block.hpp"
#include "executor/run.hpp"

namespace foretile {

namespace {

/// Steps of one rank's tasks, on its blocks. A block of a computed tensor comes with the first task that
/// needs it.
class BlockTasks final : public PlanTasks {
 public:
  BlockTasks(const FusedProgram& program, const ProgramDistribution& distribution, const FlowPlan& plan,
             Rank rank, ProgramBlocks& blocks, const GivenBlocks& given, bool keeps_intermediates)
      : program_(program),
        distribution_(distribution),
        plan_(plan),
        rank_(rank),
        blocks_(blocks),
        given_(given),
        keeps_(keeps_intermediates) {}

  std::byte* in_place(std::int32_t number) override {
    const FlowStep& step = step_of(number);
    return step.kind == FlowStep::Kind::lend ? reinterpret_cast<std::byte*>(read(step.block)) : nullptr;
  }

  std::function<void()> job(std::int32_t number, const FlowTask&, std::byte* tile) override {
    const FlowStep& step = step_of(number);
    auto* const numbers = reinterpret_cast<double*>(tile);
    if (step.kind == FlowStep::Kind::lend) return [] {};
    if (step.kind == FlowStep::Kind::add) return addition(step, numbers);
    if (distribution_.is_on_demand(step.block.tensor)) {
      if (step.kind == FlowStep::Kind::copy)
        return [this, &step, numbers] { given_.fill(step.block, numbers); };
      return [this, &step, numbers] { given_.fill(tile_of(step), numbers); };
    }
    const double* const block = read(step.block);
    if (step.kind == FlowStep::Kind::copy)
      return [block, numbers, elements = elements_of(step.block)] { std::copy_n(block, elements, numbers); };
    return [this, &step, block, numbers] { permute(program_, tile_of(step), block, numbers); };
  }

  void step_over(Step step) override {
    for (std::size_t tensor = 0; tensor < plan_.lives.size(); ++tensor) {
      const bool over = plan_.lives[tensor].end == static_cast<std::size_t>(step) + 1;
      const bool intermediate = program_.tensors()[tensor].role == TensorRole::intermediate;
      if (over && intermediate && !keeps_) blocks_.drop(tensor);
    }
  }

 private:
  const FlowStep& step_of(std::int32_t number) const {
    return plan_.steps[rank_][static_cast<std::size_t>(number)];
  }
  std::int64_t elements_of(const ProgramBlock& block) const {
    return program_.blocks(block.tensor).elements(block.block);
  }
  static PermutedBlock tile_of(const FlowStep& step) { return {step.block, step.order, step.factor}; }

  /// A block to which nothing is added is 0: now, since other tasks may read it at once.
  double* read(const ProgramBlock& block) {
    if (!blocks_.has(block)) {
      blocks_.make_uninitialized(block);
      std::fill_n(blocks_.numbers(block), elements_of(block), 0.0);
    }
    return blocks_.numbers(block);
  }

  std::function<void()> addition(const FlowStep& step, const double* numbers) {
    const bool there = blocks_.has(step.block);
    if (!there) blocks_.make_uninitialized(step.block);
    return [this, &step, numbers, beta = there ? 1.0 : 0.0, block = blocks_.numbers(step.block)] {
      add_permuted(program_.extents(step.block.tensor, step.block.block), step.order, beta, step.factor,
                   numbers, block);
    };
  }

  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  const FlowPlan& plan_;
  Rank rank_;
  ProgramBlocks& blocks_;
  const GivenBlocks& given_;
  bool keeps_;
};

/// All tiles are made by tasks.
class NoTiles final : public TileStorage {
 public:
  void fill(TileRef, std::byte*) const override {}
};

}  // namespace

FlowRun::Times FlowRun::run(ProgramBlocks& blocks, const GivenBlocks& given, bool keeps_intermediates) {
  const OneBlasThread one_thread;
  const OwnCommunicator own(communicator_);
  const Rank rank = rank_in(own.get());
  const PlannedWork& work = plan_.work;
  BlockTasks tasks(program_, distribution_, plan_, rank, blocks, given, keeps_intermediates);
  const NoTiles no_tiles;
  RunOptions options;
  options.storage = &no_tiles;
  options.tasks = &tasks;
  options.bind = bind_;
  const RunResult result =
      foretile::run(work.plan, work.plan.ranks[rank], work.contraction, work.machine, own.get(), options);
  for (std::size_t tensor = 0; tensor < program_.tensors().size(); ++tensor) {
    if (program_.tensors()[tensor].role == TensorRole::result || keeps_intermediates)
      blocks.make_missing_zero(tensor);
  }
  Times times;
  times.wall_s = result.wall_s;
  times.sent_bytes = all_reduced(result.statistics.sent_bytes, MPI_SUM, own.get(), "sent bytes");
  times.planned_bytes = plan_.peak_host_bytes;
  times.flops = plan_.flops;
  times.gemms = work.summary.gemms;
  times.strategy = work.plan.strategy;
  return times;
}

}  // namespace foretile
