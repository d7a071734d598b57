// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/plan/owners.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

/// Steps grow along every edge: a tile of C has that of its products, a task is of a later one than the tile
/// that it makes something of, and what it makes is used in its step alone. So there is no cycle.
class FlowOrder final : public VerifyPass {
 public:
  explicit FlowOrder(const VerifyView& view) : VerifyPass(view) {
    check_kind();
    if (!plan_.flows()) return;
    check_steps();
    check_tensors();
    additions_.resize(plan_.tensors.owners.size());
    owners_of_c_ = owners_of_c(problem_, plan_);
    stored_once_ = stored_once(owners_of_c_.size(), plan_);
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c})
      made_.at(static_cast<std::size_t>(matrix))
          .assign(static_cast<std::size_t>(shape_of(problem_, matrix).nonzeros()), kGiven);
    computed_.assign(static_cast<std::size_t>(problem_.c.nonzeros()), false);
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) check_tasks(rank);
    check_results();
    check_transfers();
  }

  void block(const WalkedBlock& walked, const std::string& where) override {
    if (!plan_.flows()) return;
    const Step step = walked.block->chunks.front().step;
    for (const TileId c : walked.tiles.c) {
      computed_[static_cast<std::size_t>(c)] = true;
      if (made_[2][static_cast<std::size_t>(c)] != kGiven)
        throw broken_plan(where, fmt::format("C tile {}, which a task makes", c),
                          "one that products compute alone");
      if (plan_.step_of(c) != step)
        throw broken_plan(where, fmt::format("C tile {} in step {}", c, step),
                          fmt::format("its step, {}", plan_.step_of(c)));
    }
    for (const Chunk& chunk : walked.block->chunks) {
      if (chunk.step != step) throw broken_plan(where, "chunks of several steps", "one step");
      for (const TileId a : chunk.a) check_generated({Matrix::a, a}, step, where);
    }
    for (const auto& chunk : walked.tiles.b) {
      for (const TileId b : chunk) check_generated({Matrix::b, b}, step, where);
    }
  }

  void finish(PlanSummary&) override {
    if (std::ranges::count(plan_.operands.c.in_place, true) != std::ssize(in_place_read_))
      throw broken_plan("tiles of C in place", "one that no task adds", "one that becomes a tensor's tile");
    for (const auto& [rank, tile] : reads_) {
      if (computed_[static_cast<std::size_t>(tile)] || made_[2][static_cast<std::size_t>(tile)] != kGiven)
        continue;
      throw broken_plan(fmt::format("rank {}", rank), fmt::format("a task that reads C tile {}", tile),
                        "a tile that is computed");
    }
  }

 private:
  static constexpr std::int64_t kGiven = -1;

  /// What the scheduler can follow.
  void check_kind() const {
    bool tasks = false;
    for (const RankPlan& rank : plan_.ranks)
      tasks = tasks || !rank.flow.tasks.empty() || !rank.flow.results.empty();
    if ((tasks || !plan_.tensors.list.empty() || !plan_.tensors.owners.empty()) && !plan_.flows())
      throw broken_plan("steps", "tasks or tensors without steps", "steps of C");
    if (!plan_.flows()) return;
    if (!plan_.partial_sums || plan_.barriers != Barriers::none || plan_.pool != Pool::none ||
        problem_.reads_c())
      throw broken_plan("steps", "barriers, a pool, or a C that is read or not summed from parts",
                        "none of them where tiles flow");
  }

  void check_steps() const {
    if (plan_.open_from.size() != plan_.steps.size())
      throw broken_plan("open_from", fmt::format("{} steps", plan_.open_from.size()),
                        fmt::format("{}", plan_.steps.size()));
    bool increasing = plan_.steps.front() == 0;
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) {
      const Step from = plan_.open_from[step];
      increasing = increasing && from >= 0 && from <= static_cast<int>(step);
      if (step > 0)
        increasing =
            increasing && plan_.steps[step] >= plan_.steps[step - 1] && from >= plan_.open_from[step - 1];
    }
    if (!increasing) throw broken_plan("steps", "tiles or steps out of order", "increasing ones from 0");
  }

  void check_tensors() const {
    const PlanTensors& all = plan_.tensors;
    const auto tiles = std::ssize(problem_.t_elements);
    if (std::ssize(all.owners) != tiles || all.tasks_at_once < 1 || (all.list.empty() && tiles > 0))
      throw broken_plan(
          "tensors", fmt::format("{} with {} owners of {} tiles", all.list.size(), all.owners.size(), tiles),
          "an owner of each tile, and a tensor of which it is");
    for (const Rank rank : all.owners) {
      if (rank < 0 || rank >= std::ssize(plan_.ranks))
        throw broken_plan("tensors", fmt::format("rank {}", rank),
                          fmt::format("0 to {}", plan_.ranks.size() - 1));
    }
    TileId first = 0;
    const auto steps = static_cast<int>(plan_.steps.size());
    for (const PlanTensor& tensor : all.list) {
      const bool begins = &tensor == &all.list.front();
      if (tensor.first < first || tensor.first > tiles || (begins && tensor.first != 0) || tensor.from < 0 ||
          tensor.from > steps || tensor.end < 0 || tensor.end > steps)
        throw broken_plan(
            "tensors",
            fmt::format("one from tile {} on, in steps {} to {}", tensor.first, tensor.from, tensor.end),
            "increasing tiles from 0, and steps that there are");
      first = tensor.first;
    }
  }

  /// `ready_in`: of each task, the first step in which it can be done.
  void check_tasks(std::size_t rank) {
    const std::vector<FlowTask>& tasks = plan_.ranks[rank].flow.tasks;
    std::vector<Step> ready_in;
    Step step = 0;
    for (std::size_t number = 0; number < tasks.size(); ++number) {
      const FlowTask& task = tasks[number];
      const auto wrong = [&](const std::string& found, const std::string& expected) {
        return broken_plan(fmt::format("rank {} task {}", rank, number), found, expected);
      };
      if (task.after < -1 || task.after >= static_cast<std::int64_t>(number))
        throw wrong(fmt::format("behind task {}", task.after), "behind an earlier one");
      if (task.step < step || task.step >= std::ssize(plan_.steps))
        throw wrong(fmt::format("step {}", task.step), fmt::format("{} to {}", step, plan_.steps.size() - 1));
      step = task.step;
      check_tensor_tile(rank, static_cast<std::int32_t>(number), task, wrong);
      Step ready = task.after < 0 ? Step(0) : ready_in[static_cast<std::size_t>(task.after)];
      if (task.adds()) ready = std::max(ready, check_reads(rank, task, wrong));
      ready_in.push_back(ready);
      if (!task.adds()) check_makes(rank, task, ready, wrong);
    }
  }

  /// On the rank that has it, in steps in which it is there, and behind all that is added to it before.
  template <class Wrong>
  void check_tensor_tile(std::size_t rank, std::int32_t number, const FlowTask& task, const Wrong& wrong) {
    if ((task.reads.matrix == Matrix::t) == task.adds() || (task.adds() && task.reads.matrix != Matrix::c))
      throw wrong(
          "another kind of task",
          "one that makes a tile of A, B or C of one of a tensor, or adds one of C to one of a tensor");
    const TileId id = task.tensor_tile();
    if (id < 0 || id >= std::ssize(additions_))
      throw wrong(fmt::format("tensor tile {}", id), fmt::format("0 to {}", std::ssize(additions_) - 1));
    const std::string name = fmt::format("tensor tile {}", id);
    const PlanTensors& all = plan_.tensors;
    const PlanTensor& tensor = all.list[all.tensor_of(id)];
    Additions& tile = additions_[static_cast<std::size_t>(id)];
    if (all.comes_to(Rank::of(rank), id)) {
      if (task.adds()) throw wrong(name + " of another rank", "one of this rank");
      tensor_reads_.push_back({static_cast<int>(rank), id, task.step});
    }
    if (task.step < tensor.from || task.step >= int{tensor.end})
      throw wrong(fmt::format("{} in step {}", name, task.step),
                  fmt::format("steps in which it is in memory: {} to {}", tensor.from, tensor.end - 1));
    const bool is_here = all.owners[static_cast<std::size_t>(id)] == static_cast<int>(rank);
    const std::int32_t last = is_here ? tile.last : -1;
    if (task.after != last)
      throw wrong(fmt::format("{} behind task {}", name, task.after),
                  fmt::format("behind its last addition, {}", last));
    check_axes(task, wrong);
    if (!task.adds()) {
      tile.read = tile.read || is_here;
      return;
    }
    if (tile.read || tensor.on_demand)
      throw wrong("an addition to " + name + " after it was read, or that no rank keeps", "all before");
    tile.last = number;
    tile.ready = Step::of(int{task.step} + 1);
  }

  template <class Wrong>
  static void check_axes(const FlowTask& task, const Wrong& wrong) {
    unsigned axes = 0;
    const std::uint8_t count = task.order.axes;
    for (std::uint8_t axis = 0; axis < count && count <= kMostTensorIndices; ++axis)
      axes |= 1U << std::min<unsigned>(task.order.from.at(axis), kMostTensorIndices);
    if (count > kMostTensorIndices || axes != (1U << count) - 1)
      throw wrong("an order of axes that is none", "each axis once");
    if (!std::isfinite(task.factor)) throw wrong(fmt::format("factor {}", task.factor), "a finite one");
  }

  /// Returns the step behind that of the tile.
  template <class Wrong>
  Step check_reads(std::size_t rank, const FlowTask& task, const Wrong& wrong) {
    const TileId tile = task.reads.id;
    if (tile < 0 || tile >= problem_.c.nonzeros())
      throw wrong(fmt::format("C tile {}", tile), fmt::format("0 to {}", problem_.c.nonzeros() - 1));
    if (task.step != plan_.step_of(tile))
      throw wrong(fmt::format("C tile {} in step {}", tile, task.step),
                  fmt::format("its step, {}", plan_.step_of(tile)));
    check_size(task, task.reads, wrong);
    if (plan_.operands.c.is_in_place(tile)) check_c_in_place(rank, task, wrong);
    reads_.emplace_back(static_cast<int>(rank), tile);
    return Step::of(int{task.step} + 1);
  }

  /// It becomes the tensor's tile when it is stored, and no other task reads it.
  template <class Wrong>
  void check_c_in_place(std::size_t rank, const FlowTask& task, const Wrong& wrong) {
    const TileId tile = task.reads.id;
    const bool of_rank = owners_of_c_[static_cast<std::size_t>(tile)] == static_cast<int>(rank);
    const bool as_it_is =
        task.copies() || (gpus_permute(plan_) && stored_once_[static_cast<std::size_t>(tile)]);
    if (of_rank && as_it_is && task.after < 0 && in_place_read_.insert(tile).second) return;
    throw wrong(fmt::format("C tile {} in place", tile),
                "one of this rank that is read once, first in its tensor's tile, and as it is unless a GPU "
                "stores it");
  }

  template <class Wrong>
  void check_size(const FlowTask& task, TileRef tile, const Wrong& wrong) const {
    const std::int64_t of_tensor = problem_.t_bytes(task.tensor_tile());
    if (bytes_of(problem_, tile) != of_tensor)
      throw wrong(
          fmt::format("{} tile {} of {} bytes", name_of(tile.matrix), tile.id, bytes_of(problem_, tile)),
          fmt::format("the {} of tensor tile {}", of_tensor, task.tensor_tile()));
  }

  template <class Wrong>
  void check_makes(std::size_t rank, const FlowTask& task, Step ready, const Wrong& wrong) {
    const TileRef tile = task.writes;
    const std::string name = fmt::format("{} tile {}", name_of(tile.matrix), tile.id);
    if (tile.id < 0 || tile.id >= shape_of(problem_, tile.matrix).nonzeros())
      throw wrong(name, fmt::format("0 to {}", shape_of(problem_, tile.matrix).nonzeros() - 1));
    const int owner = tile.matrix == Matrix::c
                          ? static_cast<int>(owners_of_c_[static_cast<std::size_t>(tile.id)])
                          : view_.owners.of(tile);
    if (owner != static_cast<int>(rank)) throw wrong(name + " of another rank", "one of this rank");
    std::int64_t& made = made_.at(static_cast<std::size_t>(tile.matrix))[static_cast<std::size_t>(tile.id)];
    if (made != kGiven) throw wrong(name + " twice", "once");
    if (ready > task.step) throw wrong(fmt::format("{} of C of the same step", name), "of earlier steps");
    check_size(task, tile, wrong);
    check_in_place(task, name, wrong);
    if (tile.matrix == Matrix::c && plan_.operands.c.is_in_place(tile.id))
      throw wrong(name + " in place, which a task makes", "one that products compute");
    if (tile.matrix == Matrix::c && task.step != plan_.step_of(tile.id))
      throw wrong(fmt::format("{} in step {}", name, task.step),
                  fmt::format("its step, {}", plan_.step_of(tile.id)));
    made = task.step;
  }

  /// What is in place is the tensor's tile, which is kept.
  template <class Wrong>
  void check_in_place(const FlowTask& task, const std::string& name, const Wrong& wrong) const {
    if (!task.makes_operand() || !plan_.operands.of(task.writes.matrix).is_in_place(task.writes.id)) return;
    const PlanTensors& all = plan_.tensors;
    const bool as_it_is = task.copies() || gpus_permute(plan_);
    if (!as_it_is || all.list[all.tensor_of(task.reads.id)].on_demand)
      throw wrong(name + " in place, but another than the tensor's", "memory for it");
  }

  /// A message that waited for tiles of a later step would keep its own from ending.
  void check_transfers() const {
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (const Transfer& transfer : plan_.ranks[rank].transfers) {
        for (const TileId tile : transfer.tiles) {
          const std::int64_t made =
              made_.at(static_cast<std::size_t>(transfer.matrix))[static_cast<std::size_t>(tile)];
          if (made == int{transfer.step} && transfer.last_step == transfer.step) continue;
          throw broken_plan(fmt::format("rank {}", rank),
                            fmt::format("a message for steps {} to {} with {} tile {}", transfer.step,
                                        transfer.last_step, name_of(transfer.matrix), tile),
                            "tiles that are made in its step, and for this step alone");
        }
      }
    }
  }

  /// Whoever reads a tile of C has it, or gets it once; and nothing is sent in vain.
  void check_results() {
    std::vector<std::pair<int, TileId>> there;
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (const Transfer& result : plan_.ranks[rank].flow.results) check_result(rank, result, there);
    }
    std::ranges::sort(there);
    std::ranges::sort(reads_);
    reads_.erase(std::unique(reads_.begin(), reads_.end()), reads_.end());
    std::vector<std::pair<int, TileId>> from_others;
    for (const auto& [rank, tile] : reads_) {
      if (owners_of_c_[static_cast<std::size_t>(tile)] != rank) from_others.emplace_back(rank, tile);
    }
    if (there != from_others)
      throw broken_plan("results", fmt::format("{} tiles of C sent", there.size()),
                        fmt::format("each of {} that ranks read and do not own, once", from_others.size()));
    std::ranges::sort(tensor_reads_);
    tensor_reads_.erase(std::unique(tensor_reads_.begin(), tensor_reads_.end()), tensor_reads_.end());
    std::ranges::sort(tensor_arrivals_);
    if (tensor_reads_ != tensor_arrivals_)
      throw broken_plan(
          "results", fmt::format("{} tiles of tensors sent", tensor_arrivals_.size()),
          fmt::format("each of {} that ranks read in a step and do not own, once", tensor_reads_.size()));
  }

  /// A tile of a tensor, from its owner to another rank, finished before the step.
  template <class Wrong>
  void check_tensor_result(std::size_t rank, const Transfer& result, const Wrong& wrong) {
    const PlanTensors& all = plan_.tensors;
    const TileId tile = result.tiles.front();
    if (tile < 0 || tile >= std::ssize(all.owners) ||
        all.owners[static_cast<std::size_t>(tile)] != static_cast<int>(rank))
      throw wrong(fmt::format("tensor tile {}", tile), "tiles that the rank owns");
    const PlanTensor& tensor = all.list[all.tensor_of(tile)];
    if (result.step < tensor.from || result.step >= int{tensor.end} || result.last_step != result.step ||
        result.step < additions_[static_cast<std::size_t>(tile)].ready)
      throw wrong(fmt::format("tensor tile {} for steps {} to {}", tile, result.step, result.last_step),
                  "one step in which it is in memory, behind its last addition");
    const Rank to = result.others.front();
    if (to < 0 || to >= std::ssize(plan_.ranks) || to == static_cast<int>(rank))
      throw wrong(fmt::format("a message to rank {}", to), "other ranks");
    tensor_arrivals_.push_back({to, tile, result.step});
  }

  void check_result(std::size_t rank, const Transfer& result, std::vector<std::pair<int, TileId>>& there) {
    const auto wrong = [&](const std::string& found, const std::string& expected) {
      return broken_plan(fmt::format("rank {} results", rank), found, expected);
    };
    if (result.kind != TransferKind::result || (result.matrix != Matrix::c && result.matrix != Matrix::t) ||
        result.tiles.size() != 1 || result.others.size() != 1)
      throw wrong("a message of another kind", "single tiles of C or of tensors, each to one rank");
    if (result.matrix == Matrix::t) return check_tensor_result(rank, result, wrong);
    const TileId tile = result.tiles.front();
    if (tile < 0 || tile >= problem_.c.nonzeros() ||
        owners_of_c_[static_cast<std::size_t>(tile)] != static_cast<int>(rank))
      throw wrong(fmt::format("C tile {}", tile), "tiles that the rank owns");
    if (result.step != plan_.step_of(tile) || result.last_step != result.step)
      throw wrong(fmt::format("C tile {} for steps {} to {}", tile, result.step, result.last_step),
                  fmt::format("its step, {}", plan_.step_of(tile)));
    for (const Rank other : result.others) {
      if (other < 0 || other >= std::ssize(plan_.ranks) || other == static_cast<int>(rank))
        throw wrong(fmt::format("a message to rank {}", other), "other ranks");
      there.emplace_back(other, tile);
    }
  }

  void check_generated(TileRef tile, Step step, const std::string& where) const {
    const std::int64_t made =
        made_.at(static_cast<std::size_t>(tile.matrix))[static_cast<std::size_t>(tile.id)];
    if (made == int{step}) return;
    throw broken_plan(where,
                      made == kGiven
                          ? fmt::format("{} tile {}, which no task makes", name_of(tile.matrix), tile.id)
                          : fmt::format("{} tile {}, made in step {}", name_of(tile.matrix), tile.id, made),
                      fmt::format("tiles that tasks make in step {}", step));
  }

  /// To a tile of a tensor.
  struct Additions {
    std::int32_t last = -1;  // task of its owner
    Step ready = 0;          // the step behind the last
    bool read = false;
  };

  std::vector<Rank> owners_of_c_;
  std::vector<Additions> additions_;               // by tile of the tensors
  std::array<std::vector<std::int64_t>, 3> made_;  // by matrix and tile: the step of the task that makes it
  std::vector<bool> computed_;                     // tiles of C
  std::vector<bool> stored_once_;                  // the same
  std::set<TileId> in_place_read_;                 // of C
  std::vector<std::pair<int, TileId>> reads_;      // ranks, and tiles of C that they read
  /// Ranks, tiles of tensors that they do not have, and the step in which they read or get them.
  std::vector<std::tuple<int, TileId, int>> tensor_reads_, tensor_arrivals_;
};

}  // namespace

Pass flow_pass(const VerifyView& view) {
  return std::make_unique<FlowOrder>(view);
}

}  // namespace foretile
