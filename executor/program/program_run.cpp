// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_run.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/gather.hpp"
#include "executor/mpi/machine_of.hpp"
#include "executor/mpi/own_communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/program/program_blocks.hpp"
#include "executor/program/program_tasks.hpp"
#include "executor/program/rank_memory.hpp"
#include "executor/run.hpp"
#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/in_parallel.hpp"

namespace foretile {

struct ProgramRun::State {
  /// Not collective.
  State(MPI_Comm given, const FusedProgram& of, const MultiplicationOptions& with, int cores_of_this_rank)
      : communicator(given),
        program(of),
        options(with),
        rank(rank_in(given)),
        ranks(size_of(given)),
        cores(cores_of_this_rank),
        orbitals(of.tiles()) {}

  MPI_Comm communicator;
  const FusedProgram& program;
  MultiplicationOptions options;
  Rank rank;
  int ranks, cores;
  SpinOrbitals orbitals;
  std::optional<ProgramPlan> plan;
  RankMemory memory;
  std::unique_ptr<Gpus> gpus;            // nullptr: cores
  std::optional<PinnedPool> of_tensors;  // with GPUs
  std::optional<ProgramBlocks> blocks;

  /// Collective. Takes over what `make` planned alike on all ranks.
  void take_plan(const std::function<ProgramPlan()>& make);
  /// Collective.
  ProgramReport run(const GivenBlocks& given, bool keeps_intermediates);
  /// As ProgramRun has them; the first one of this rank's blocks.
  std::uint64_t digest() const;
  std::vector<double> gathered(std::size_t tensor) const;
};

void ProgramRun::State::take_plan(const std::function<ProgramPlan()>& make) {
  std::uint64_t identity = 0;
  on_all(communicator, [&] {
    plan = make();
    const Machine& machine = plan->work.machine;
    if (machine.ranks != ranks)
      throw input_error("program", fmt::format("a plan for {} ranks", machine.ranks),
                        fmt::format("one for the {} of the communicator", ranks), "plan again");
    memory = memory_of(*plan, options.gpus);
    cores = std::min(cores, machine.cores_per_rank());
    gpus = gpus_for(machine, options.gpus);
    identity = std::stoull(program_digest(*plan, program), nullptr, 16);
  });
  const bool same = is_same_on_all(communicator, identity, "plans");
  on_all(communicator, [&] {
    if (!same)
      throw input_error("program", "ranks with different plans", "the same on all ranks",
                        "give all ranks the same program, platform and parameters");
  });
  const RankOnNode place = place_on_node(communicator);
  on_all(communicator, [&] {
    if (gpus) {
      gpus->use_for_host(first_device(plan->work.machine, place) % gpus->count());
      of_tensors.emplace(*gpus, pool_bytes_for(memory.heap));
    }
    blocks.emplace(program, plan->distribution, rank, of_tensors ? &*of_tensors : nullptr);
  });
}

namespace {

/// All tiles are made by tasks.
class NoTiles final : public TileStorage {
 public:
  void fill(TileRef, std::byte*) const override {}
};

/// Of all ranks, from what each did.
ProgramTimes times_of_all(ProgramTimes mine, MPI_Comm communicator) {
  all_reduce(std::span(mine.step_ends_s), MPI_MAX, communicator, "ends of steps");
  for (double* mean : {&mine.products_s, &mine.tasks_s, &mine.send_s})
    *mean = all_reduced(*mean, MPI_SUM, communicator, "times") / size_of(communicator);
  return mine;
}

}  // namespace

ProgramReport ProgramRun::State::run(const GivenBlocks& given, bool keeps_intermediates) {
  const OneBlasThread one_thread;
  const OwnCommunicator own(communicator);
  const PlannedWork& work = plan->work;
  ProgramTasks tasks(program, work.plan, *blocks, given, keeps_intermediates);
  const NoTiles no_tiles;
  RunOptions with;
  with.storage = &no_tiles;
  with.tasks = &tasks;
  with.bind = options.bind;
  with.gpus = gpus.get();
  if (gpus) with.pool_bytes = pool_bytes_for(work.summary.peak_matrix_bytes);
  const RunResult result = foretile::run(work.plan, work.contraction, work.machine, own.get(), with);
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (program.tensors()[tensor].role == TensorRole::result || keeps_intermediates)
      blocks->make_missing_zero(tensor);
  }
  return {.wall_s = result.wall_s,
          .times = times_of_all(program_times({&result.statistics, 1}), own.get()),
          .sent_bytes = all_reduced(result.statistics.sent_bytes, MPI_SUM, own.get(), "sent bytes"),
          .ranks = gather_statistics(result.statistics, own.get())};
}

ProgramRun::ProgramRun(MPI_Comm communicator, const FusedProgram& program,
                       const MultiplicationOptions& options, const ProgramPlanOptions& plan_options) {
  const int cores = cores_of_rank(communicator);
  const int on_node = cores_of_node(communicator);
  on_all(communicator, [&] { state_ = std::make_unique<State>(communicator, program, options, cores); });
  state_->take_plan([&] {
    return choose_plan(program, machine_of(communicator, options.platform, on_node), options.parameters,
                       plan_options);
  });
}

ProgramRun::ProgramRun(MPI_Comm communicator, const FusedProgram& program, ProgramPlan plan,
                       const MultiplicationOptions& options) {
  const int cores = cores_of_rank(communicator);
  on_all(communicator, [&] { state_ = std::make_unique<State>(communicator, program, options, cores); });
  state_->take_plan([&] { return std::move(plan); });
}

ProgramRun::~ProgramRun() = default;

const ProgramPlan& ProgramRun::plan() const {
  return *state_->plan;
}

std::int64_t ProgramRun::host_bytes() const {
  return state_->memory.host;
}

ProgramReport ProgramRun::run(const ProgramNumbers& numbers, bool keeps_intermediates) {
  State& s = *state_;
  const GivenBlocks given(s.program, s.orbitals, numbers);
  on_all(s.communicator, [&] {
    take_blas_buffers(s.cores);  // with too little address space OpenBLAS asks for them for ever
    if (!s.gpus) touch_heap(pool_bytes_for(s.memory.heap), s.cores);
    for (std::size_t t = 0; t < s.program.tensors().size(); ++t) {
      s.blocks->drop(t);  // of a run before
      if (s.program.tensors()[t].role == TensorRole::given && !s.plan->distribution.is_on_demand(t))
        s.blocks->make(t, given, s.cores);
    }
  });
  return agreed_or_end(s.communicator, [&] { return s.run(given, keeps_intermediates); });
}

std::string ProgramRun::digest() const {
  return agreed_or_end(state_->communicator, [&] {
    return fmt::format("{:016x}",
                       all_reduced(state_->digest(), MPI_SUM, state_->communicator, "digest of all results"));
  });
}

std::uint64_t ProgramRun::State::digest() const {
  std::vector<ProgramBlock> own;
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (program.tensors()[tensor].role != TensorRole::result) continue;
    for (BlockId block = 0; block < program.blocks(tensor).count(); ++block) {
      if (blocks->owns({tensor, block})) own.push_back({tensor, block});
    }
  }
  std::vector<std::uint64_t> digests(own.size());
  in_parallel(own.size(), cores, [&](std::size_t n) {
    const ProgramBlock& block = own[n];
    const std::uint64_t seed = counter_bits(block.tensor, static_cast<std::uint64_t>(block.block));
    digests[n] =
        XXH3_64bits_withSeed(blocks->numbers(block), static_cast<std::size_t>(blocks->bytes(block)), seed);
  });
  return std::accumulate(digests.begin(), digests.end(), std::uint64_t{0});
}

std::vector<double> ProgramRun::gathered(std::size_t tensor) const {
  return agreed_or_end(state_->communicator, [&] { return state_->gathered(tensor); });
}

constexpr std::int64_t kMostOfMessage = std::int64_t{1} << 30;  // of an MPI message

/// Block after block, large ones in pieces.
std::vector<double> ProgramRun::State::gathered(std::size_t tensor) const {
  const TensorBlocks& of_tensor = program.blocks(tensor);
  std::vector<TileBuffer> received;
  for (BlockId block = 0; block < of_tensor.count(); ++block) {
    const ProgramBlock one{tensor, block};
    const Rank owner = plan->distribution.owner_of(one);
    const std::int64_t count = of_tensor.elements(block);
    double* const to =
        rank == 0 ? reinterpret_cast<double*>(received.emplace_back(blocks->bytes(one)).data()) : nullptr;
    const double* const from = owner == rank ? blocks->numbers(one) : nullptr;
    if (to && from) std::copy_n(from, count, to);
    if (!to == !from) continue;
    for (std::int64_t at = 0; at < count; at += kMostOfMessage) {
      const auto piece = static_cast<int>(std::min(kMostOfMessage, count - at));
      MPI_Request moving = MPI_REQUEST_NULL;
      require_mpi(to ? MPI_Irecv(to + at, piece, MPI_DOUBLE, int{owner}, 0, communicator, &moving)
                     : MPI_Isend(from + at, piece, MPI_DOUBLE, 0, 0, communicator, &moving),
                  "gather");
      wait_while_moving(moving, "gather");
    }
  }
  if (rank != 0) return {};
  return all_elements(program, orbitals, tensor, [&](BlockId block) {
    return reinterpret_cast<const double*>(received[static_cast<std::size_t>(block)].data());
  });
}

}  // namespace foretile
