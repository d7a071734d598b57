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

/// One rank's tasks, on its blocks. A block of a computed tensor comes with the first task that needs it.
class BlockTasks final : public PlanTasks {
 public:
  BlockTasks(const FusedProgram& program, const Plan& plan, ProgramBlocks& blocks, const GivenBlocks& given,
             bool keeps_intermediates)
      : program_(program), plan_(plan), blocks_(blocks), given_(given), keeps_(keeps_intermediates) {}

  std::byte* tensor_tile(TileId tile) override {
    return reinterpret_cast<std::byte*>(read(block_of(plan_.tensors, tile)));
  }

  std::function<void()> job(const FlowTask& task, const std::byte* from, std::byte* tile) override {
    const ProgramBlock block = block_of(plan_.tensors, task.tensor_tile());
    auto* const numbers = reinterpret_cast<double*>(tile);
    const auto* const of_tensor = reinterpret_cast<const double*>(from);
    if (task.adds()) return addition(task, block, numbers);
    if (from == tile) return [] {};
    const PermutedBlock made{block, task.order, task.factor};
    if (!from) return [this, made, numbers] { given_.fill(made, numbers); };
    if (task.copies())
      return
          [of_tensor, elements = elements_of(block), numbers] { std::copy_n(of_tensor, elements, numbers); };
    return [this, made, of_tensor, numbers] { permute(program_, made, of_tensor, numbers); };
  }

  void step_over(Step step) override {
    for (std::size_t tensor = 0; tensor < plan_.tensors.list.size(); ++tensor) {
      const bool over = int{plan_.tensors.list[tensor].end} == int{step} + 1;
      const bool intermediate = program_.tensors()[tensor].role == TensorRole::intermediate;
      if (over && intermediate && !keeps_) blocks_.drop(tensor);
    }
  }

 private:
  std::int64_t elements_of(const ProgramBlock& block) const {
    return program_.blocks(block.tensor).elements(block.block);
  }
  /// A block to which nothing is added is 0: now, since other tasks may read it at once.
  double* read(const ProgramBlock& block) {
    if (!blocks_.has(block)) {
      blocks_.make_uninitialized(block);
      std::fill_n(blocks_.numbers(block), elements_of(block), 0.0);
    }
    return blocks_.numbers(block);
  }

  std::function<void()> addition(const FlowTask& task, const ProgramBlock& to, const double* numbers) {
    const bool there = blocks_.has(to);
    if (!there) blocks_.make_uninitialized(to);
    return [this, &task, to, numbers, beta = there ? 1.0 : 0.0, block = blocks_.numbers(to)] {
      add_permuted(program_.extents(to.tensor, to.block), task.order, beta, task.factor, numbers, block);
    };
  }

  const FusedProgram& program_;
  const Plan& plan_;
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
  BlockTasks tasks(program_, work.plan, blocks, given, keeps_intermediates);
  const NoTiles no_tiles;
  RunOptions options;
  options.storage = &no_tiles;
  options.tasks = &tasks;
  options.bind = bind_;
  options.gpus = gpus_.get();
  if (gpus_) options.pool_bytes = pool_bytes_for(work.summary.peak_matrix_bytes);
  const RunResult result =
      foretile::run(work.plan, work.plan.ranks[rank], work.contraction, work.machine, own.get(), options);
  for (std::size_t tensor = 0; tensor < program_.tensors().size(); ++tensor) {
    if (program_.tensors()[tensor].role == TensorRole::result || keeps_intermediates)
      blocks.make_missing_zero(tensor);
  }
  Times times;
  times.wall_s = result.wall_s;
  times.sent_bytes = all_reduced(result.statistics.sent_bytes, MPI_SUM, own.get(), "sent bytes");
  times.planned_bytes = work.summary.peak_host_bytes;
  times.flops = plan_.flops;
  times.gemms = work.summary.gemms;
  times.strategy = work.plan.strategy;
  return times;
}

}  // namespace foretile
