// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/flow_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "planner/plan/owners.hpp"
#include "planner/program/flow_check.hpp"
#include "planner/program/made_tensors.hpp"
#include "planner/verify/host_memory.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

/// Copied blocks as tiles of C without a product, along the diagonal.
Contraction copies_of(const FusedProgram& program, const FusedProgramTerm& term) {
  std::vector<std::int64_t> rows, columns;
  std::vector<Shape::Entry> entries;
  for (const CopiedBlock& copy : term.copies) {
    const auto place = static_cast<std::int32_t>(entries.size());
    entries.push_back({place, place, 1});
    const auto extents = program.extents(term.operands[0], copy.from);
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

class FlowJoiner {
 public:
  FlowJoiner(const FusedProgram& program, const ProgramDistribution& distribution, const Machine& machine,
             const std::vector<LevelPlan>& levels)
      : program_(program),
        distribution_(distribution),
        machine_(machine),
        levels_(levels),
        ranks_(machine.ranks) {}

  FlowPlan joined() {
    begin_plan();
    list_tensors();
    for (const LevelPlan& level : levels_) join(level);
    return proven();
  }

 private:
  /// Given tensors and results stay to the end.
  void list_tensors() {
    PlanTensors& all = plan_.tensors;
    all.tasks_at_once = machine_.cores_per_rank();
    const Step never = Step::of(levels_.size());
    for (std::size_t tensor = 0; tensor < program_.tensors().size(); ++tensor) {
      const TensorRole role = program_.tensors()[tensor].role;
      all.list.push_back({std::ssize(all.owners), role == TensorRole::given ? Step(0) : never,
                          role == TensorRole::intermediate ? Step(0) : never,
                          distribution_.is_on_demand(tensor)});
      for (BlockId block = 0; block < program_.blocks(tensor).count(); ++block) {
        all.owners.push_back(distribution_.owner_of({tensor, block}));
        elements_.push_back(program_.blocks(tensor).elements(block));
      }
    }
    for (std::size_t step = 0; step < levels_.size(); ++step) {
      for (const TermPart& part : levels_[step].level.terms) {
        const FusedProgramTerm& term = program_.terms()[part.term];
        const auto behind = Step::of(step + 1);
        PlanTensor& result = all.list[term.result];
        result.from = std::min(result.from, Step::of(step));
        result.end = std::max(result.end, behind);
        for (const std::size_t tensor : term.operands)
          all.list[tensor].end = std::max(all.list[tensor].end, behind);
      }
    }
    last_.assign(all.owners.size(), -1);
  }

  void begin_plan() {
    const auto first =
        std::ranges::find_if(levels_, [](const LevelPlan& level) { return level.work.has_value(); });
    static_cast<PlanFrame&>(plan_) = static_cast<const PlanFrame&>(first->work->plan);
    for (OperandPlan* operand : {&plan_.operands.a, &plan_.operands.b, &plan_.operands.c}) {
      operand->distribution = {Deal::table, {}};
      operand->in_place = {};
    }
    plan_.ranks.resize(static_cast<std::size_t>(ranks_));
    for (RankPlan& rank : plan_.ranks) {
      rank.devices.resize(static_cast<std::size_t>(machine_.devices_per_rank));
      for (std::size_t device = 0; device < rank.devices.size(); ++device)
        rank.devices[device].device_class = first->work->plan.ranks.front().devices[device].device_class;
    }
  }

  void join(const LevelPlan& level) {
    step_ = Step::of(std::ssize(plan_.steps));
    plan_.steps.push_back(offsets_.c);
    const Offsets begin = offsets_;
    if (level.work) join_work(level);
    std::vector<std::pair<std::size_t, TileId>> copied;  // terms, and their first tile of C
    for (const auto& [number, rows, columns] : level.level.terms) {
      if (!program_.terms()[number].copies.empty()) copied.emplace_back(number, join_copies(number));
    }
    for (const auto& [number, rows, columns] : level.level.terms) {
      const auto copies = std::ranges::find(copied, number, &std::pair<std::size_t, TileId>::first);
      if (copies != copied.end()) add_copies(number, copies->second);
      const auto& products = level.level.products;
      const auto first = std::ranges::find(products, number);
      for (auto product = first; product != products.end() && *product == number; ++product)
        add_products(level, static_cast<std::size_t>(product - products.begin()), begin.c);
    }
  }

  void require_joinable(const LevelPlan& level) const {
    const Plan& plan = level.work->plan;
    const bool alike = plan.grid.size() == ranks_ && plan.c_in_parts == plan_.c_in_parts &&
                       plan.barriers == Barriers::none && plan.pool == Pool::none;
    bool placed = !plan.operands.a.made() && !plan.operands.b.made();
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; placed && tile < shape_of(level.work->contraction, matrix).nonzeros(); ++tile) {
        const ProgramBlock block = operand_of(program_, level.level, {matrix, tile}).block;
        placed = owner_of(level.work->contraction, plan, {matrix, tile}) == distribution_.owner_of(block);
      }
    }
    if (alike && placed) return;
    throw input_error("strategy", fmt::format("{} for a program whose tiles flow", plan.strategy),
                      "one that leaves A and B where they are, on all ranks, without barriers and pools",
                      "leave the strategy to foretile, or run the program level by level");
  }

  void join_work(const LevelPlan& level) {
    require_joinable(level);
    const Contraction& contraction = level.work->contraction;
    const Plan& plan = level.work->plan;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      OperandPlan& all = plan_.operands.of(matrix);
      for (TileId tile = 0; tile < shape_of(contraction, matrix).nonzeros(); ++tile) {
        all.distribution.owners.push_back(owner_of(contraction, plan, {matrix, tile}));
        all.in_place.push_back(plan.operands.of(matrix).is_in_place(tile));
      }
    }
    std::ranges::copy(foretile::owners_of_c(contraction, plan), std::back_inserter(owners_of_c()));
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) join_rank(plan.ranks[rank], rank);
    add_permutations(level);
    for (std::size_t product = 0; product < level.level.products.size(); ++product)
      list_tiles(*level.level.joined, product, level.level.products[product]);
    parts_.push_back(contraction);
    offsets_.pass(contraction);
    flops_ += traits(contraction).flops;
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

  /// Of all tiles of A and B: those that are sent first, in this order.
  void add_permutations(const LevelPlan& level) {
    const Contraction& contraction = level.work->contraction;
    std::array<std::vector<bool>, 2> listed{
        std::vector<bool>(static_cast<std::size_t>(contraction.a.nonzeros())),
        std::vector<bool>(static_cast<std::size_t>(contraction.b.nonzeros()))};
    const auto permute = [&](TileRef tile) {
      std::vector<bool>& of_matrix = listed.at(tile.matrix == Matrix::a ? 0 : 1);
      const auto id = static_cast<std::size_t>(tile.id);
      if (of_matrix[id]) return;
      of_matrix[id] = true;
      add_permutation(level, tile);
    };
    for (const RankPlan& rank : level.work->plan.ranks) {
      for (const Transfer& transfer : rank.transfers) {
        for (const TileId tile : transfer.tiles) permute({transfer.matrix, tile});
      }
    }
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(contraction, matrix).nonzeros(); ++tile) permute({matrix, tile});
    }
  }

  void add_permutation(const LevelPlan& level, TileRef tile) {
    const PermutedBlock from = operand_of(program_, level.level, tile);
    add_task({.reads = tile_of(from.block),
              .writes = {tile.matrix, tile.id + offset_of(tile.matrix)},
              .factor = from.factor,
              .order = from.order});
  }

  /// Returns the first of their tiles of C.
  TileId join_copies(std::size_t number) {
    const FusedProgramTerm& term = program_.terms()[number];
    const TileId first = offsets_.c;
    TilesOfTerm& tiles = tiles_of_terms_.emplace_back(
        TilesOfTerm{number, offsets_.a, offsets_.b, first, {}, {}, std::vector<TileId>(term.copies.size())});
    std::iota(tiles.c_tiles.begin(), tiles.c_tiles.end(), TileId{0});
    for (const CopiedBlock& copy : term.copies) {
      const ProgramBlock block{term.operands[0], copy.from};
      const auto tile = static_cast<TileId>(owners_of_c().size());
      owners_of_c().push_back(distribution_.owner_of(block));
      add_task({.reads = tile_of(block), .writes = {Matrix::c, tile}});
    }
    parts_.push_back(copies_of(program_, term));
    offsets_.pass(parts_.back());
    return first;
  }

  void add_copies(std::size_t number, TileId first) {
    const FusedProgramTerm& term = program_.terms()[number];
    for (std::size_t n = 0; n < term.copies.size(); ++n)
      add_landings(term.result, first + static_cast<TileId>(n), program_.additions(number, term.copies[n]));
  }

  void add_products(const LevelPlan& level, std::size_t product, TileId first_of_level) {
    const JoinedProducts& joined = *level.level.joined;
    const std::size_t number = level.level.products[product];
    for (TileId tile = joined.first(Matrix::c, product); tile < joined.first(Matrix::c, product + 1); ++tile)
      add_landings(program_.terms()[number].result, first_of_level + tile,
                   program_.additions(number, joined.at({Matrix::c, tile}).tile));
  }

  void add_landings(std::size_t result, TileId tile, const std::vector<Addition>& additions) {
    const Rank from = owners_of_c()[static_cast<std::size_t>(tile)];
    std::vector<Rank> there{from};
    for (const Addition& addition : additions) {
      const ProgramBlock to{result, addition.to};
      const Rank owner = distribution_.owner_of(to);
      if (std::ranges::find(there, owner) == there.end()) {
        there.push_back(owner);
        send(tile, from, owner, bytes_of(program_, to));
      }
      add_task({.reads = {Matrix::c, tile},
                .writes = tile_of(to),
                .factor = addition.factor,
                .order = addition.order});
    }
  }

  void send(TileId tile, Rank from, Rank to, std::int64_t bytes) {
    sent_bytes_ += bytes;
    plan_.ranks[from].flow.results.push_back({.tiles = {tile},
                                              .others = {to},
                                              .matrix = Matrix::c,
                                              .step = step_,
                                              .last_step = step_,
                                              .kind = TransferKind::result});
  }

  /// On the rank that has the tensor's tile, behind all that was added to it.
  void add_task(FlowTask task) {
    const auto tile = static_cast<std::size_t>(task.tensor_tile());
    std::vector<FlowTask>& tasks = plan_.ranks[plan_.tensors.owners[tile]].flow.tasks;
    task.step = step_;
    task.after = last_[tile];
    if (task.adds()) last_[tile] = static_cast<std::int32_t>(std::ssize(tasks));
    tasks.push_back(task);
  }

  TileRef tile_of(const ProgramBlock& block) const {
    return {Matrix::t, plan_.tensors.list[block.tensor].first + block.block};
  }

  FlowPlan proven() {
    std::vector<ProductPart> parts;
    for (const Contraction& part : parts_) parts.emplace_back(part);
    Contraction all = joined(parts);
    all.name = "program";
    all.t_elements = std::move(elements_);
    open_steps(all);
    PlanSummary summary = verify(plan_, all);
    FlowPlan flow{{std::move(all), machine_, std::move(plan_), std::move(summary)},
                  std::move(tiles_of_terms_),
                  flops_,
                  sent_bytes_};
    flow.sent_bytes += flow.work.summary.network_bytes;
    check_flow(program_, distribution_, flow);
    return flow;
  }

  /// Too many tiles of all steps together are a reason to plan otherwise, as too little memory is.
  static Contraction joined(const std::vector<ProductPart>& parts) {
    try {
      return JoinedProducts(parts).contraction();
    } catch (const InputError& error) {
      throw DoesNotFit(error);
    }
  }

  /// Each step begins as early as memory allows.
  void open_steps(const Contraction& all) {
    const auto needs = step_needs(plan_, all);
    const TensorBytes blocks(plan_, all);
    const auto bytes_at_once = [&](std::size_t first, std::size_t last) {
      std::int64_t most = 0;
      for (std::size_t rank = 0; rank < needs.size(); ++rank) {
        std::int64_t sum = blocks.of(Rank::of(rank), first, last);
        for (std::size_t step = first; step <= last; ++step) sum += needs[rank][step].bytes();
        most = std::max(most, sum);
      }
      return most;
    };
    std::int64_t peak = 0;
    std::size_t first = 0;
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      while (first < step && bytes_at_once(first, step) > machine_.host_bytes_per_rank()) ++first;
      plan_.open_from.push_back(Step::of(first));
      peak = std::max(peak, bytes_at_once(first, step));
    }
    const std::int64_t missing = peak - machine_.host_bytes_per_rank();
    if (missing <= 0) return;
    const auto quantity = [](std::int64_t bytes) {
      return format_quantity(static_cast<double>(bytes), Dimension::bytes);
    };
    std::vector<std::size_t> tensors(program_.tensors().size());
    std::iota(tensors.begin(), tensors.end(), std::size_t{0});
    throw DoesNotFit(input_error(
        "program",
        fmt::format("{} for a rank where tiles flow, {} more than its host memory has", quantity(peak),
                    quantity(missing)),
        fmt::format("at most {}", quantity(machine_.host_bytes_per_rank())),
        fmt::format("run it level by level, {}", memory_advice(program_, distribution_.on_demand, tensors))));
  }

  std::vector<Rank>& owners_of_c() { return plan_.operands.c.distribution.owners; }
  TileId offset_of(Matrix matrix) const { return matrix == Matrix::a ? offsets_.a : offsets_.b; }

  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  const Machine& machine_;
  const std::vector<LevelPlan>& levels_;
  int ranks_;
  Plan plan_;
  std::vector<TilesOfTerm> tiles_of_terms_;
  double flops_ = 0;
  std::int64_t sent_bytes_ = 0;  // tiles of C
  Offsets offsets_;
  Step step_ = 0;
  std::deque<Contraction> parts_;
  std::vector<std::int64_t> elements_;  // of the tensors' tiles
  std::vector<std::int32_t> last_;      // by tile of the tensors: the task that adds to it last so far
};

}  // namespace

FlowPlan join_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                    const Machine& machine, const std::vector<LevelPlan>& plans) {
  return FlowJoiner(program, distribution, machine, plans).joined();
}

bool may_flow(const FusedProgram& program, const Machine& machine) {
  return machine.platform.device.kind == DeviceKind::core &&
         std::ranges::any_of(program.terms(), [](const FusedProgramTerm& term) {
           return term.is_product() && term.product->contraction().c.nonzeros() > 0;
         });
}

FlowPlan plan_flow(const FusedProgram& program, const ProgramDistribution& distribution,
                   const Machine& machine, const Settings& settings) {
  if (!may_flow(program, machine)) {
    const bool cores = machine.platform.device.kind == DeviceKind::core;
    throw input_error("mode", cores ? "flow for a program without products of tiles" : "flow on GPUs",
                      cores ? "a product" : "cores as devices", "take mode levels");
  }
  return join_steps(program, distribution, machine,
                    plan_steps(program, distribution, machine, settings, kStepsAtOnce));
}

}  // namespace foretile
