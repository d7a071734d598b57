// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_run.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/machine_of.hpp"
#include "executor/mpi/own_communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/program/exchange.hpp"
#include "executor/program/flow_run.hpp"
#include "executor/program/permute_block.hpp"
#include "executor/program/rank_memory.hpp"
#include "executor/run.hpp"
#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/program/program_plan.hpp"

namespace foretile {

namespace {

/// Memory for copies of blocks and tiles of others.
struct Received {
  std::map<ProgramBlock, TileBuffer> blocks;
  std::map<TileId, TileBuffer> c_tiles;

  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const auto& [block, buffer] : blocks) sum += buffer.size();
    for (const auto& [tile, buffer] : c_tiles) sum += buffer.size();
    return sum;
  }
};

double* numbers_of(const TileBuffer& buffer) {
  return reinterpret_cast<double*>(buffer.data());
}

/// A level, and the plan of its products.
struct Level : ProgramLevel {
  int number = 0, part = 1, parts = 1;
  std::optional<PlannedWork> work;                 // until it runs
  std::unique_ptr<Multiplication> multiplication;  // while it runs; nullptr without products

  bool is_last_part() const { return part == parts; }
};

}  // namespace

struct ProgramRun::State {
  /// Not collective.
  State(MPI_Comm given, const FusedProgram& of, const MultiplicationOptions& with, int cores_of_this_rank)
      : communicator(given),
        program(of),
        options(with),
        rank(rank_in(given)),
        ranks(size_of(given)),
        cores(cores_of_this_rank),
        orbitals(of.tiles()),
        blocks(of, distribution, rank) {}

  MPI_Comm communicator;
  const FusedProgram& program;
  MultiplicationOptions options;
  Rank rank;
  int ranks, cores;
  SpinOrbitals orbitals;
  ProgramDistribution distribution;  // of the plans
  ProgramBlocks blocks;
  RankMemory memory;
  std::vector<Level> levels;    // from 1; of ProgramMode::levels
  std::optional<FlowRun> flow;  // of ProgramMode::flow

  /// Each of the four is collective. The first takes over what `make` planned alike on all ranks.
  using Make = std::function<PlannedProgram(Machine& machine)>;
  void plan(const Make& make);
  void prepare(Level& level) const;
  std::vector<LevelReport> run(const GivenBlocks& given, bool keeps_intermediates);
  LevelReport run(Level& level, const GivenBlocks& given);
  LevelReport run_flow(const GivenBlocks& given, bool keeps_intermediates);
  void receive_operands(const Level& level, Received& received, std::int64_t& bytes) const;
  void exchange_results(const Level& level, Received& received, std::int64_t& bytes) const;
  /// To each block in the order of terms, pieces of their sums, tiles and permutations; different blocks at
  /// once. Those of the level's tensors to which nothing was added are 0.
  void add_results(const Level& level, const GivenBlocks& given, const Received& received);
  const double* block_of(const ProgramBlock& block, const Received& received) const;
  /// As ProgramRun has them; the first one of this rank's blocks.
  std::uint64_t digest() const;
  std::vector<double> gathered(std::size_t tensor) const;
};

namespace {

/// Tiles of A and B are blocks, permuted where they must be, and tiles of C are kept for the additions behind
/// the products: in the places that make_c_tiles() made, if any.
class LevelTiles final : public TileStorage {
 public:
  using BlockNumbers = std::function<const double*(const ProgramBlock&)>;

  LevelTiles(const FusedProgram& program, const ProgramDistribution& distribution, const Level& level,
             const GivenBlocks& given, BlockNumbers block, Received& received)
      : program_(program),
        distribution_(distribution),
        level_(level),
        given_(given),
        block_(std::move(block)),
        received_(received) {}

  std::optional<TileView> in_place(TileRef tile) const override {
    const Contraction& joined = level_.joined->contraction();
    if (tile.matrix == Matrix::c) {
      const auto kept = received_.c_tiles.find(tile.id);
      if (kept == received_.c_tiles.end()) return std::nullopt;
      return extents_of(joined, tile).gapless_at(kept->second.data());
    }
    if (!level_.multiplication->work().plan.operands.of(tile.matrix).is_in_place(tile.id))
      return std::nullopt;
    auto* const block = const_cast<double*>(block_(operand_of(program_, level_, tile).block));  // only read
    return extents_of(joined, tile).gapless_at(reinterpret_cast<std::byte*>(block));
  }

  void fill(TileRef tile, std::byte* to) const override {
    const PermutedBlock from = operand_of(program_, level_, tile);
    auto* const numbers = reinterpret_cast<double*>(to);
    if (distribution_.is_on_demand(from.block.tensor)) return given_.fill(from, numbers);
    permute(program_, from, block_(from.block), numbers);
  }

  void take(TileId tile, TileView numbers) const override {
    const TileExtents extents = extents_of(level_.joined->contraction(), {Matrix::c, tile});
    TileBuffer buffer(extents.bytes());
    copy_tile(extents, numbers, extents.gapless_at(buffer.data()));
    received_.c_tiles.insert_or_assign(tile, std::move(buffer));
  }

 private:
  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  const Level& level_;
  const GivenBlocks& given_;
  BlockNumbers block_;
  Received& received_;
};

/// Places where cores compute the rank's tiles of C. GPUs copy theirs to pinned memory.
void make_c_tiles(const Level& level, Received& received) {
  if (!level.as_stored) return;
  for (const TileId tile : level.multiplication->own_tiles(Matrix::c))
    received.c_tiles.emplace(tile, TileBuffer(level.joined->contraction().c_bytes(tile)));
}

}  // namespace

namespace {

Level level_of(LevelPlan plan) {
  Level level;
  static_cast<ProgramLevel&>(level) = std::move(plan.level);
  level.number = plan.number;
  level.part = plan.part;
  level.parts = plan.parts;
  level.work = std::move(plan.work);
  return level;
}

}  // namespace

void ProgramRun::State::plan(const Make& make) {
  std::uint64_t identity = 0;
  on_all(communicator, [&] {
    Machine machine;
    PlannedProgram plans = make(machine);
    if (machine.ranks != ranks)
      throw input_error("program", fmt::format("plans for {} ranks", machine.ranks),
                        fmt::format("plans for the {} of the communicator", ranks), "plan again");
    memory = memory_of(plans, machine, options.gpus, rank);
    cores = std::min(cores, machine.cores_per_rank());
    identity = std::stoull(program_digest(plans, program), nullptr, 16);
    distribution = std::move(plans.distribution);
    if (plans.flow) flow.emplace(communicator, program, std::move(*plans.flow), options.bind, options.gpus);
    for (LevelPlan& planned : plans.levels) levels.push_back(level_of(std::move(planned)));
  });
  const bool same = is_same_on_all(communicator, identity, "plans");
  on_all(communicator, [&] {
    if (!same)
      throw input_error("program", "ranks with different plans", "the same on all ranks",
                        "give all ranks the same program, platform and parameters");
  });
}

/// Just before it runs: a Multiplication has a communicator, of which MPI has some thousands.
void ProgramRun::State::prepare(Level& level) const {
  MultiplicationOptions with = options;
  with.check_memory = false;  // the program took it for all levels
  if (level.work)
    level.multiplication = std::make_unique<Multiplication>(communicator, *std::move(level.work), with);
  level.work.reset();
}

const double* ProgramRun::State::block_of(const ProgramBlock& block, const Received& received) const {
  return blocks.owns(block) ? blocks.numbers(block) : numbers_of(received.blocks.at(block));
}

void ProgramRun::State::receive_operands(const Level& level, Received& received, std::int64_t& bytes) const {
  std::vector<ExchangedPiece> sent, got;
  const auto owner = [&](TileRef tile) { return level.multiplication->owner(tile); };
  for (const auto& [block, from, to] : block_moves(program, distribution, level, owner)) {
    const std::int64_t count = program.blocks(block.tensor).elements(block.block);
    bytes += 8 * count;
    if (from == rank) sent.push_back({to, const_cast<double*>(blocks.numbers(block)), count});
    if (to != rank) continue;
    TileBuffer& buffer = received.blocks[block] = TileBuffer(8 * count);
    got.push_back({from, numbers_of(buffer), count});
  }
  exchange(sent, got, communicator);
}

void ProgramRun::State::exchange_results(const Level& level, Received& received, std::int64_t& bytes) const {
  if (!level.joined) return;
  std::vector<ExchangedPiece> sent, got;
  const auto owner = [&](TileRef tile) { return level.multiplication->owner(tile); };
  for (const auto& [tile, from, to] : result_moves(program, distribution, level, owner)) {
    const std::int64_t count = level.joined->contraction().c_bytes(tile) / 8;
    bytes += 8 * count;
    if (from == rank) sent.push_back({to, numbers_of(received.c_tiles.at(tile)), count});
    if (to != rank) continue;
    TileBuffer& buffer = received.c_tiles[tile] = TileBuffer(8 * count);
    got.push_back({from, numbers_of(buffer), count});
  }
  exchange(sent, got, communicator);
}

namespace {

/// One addition to a block.
struct ToAdd {
  Addition addition;
  const double* from = nullptr;  // nullptr: a block that is made now
  ProgramBlock made = {};
};

}  // namespace

void ProgramRun::State::add_results(const Level& level, const GivenBlocks& given, const Received& received) {
  std::map<ProgramBlock, std::vector<ToAdd>> by_block;
  const auto add = [&](std::size_t result, const std::vector<Addition>& additions, const double* from,
                       const ProgramBlock& made) {
    for (const Addition& addition : additions) {
      if (blocks.owns({result, addition.to}))
        by_block[{result, addition.to}].push_back({addition, from, made});
    }
  };
  for (const TermPart& part : level.terms) {
    const FusedProgramTerm& term = program.terms()[part.term];
    for (const CopiedBlock& copy : term.copies) {
      const ProgramBlock from{term.operands[0], copy.from};
      const bool made = distribution.is_on_demand(from.tensor);
      if (!made && !blocks.owns(from) && !received.blocks.contains(from)) continue;
      add(term.result, program.additions(part.term, copy), made ? nullptr : block_of(from, received), from);
    }
    auto product =
        static_cast<std::size_t>(std::ranges::find(level.products, part.term) - level.products.begin());
    for (; product < level.products.size() && level.products[product] == part.term; ++product) {
      const TileId end = level.joined->first(Matrix::c, product + 1);
      for (auto tile = received.c_tiles.lower_bound(level.joined->first(Matrix::c, product));
           tile != received.c_tiles.end() && tile->first < end; ++tile) {
        const TileId number = level.joined->at({Matrix::c, tile->first}).tile;
        add(term.result, program.additions(part.term, number), numbers_of(tile->second), {});
      }
    }
  }
  const std::vector<std::pair<ProgramBlock, std::vector<ToAdd>>> all(by_block.begin(), by_block.end());
  std::vector<double> first_beta;
  for (const auto& [to, additions] : all) {
    first_beta.push_back(blocks.has(to) ? 1 : 0);
    if (!blocks.has(to)) blocks.make_uninitialized(to);
  }
  in_parallel(all.size(), cores, [&](std::size_t n) {
    const auto& [to, additions] = all[n];
    double* const numbers = blocks.numbers(to);
    double beta = first_beta[n];
    for (const ToAdd& one : additions) {
      const TileBuffer made(one.from ? 0 : bytes_of(program, one.made));
      if (!one.from) given.fill(one.made, numbers_of(made));
      add_permuted(program.extents(to.tensor, to.block), one.addition.order, std::exchange(beta, 1.0),
                   one.addition.factor, one.from ? one.from : numbers_of(made), numbers);
    }
  });
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (level.is_last_part() && program.made_at(tensor) == level.number) blocks.make_missing_zero(tensor);
  }
}

LevelReport ProgramRun::State::run(Level& level, const GivenBlocks& given) {
  LevelReport report;
  report.level = level.number;
  report.part = level.part;
  report.parts = level.parts;
  report.products = static_cast<int>(std::ranges::count_if(
      level.terms, [&](const TermPart& part) { return program.terms()[part.term].is_product(); }));
  report.copies = static_cast<int>(level.terms.size()) - report.products;
  Received received;
  report.exchange_s =
      slowest_s(communicator, [&] { receive_operands(level, received, report.exchanged_bytes); });
  if (level.multiplication) {
    const LevelTiles tiles(
        program, distribution, level, given,
        [&](const ProgramBlock& block) { return block_of(block, received); }, received);
    MultiplicationReport done;
    const double run_s = slowest_s(communicator, [&] {
      make_c_tiles(level, received);
      done = level.multiplication->run(tiles);
    });
    report.permutations_s = run_s - done.wall_s;
    const Traits work = traits(level.joined->contraction());
    report.products_s = done.wall_s;
    report.flops = work.flops;
    report.gemms = work.gemms;
    report.strategy = level.multiplication->work().plan.strategy;
  }
  report.exchange_s +=
      slowest_s(communicator, [&] { exchange_results(level, received, report.exchanged_bytes); });
  report.additions_s = slowest_s(communicator, [&] { add_results(level, given, received); });
  report.peak_bytes = all_reduced(blocks.bytes_now() + received.bytes(), MPI_MAX, communicator, "memory");
  return report;
}

/// All levels in one.
LevelReport ProgramRun::State::run_flow(const GivenBlocks& given, bool keeps_intermediates) {
  LevelReport report;
  for (const FusedProgramTerm& term : program.terms())
    ++(term.is_product() ? report.products : report.copies);
  const FlowRun::Times times = flow->run(blocks, given, keeps_intermediates);
  report.products_s = times.wall_s;
  report.flops = times.flops;
  report.gemms = times.gemms;
  report.exchanged_bytes = times.sent_bytes;
  report.peak_bytes = times.planned_bytes;
  report.strategy = times.strategy;
  return report;
}

std::vector<LevelReport> ProgramRun::State::run(const GivenBlocks& given, bool keeps_intermediates) {
  if (flow) return {run_flow(given, keeps_intermediates)};
  std::vector<LevelReport> reports;
  for (Level& now : levels) {
    prepare(now);
    reports.push_back(run(now, given));
    now.multiplication.reset();  // with its memory
    for (std::size_t t = 0; t < program.tensors().size(); ++t) {
      const bool over =
          now.is_last_part() && now.number < program.levels() && !program.is_there(t, now.number + 1);
      if (over && !keeps_intermediates) blocks.drop(t);
    }
  }
  return reports;
}

ProgramRun::ProgramRun(MPI_Comm communicator, const FusedProgram& program,
                       const MultiplicationOptions& options, const ProgramPlanOptions& plan_options) {
  const int cores = cores_of_rank(communicator);
  const int on_node = cores_of_node(communicator);
  on_all(communicator, [&] { state_ = std::make_unique<State>(communicator, program, options, cores); });
  state_->plan([&](Machine& machine) {
    machine = machine_of(communicator, options.platform, on_node);
    return plan_program_as(program, machine, options.parameters, plan_options);
  });
}

ProgramRun::ProgramRun(MPI_Comm communicator, const FusedProgram& program, const Machine& machine,
                       PlannedProgram planned, const MultiplicationOptions& options) {
  const int cores = cores_of_rank(communicator);
  on_all(communicator, [&] { state_ = std::make_unique<State>(communicator, program, options, cores); });
  state_->plan([&](Machine& of_plans) {
    of_plans = machine;
    return std::move(planned);
  });
}

ProgramRun::~ProgramRun() = default;

const ProgramDistribution& ProgramRun::distribution() const {
  return state_->distribution;
}

std::int64_t ProgramRun::host_bytes() const {
  return state_->memory.host;
}

std::vector<LevelReport> ProgramRun::run(const ProgramNumbers& numbers, bool keeps_intermediates) {
  State& s = *state_;
  const GivenBlocks given(s.program, s.orbitals, numbers);
  on_all(s.communicator, [&] {
    take_blas_buffers(s.cores);  // with too little address space OpenBLAS asks for them for ever
    touch_heap(pool_bytes_for(s.memory.heap), s.cores);
    for (std::size_t t = 0; t < s.program.tensors().size(); ++t) {
      if (s.program.tensors()[t].role == TensorRole::given && !s.distribution.is_on_demand(t))
        s.blocks.make(t, given, s.cores);
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
      if (blocks.owns({tensor, block})) own.push_back({tensor, block});
    }
  }
  std::vector<std::uint64_t> digests(own.size());
  in_parallel(own.size(), cores, [&](std::size_t n) {
    const ProgramBlock& block = own[n];
    const std::uint64_t seed = counter_bits(block.tensor, static_cast<std::uint64_t>(block.block));
    digests[n] =
        XXH3_64bits_withSeed(blocks.numbers(block), static_cast<std::size_t>(blocks.bytes(block)), seed);
  });
  return std::accumulate(digests.begin(), digests.end(), std::uint64_t{0});
}

std::vector<double> ProgramRun::gathered(std::size_t tensor) const {
  return agreed_or_end(state_->communicator, [&] { return state_->gathered(tensor); });
}

std::vector<double> ProgramRun::State::gathered(std::size_t tensor) const {
  const TensorBlocks& of_tensor = program.blocks(tensor);
  std::vector<ExchangedPiece> sent, got;
  std::vector<TileBuffer> received;
  for (BlockId block = 0; block < of_tensor.count(); ++block) {
    const ProgramBlock one{tensor, block};
    const Rank owner = distribution.owner_of(one);
    const std::int64_t count = of_tensor.elements(block);
    if (rank == 0) {
      received.emplace_back(8 * count);
      if (owner == 0) {
        std::copy_n(blocks.numbers(one), count, numbers_of(received.back()));
      } else {
        got.push_back({owner, numbers_of(received.back()), count});
      }
    } else if (owner == rank) {
      sent.push_back({0, const_cast<double*>(blocks.numbers(one)), count});
    }
  }
  exchange(sent, got, communicator);
  if (rank != 0) return {};
  return all_elements(program, orbitals, tensor,
                      [&](BlockId block) { return numbers_of(received[static_cast<std::size_t>(block)]); });
}

}  // namespace foretile
