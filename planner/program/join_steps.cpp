// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/join_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "planner/plan/devices.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

namespace {

/// Copied blocks as tiles of C without a product, along the diagonal.
Contraction copies_of(const FusedProgram& program, const TermPart& part) {
  const FusedProgramTerm& term = program.terms()[part.term];
  std::vector<std::int64_t> rows, columns;
  std::vector<Shape::Entry> entries;
  for (std::int32_t number = part.rows.begin; number < part.rows.end; ++number) {
    const auto place = static_cast<std::int32_t>(entries.size());
    entries.push_back({place, place, 1});
    const auto extents =
        program.extents(term.operands[0], term.copies[static_cast<std::size_t>(number)].from);
    std::int64_t& m = rows.emplace_back(1);
    std::int64_t& n = columns.emplace_back(1);
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      (axis < extents.size() / 2 ? m : n) *= extents[axis];
  }
  const auto tiles = static_cast<std::int32_t>(rows.size());
  return {"copies",
          Tiling::from_sizes(rows),
          Tiling::from_sizes(columns),
          Tiling::from_sizes({1}),
          Shape(tiles, 1, {}),
          Shape(1, tiles, {}),
          Shape(tiles, tiles, std::move(entries))};
}

/// What is in the joined contraction before a part of it.
struct Offsets {
  TileId a = 0, b = 0, c = 0;
  std::int32_t columns = 0;

  void pass(const Contraction& part) {
    a += part.a.nonzeros();
    b += part.b.nonzeros();
    c += part.c.nonzeros();
    columns += part.n.tiles();
  }
};

class StepJoiner {
 public:
  StepJoiner(const FusedProgram& program, const ProgramDistribution& distribution, const Machine& machine,
             std::span<const StepPlan> steps)
      : program_(program),
        distribution_(distribution),
        machine_(machine),
        steps_(steps),
        ranks_(machine.ranks) {}

  JoinedSteps joined(const std::vector<TensorSteps>& tensors) {
    begin_plan();
    list_tensors(tensors);
    for (const StepPlan& step : steps_) join(step);
    find_c_in_place();
    Contraction all = joined(parts_);
    all.name = "program";
    all.t_elements = std::move(elements_);
    return {std::move(all), std::move(plan_), std::move(tiles_of_terms_), std::move(result_bytes_)};
  }

 private:
  void list_tensors(const std::vector<TensorSteps>& tensors) {
    PlanTensors& all = plan_.tensors;
    all.tasks_at_once = machine_.cores_per_rank();
    for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
      all.list.push_back({std::ssize(all.owners), tensors[tensor].from, tensors[tensor].end,
                          distribution_.is_on_demand(tensor)});
      for (BlockId block = 0; block < program_.blocks(tensor).count(); ++block) {
        all.owners.push_back(distribution_.owner_of({tensor, block}));
        elements_.push_back(program_.blocks(tensor).elements(block));
      }
    }
    last_.assign(all.owners.size(), -1);
  }

  void begin_plan() {
    const Plan* const like = plan_with_most_devices();
    if (like) static_cast<PlanFrame&>(plan_) = static_cast<const PlanFrame&>(*like);
    plan_.strategy = names_of_strategies();
    for (OperandPlan* operand : {&plan_.operands.a, &plan_.operands.b, &plan_.operands.c}) {
      operand->distribution = {DistributionKind::table, {}};
      operand->in_place = {};
    }
    plan_.ranks.resize(static_cast<std::size_t>(ranks_));
    if (plan_.grid.size() < ranks_) plan_.grid = {.p = ranks_};  // each step has one of its own
    plan_.partial_sums = true;
    plan_.host_budget_bytes = machine_.host_bytes_per_rank();
    if (!like)
      plan_.device_classes = {{.kind = machine_.platform.device.kind,
                               .memory_bytes = machine_.platform.device.memory_bytes,
                               .shares_memory = machine_.platform.device.in_host_memory}};
    for (RankPlan& rank : plan_.ranks) {
      for (const int device_class : classes_of_devices(plan_, machine_))
        rank.devices.push_back({.blocks = {}, .device_class = device_class});
    }
  }

  /// In the order of the steps, each once.
  std::string names_of_strategies() const {
    std::vector<std::string> names;
    for (const StepPlan& step : steps_) {
      if (step.work && std::ranges::find(names, step.work->plan.strategy) == names.end())
        names.push_back(step.work->plan.strategy);
    }
    return fmt::format("{}", fmt::join(names, " + "));
  }

  /// Cores may be a device beside GPUs where a step has much work alone. nullptr: no step has products.
  const Plan* plan_with_most_devices() const {
    const Plan* most = nullptr;
    for (const StepPlan& step : steps_) {
      const Plan* const plan = step.work ? &step.work->plan : nullptr;
      if (plan && (!most || plan->ranks.front().devices.size() > most->ranks.front().devices.size()))
        most = plan;
    }
    return most;
  }

  void join(const StepPlan& step) {
    step_ = Step::of(std::ssize(plan_.steps));
    plan_.steps.push_back(offsets_.c);
    result_bytes_.push_back(0);
    moved_.clear();
    const Offsets begin = offsets_;
    if (step.work) join_work(step);
    std::vector<std::pair<std::size_t, TileId>> copied;  // terms, and their first tile of C
    for (const TermPart& part : step.step.terms) {
      if (!program_.terms()[part.term].copies.empty()) copied.emplace_back(part.term, join_copies(part));
    }
    for (const TermPart& part : step.step.terms) {
      const std::size_t number = part.term;
      const auto copies = std::ranges::find(copied, number, &std::pair<std::size_t, TileId>::first);
      if (copies != copied.end()) add_copies(part, copies->second);
      const auto& products = step.step.products;
      const auto first = std::ranges::find(products, number);
      for (auto product = first; product != products.end() && *product == number; ++product)
        add_products(step, static_cast<std::size_t>(product - products.begin()), begin.c);
    }
  }

  void require_joinable(const StepPlan& step) const {
    const Plan& plan = step.work->plan;
    if (plan.grid.size() <= ranks_ && plan.barriers == Barriers::none && plan.pool == Pool::none &&
        !plan.operands.a.generated() && !plan.operands.b.generated() && plan.operands.b.streams())
      return require_these_devices(plan);
    const char* const found = plan.barriers != Barriers::none ? "barriers"
                              : plan.pool != Pool::none       ? "devices that share blocks"
                                                              : "a B that stays, or more ranks";
    throw input_error("strategy", fmt::format("{} with {}", plan.strategy, found), "none in a program",
                      "leave that setting, or the strategy, to foretile");
  }

  void require_these_devices(const Plan& plan) const {
    const std::vector<DevicePlan>& devices = plan.ranks.front().devices;
    for (std::size_t device = 0; device < devices.size(); ++device) {
      const DeviceClass &one = plan.class_of(devices[device]),
                        &joined = plan_.class_of(plan_.ranks.front().devices[device]);
      if (one.kind != joined.kind || one.memory_bytes != joined.memory_bytes || one.cores != joined.cores)
        throw input_error("strategy",
                          fmt::format("{} with other devices in one step than in another", plan.strategy),
                          "the same in all", "take one strategy for all terms");
    }
  }

  void join_work(const StepPlan& step) {
    require_joinable(step);
    const Contraction& contraction = step.work->contraction;
    const Plan& plan = step.work->plan;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      OperandPlan& all = plan_.operands.of(matrix);
      for (TileId tile = 0; tile < shape_of(contraction, matrix).nonzeros(); ++tile) {
        all.distribution.owners.push_back(owner_of(contraction, plan, {matrix, tile}));
        all.in_place.push_back(plan.operands.of(matrix).is_in_place(tile));
      }
    }
    plan_.lookahead = std::min(plan_.lookahead, plan.lookahead);  // each was proven to fit with its own
    plan_.prefetch_c = plan_.prefetch_c && plan.prefetch_c;
    std::ranges::copy(foretile::owners_of_c(contraction, plan), std::back_inserter(owners_of_c()));
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) join_rank(plan.ranks[rank], rank);
    if (!plan.partial_sums) {
      for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) add_sums(step, rank);
    }
    add_permutations(step);
    for (std::size_t product = 0; product < step.step.products.size(); ++product)
      list_tiles(*step.step.joined, product, step.step.products[product]);
    parts_.push_back(contraction);
    offsets_.pass(contraction);
  }

  void list_tiles(const JoinedProducts& joined, std::size_t product, std::size_t term) {
    const auto first = [&](Matrix matrix) { return joined.first(matrix, product); };
    const auto numbers = [&](Matrix matrix) {
      const auto begin = joined.tiles(matrix).begin();
      return std::vector<TileId>(begin + first(matrix), begin + joined.first(matrix, product + 1));
    };
    tiles_of_terms_.push_back({term, offsets_.a + first(Matrix::a), offsets_.b + first(Matrix::b),
                               offsets_.c + first(Matrix::c), numbers(Matrix::a), numbers(Matrix::b),
                               numbers(Matrix::c)});
  }

  void join_rank(const RankPlan& part, std::size_t rank) {
    RankPlan& all = plan_.ranks[rank];
    for (std::size_t device = 0; device < part.devices.size(); ++device) {
      for (Block block : part.devices[device].blocks) {
        for (std::int32_t& column : block.columns) column += offsets_.columns;
        for (Chunk& chunk : block.chunks) {
          chunk.step = step_;
          for (TileId& a : chunk.a) a += offsets_.a;
        }
        all.devices[device].blocks.push_back(std::move(block));
      }
    }
    for (Transfer transfer : part.transfers) {
      for (TileId& tile : transfer.tiles) tile += offset_of(transfer.matrix);
      transfer.step = transfer.last_step = step_;
      all.transfers.push_back(std::move(transfer));
    }
    for (Sum sum : part.sums) {
      for (TileId& tile : sum.tiles) tile += offsets_.c;
      all.sums.push_back(std::move(sum));
    }
  }

  /// Where a device computes all of a tile of C, a sum of one part.
  void add_sums(const StepPlan& step, std::size_t rank) {
    const Contraction& contraction = step.work->contraction;
    const std::vector<DevicePlan>& devices = step.work->plan.ranks[rank].devices;
    for (std::size_t device = 0; device < devices.size(); ++device) {
      std::set<TileId> tiles;
      for_each_product(contraction, devices[device],
                       [&](const Product& product) { tiles.insert(product.c + offsets_.c); });
      if (!tiles.empty())
        plan_.ranks[rank].sums.push_back({{tiles.begin(), tiles.end()}, {Device::of(device)}, {}});
    }
  }

  /// Of all tiles of A and B: those that are sent first, in this order.
  void add_permutations(const StepPlan& step) {
    const Contraction& contraction = step.work->contraction;
    std::array<std::vector<bool>, 2> listed{
        std::vector<bool>(static_cast<std::size_t>(contraction.a.nonzeros())),
        std::vector<bool>(static_cast<std::size_t>(contraction.b.nonzeros()))};
    const auto permute = [&](TileRef tile) {
      std::vector<bool>& of_matrix = listed.at(tile.matrix == Matrix::a ? 0 : 1);
      const auto id = static_cast<std::size_t>(tile.id);
      if (of_matrix[id]) return;
      of_matrix[id] = true;
      add_permutation(step, tile);
    };
    for (const RankPlan& rank : step.work->plan.ranks) {
      for (const Transfer& transfer : rank.transfers) {
        for (const TileId tile : transfer.tiles) permute({transfer.matrix, tile});
      }
    }
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(contraction, matrix).nonzeros(); ++tile) permute({matrix, tile});
    }
  }

  void add_permutation(const StepPlan& step, TileRef tile) {
    const PermutedBlock from = operand_of(program_, step.step, tile);
    const Rank rank = owner_of(step.work->contraction, step.work->plan, tile);
    const TileRef reads = tile_of(from.block);
    if (plan_.tensors.comes_to(rank, reads.id) && moved_.emplace(reads.id, int{rank}).second)
      send(reads, plan_.tensors.owners[static_cast<std::size_t>(reads.id)], rank,
           program_.bytes(from.block.tensor, from.block.block));
    add_task(rank, {.reads = reads,
                    .writes = {tile.matrix, tile.id + offset_of(tile.matrix)},
                    .factor = from.factor,
                    .order = from.order});
  }

  /// What is the first in a tensor's tile, and nowhere else, becomes that tile.
  void find_c_in_place() {
    const std::vector<Rank>& owners = owners_of_c();
    std::vector<int> uses(owners.size(), 0);
    const auto for_each_of_c = [&](const auto& visit) {
      for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
        for (const FlowTask& task : plan_.ranks[rank].flow.tasks) {
          const TileRef tile = task.adds() ? task.reads : task.writes;
          if (tile.matrix == Matrix::c) visit(Rank::of(rank), task, static_cast<std::size_t>(tile.id));
        }
      }
    };
    for_each_of_c([&](Rank, const FlowTask&, std::size_t tile) { ++uses[tile]; });
    const std::vector<bool> once =
        gpus_permute(plan_) ? stored_once(owners.size(), plan_) : std::vector<bool>(owners.size());
    std::vector<bool>& in_place = plan_.operands.c.in_place;
    in_place.assign(owners.size(), false);
    for_each_of_c([&](Rank rank, const FlowTask& task, std::size_t tile) {
      in_place[tile] = uses[tile] == 1 && task.adds() && task.after < 0 && owners[tile] == rank &&
                       (task.copies() || once[tile]);
    });
  }

  /// Returns the first of their tiles of C.
  TileId join_copies(const TermPart& part) {
    const FusedProgramTerm& term = program_.terms()[part.term];
    const TileId first = offsets_.c;
    TilesOfTerm& tiles = tiles_of_terms_.emplace_back(TilesOfTerm{part.term, offsets_.a, offsets_.b, first});
    for (std::int32_t number = part.rows.begin; number < part.rows.end; ++number) {
      const ProgramBlock block{term.operands[0], term.copies[static_cast<std::size_t>(number)].from};
      const auto tile = static_cast<TileId>(owners_of_c().size());
      tiles.c_tiles.push_back(number);
      owners_of_c().push_back(distribution_.owner_of(block));
      add_task(distribution_.owner_of(block), {.reads = tile_of(block), .writes = {Matrix::c, tile}});
    }
    parts_.push_back(copies_of(program_, part));
    offsets_.pass(parts_.back());
    return first;
  }

  void add_copies(const TermPart& part, TileId first) {
    const FusedProgramTerm& term = program_.terms()[part.term];
    for (std::int32_t number = part.rows.begin; number < part.rows.end; ++number)
      add_additions(term.result, first + number - part.rows.begin,
                    program_.additions(part.term, term.copies[static_cast<std::size_t>(number)]));
  }

  void add_products(const StepPlan& step, std::size_t product, TileId first_of_step) {
    const JoinedProducts& joined = *step.step.joined;
    const std::size_t number = step.step.products[product];
    for (TileId tile = joined.first(Matrix::c, product); tile < joined.first(Matrix::c, product + 1); ++tile)
      add_additions(program_.terms()[number].result, first_of_step + tile,
                    program_.additions(number, joined.at({Matrix::c, tile}).tile));
  }

  void add_additions(std::size_t result, TileId tile, const std::vector<Addition>& additions) {
    const Rank from = owners_of_c()[static_cast<std::size_t>(tile)];
    std::vector<Rank> there{from};
    for (const Addition& addition : additions) {
      const ProgramBlock to{result, addition.to};
      const Rank owner = distribution_.owner_of(to);
      if (std::ranges::find(there, owner) == there.end()) {
        there.push_back(owner);
        send({Matrix::c, tile}, from, owner, program_.bytes(to.tensor, to.block));
      }
      add_task(owner, {.reads = {Matrix::c, tile},
                       .writes = tile_of(to),
                       .factor = addition.factor,
                       .order = addition.order});
    }
  }

  void send(TileRef tile, Rank from, Rank to, std::int64_t bytes) {
    result_bytes_.back() += bytes;
    plan_.ranks[from].flow.results.push_back({.tiles = {tile.id},
                                              .others = {to},
                                              .matrix = tile.matrix,
                                              .step = step_,
                                              .last_step = step_,
                                              .kind = TransferKind::result});
  }

  /// Where the rank has the tensor's tile, behind all that was added to it.
  void add_task(Rank rank, FlowTask task) {
    const auto tile = static_cast<std::size_t>(task.tensor_tile());
    std::vector<FlowTask>& tasks = plan_.ranks[rank].flow.tasks;
    task.step = step_;
    task.after = plan_.tensors.owners[tile] == rank ? last_[tile] : -1;
    if (task.adds()) last_[tile] = static_cast<std::int32_t>(std::ssize(tasks));
    tasks.push_back(task);
  }

  TileRef tile_of(const ProgramBlock& block) const {
    return {Matrix::t, plan_.tensors.list[block.tensor].first + block.block};
  }

  static Contraction joined(const std::deque<Contraction>& parts) {
    if (parts.size() == 1) return parts.front();
    try {
      return JoinedProducts({parts.begin(), parts.end()}).contraction();
    } catch (const InputError& error) {  // too many tiles are a reason to plan otherwise, as memory is
      throw DoesNotFit(error);
    }
  }

  std::vector<Rank>& owners_of_c() { return plan_.operands.c.distribution.owners; }
  TileId offset_of(Matrix matrix) const { return matrix == Matrix::a ? offsets_.a : offsets_.b; }

  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  const Machine& machine_;
  std::span<const StepPlan> steps_;
  int ranks_;
  Plan plan_;
  std::vector<TilesOfTerm> tiles_of_terms_;
  std::vector<std::int64_t> result_bytes_;
  Offsets offsets_;
  Step step_ = 0;
  std::set<std::pair<TileId, int>> moved_;  // tiles of tensors that go to a rank for this step
  std::deque<Contraction> parts_;
  std::vector<std::int64_t> elements_;  // of the tensors' tiles
  std::vector<std::int32_t> last_;      // by tile of the tensors: the task that adds to it last so far
};

}  // namespace

std::vector<TensorSteps> steps_of_tensors(const FusedProgram& program, std::span<const StepPlan> steps) {
  const Step never = Step::of(steps.size());
  std::vector<TensorSteps> tensors;
  for (const ProgramTensor& tensor : program.tensors())
    tensors.push_back({tensor.role == TensorRole::given ? Step(0) : never,
                       tensor.role == TensorRole::intermediate ? Step(0) : never});
  for (std::size_t step = 0; step < steps.size(); ++step) {
    const auto behind = Step::of(step + 1);
    for (const TermPart& part : steps[step].step.terms) {
      const FusedProgramTerm& term = program.terms()[part.term];
      for (const std::size_t operand : term.operands) {
        if (tensors[operand].from > Step::of(step)) tensors[operand].from = 0;
        tensors[operand].end = std::max(tensors[operand].end, behind);
      }
    }
    for (const TermPart& part : steps[step].step.terms) {
      TensorSteps& result = tensors[program.terms()[part.term].result];
      result.from = std::min(result.from, Step::of(step));
      result.end = std::max(result.end, behind);
    }
  }
  return tensors;
}

JoinedSteps join_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                       const Machine& machine, std::span<const StepPlan> steps,
                       const std::vector<TensorSteps>& tensors) {
  return StepJoiner(program, distribution, machine, steps).joined(tensors);
}

}  // namespace foretile
