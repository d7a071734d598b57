// SPDX-License-Identifier: BSD-3-Clause
// Plans of programs with one thing wrong: all are refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/program/program_check.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::corrupted_flow_test {
namespace {

std::size_t below(Random& random, std::size_t count) {
  return static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(count) - 1));
}

/// What the verifier and the comparison with the program say; empty: nothing.
std::string complaint(const FusedProgram& program, const ProgramPlan& planned) {
  try {
    verify(planned.work.plan, planned.work.contraction);
    check_program(program, planned);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// A task of a plan.
struct Place {
  std::size_t rank = 0, task = 0;
};

class Corruption {
 public:
  Corruption(ProgramPlan& flow, Random& random)
      : plan_(flow.work.plan), elements_(flow.work.contraction.t_elements), random_(random) {}

  /// Changes one thing; false: the plan has nothing of the kind.
  bool apply(std::size_t kind) {
    const std::vector<std::function<bool()>> kinds{[this] { return drop(); },
                                                   [this] { return repeat(); },
                                                   [this] { return turn_sign(); },
                                                   [this] { return exchange_axes(); },
                                                   [this] { return take_other_tile(); },
                                                   [this] { return give_to_other_rank(); },
                                                   [this] { return free_early(); },
                                                   [this] { return begin_late(); },
                                                   [this] { return read_early(); },
                                                   [this] { return lose_result(); },
                                                   [this] { return shrink(); },
                                                   [this] { return make_in_other_step(); },
                                                   [this] { return send_for_other_step(); },
                                                   [this] { return claim_place(); }};
    return kinds[kind % kinds.size()]();
  }

 private:
  /// Any task of those that `wanted` accepts.
  template <class Wanted>
  std::optional<Place> some_task(const Wanted& wanted) {
    std::vector<Place> places;
    for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      for (std::size_t task = 0; task < tasks(rank).size(); ++task) {
        if (wanted(tasks(rank)[task])) places.push_back({rank, task});
      }
    }
    if (places.empty()) return std::nullopt;
    return places[below(random_, places.size())];
  }
  std::optional<Place> any_task() {
    return some_task([](const FlowTask&) { return true; });
  }
  std::vector<FlowTask>& tasks(std::size_t rank) { return plan_.ranks[rank].flow.tasks; }
  FlowTask& at(const Place& place) { return tasks(place.rank)[place.task]; }

  bool drop() {
    const Place place = *any_task();
    const auto gone = static_cast<std::int32_t>(place.task);
    const std::int32_t before = at(place).after;
    const bool added = at(place).adds();
    tasks(place.rank).erase(tasks(place.rank).begin() + gone);
    for (FlowTask& task : tasks(place.rank)) {  // those behind it are behind the one before
      if (task.after == gone && added) task.after = before;
      if (task.after > gone) --task.after;
    }
    return true;
  }
  /// An addition behind itself, or the same tile again.
  bool repeat() {
    const Place place = *any_task();
    FlowTask again = at(place);
    if (again.adds()) again.after = static_cast<std::int32_t>(place.task);
    const auto behind = static_cast<std::int32_t>(place.task) + 1;
    for (FlowTask& task : tasks(place.rank)) {
      if (task.after >= behind) ++task.after;
      if (again.adds() && task.after == static_cast<std::int32_t>(place.task)) task.after = behind;
    }
    tasks(place.rank).insert(tasks(place.rank).begin() + behind, again);
    return true;
  }
  /// Of a tensor's tile, for a tile of C that is no such.
  bool claim_place() {
    std::vector<bool>& in_place = plan_.operands.c.in_place;
    const auto place = some_task([&](const FlowTask& task) {
      return task.adds() && !in_place[static_cast<std::size_t>(task.reads.id)];
    });
    if (!place) return false;
    in_place[static_cast<std::size_t>(at(*place).reads.id)] = true;
    return true;
  }
  bool turn_sign() {
    FlowTask& task = at(*any_task());
    task.factor = -task.factor;
    return true;
  }
  bool exchange_axes() {
    const auto place = some_task([](const FlowTask& task) { return task.order.axes >= 2; });
    if (!place) return false;
    std::swap(at(*place).order.from.at(0), at(*place).order.from.at(1));
    return true;
  }
  /// Of the same tensor, rank and size where there is one.
  bool take_other_tile() {
    const PlanTensors& all = plan_.tensors;
    FlowTask& task = at(*any_task());
    TileId& tile = task.adds() ? task.writes.id : task.reads.id;
    const auto found = static_cast<std::size_t>(tile);
    for (std::size_t other = 0; other < all.owners.size(); ++other) {
      if (other == found || all.owners[other] != all.owners[found] || elements_[other] != elements_[found])
        continue;
      tile = static_cast<TileId>(other);
      return true;
    }
    return false;
  }
  bool give_to_other_rank() {
    if (plan_.ranks.size() < 2) return false;
    const FlowTask& task = at(*any_task());
    Rank& owner = plan_.tensors.owners[static_cast<std::size_t>(task.tensor_tile())];
    owner = Rank::of((static_cast<std::size_t>(int{owner}) + 1) % plan_.ranks.size());
    return true;
  }
  PlanTensor& tensor_of(const FlowTask& task) {
    return plan_.tensors.list[plan_.tensors.tensor_of(task.tensor_tile())];
  }
  bool free_early() {
    const FlowTask& task = at(*any_task());
    tensor_of(task).end = task.step;
    return true;
  }
  bool begin_late() {
    const FlowTask& task = at(*any_task());
    tensor_of(task).from = Step::of(int{task.step} + 1);
    return true;
  }
  /// Before the last addition to it.
  bool read_early() {
    const auto place = some_task([](const FlowTask& task) { return !task.adds() && task.after >= 0; });
    if (!place) return false;
    at(*place).after = tasks(place->rank)[static_cast<std::size_t>(at(*place).after)].after;
    return true;
  }
  bool lose_result() {
    for (RankPlan& rank : plan_.ranks) {
      if (rank.flow.results.empty()) continue;
      rank.flow.results.erase(rank.flow.results.begin() +
                              static_cast<std::ptrdiff_t>(below(random_, rank.flow.results.size())));
      return true;
    }
    return false;
  }
  bool send_for_other_step() {
    for (RankPlan& rank : plan_.ranks) {
      for (Transfer& result : rank.flow.results) {
        if (result.matrix != Matrix::t || below(random_, 4) > 0) continue;
        result.step = result.last_step = Step::of(int{result.step} == 0 ? 1 : int{result.step} - 1);
        return true;
      }
    }
    return false;
  }
  bool shrink() {
    --elements_[static_cast<std::size_t>(at(*any_task()).tensor_tile())];
    return true;
  }
  /// The first or last one of a step, so that steps still do not decrease.
  bool make_in_other_step() {
    const auto place = some_task([](const FlowTask& task) { return task.makes_operand() && task.step > 0; });
    if (!place) return false;
    std::vector<FlowTask>& of_rank = tasks(place->rank);
    const Step step = at(*place).step;
    const auto first = std::ranges::find(of_rank, step, &FlowTask::step);
    if (!first->makes_operand()) return false;
    first->step = Step::of(int{step} - 1);
    return true;
  }

  Plan& plan_;
  std::vector<std::int64_t>& elements_;
  Random& random_;
};

/// 200 plans of the doubles residual on 1 to 4 ranks, in both modes, with chosen owners and round-robin, with
/// much memory and with little, some tensors generated on demand, by two strategies, on cores and GPUs: each
/// is accepted, and refused with one thing changed.
TEST(CorruptedFlow, IsRefused) {
#ifdef FORETILE_SANITIZED
  constexpr int kPlans = 24;  // two of each kind
#else
  constexpr int kPlans = 200;
#endif
  constexpr std::uint64_t kSeed = 20261129;
  Random random(kSeed);
  std::vector<std::unique_ptr<FusedProgram>> programs;
  for (const ProgramSizes& sizes : {ProgramSizes{2, 4, 2}, {1, 4, 2}, {3, 4, 3}})
    programs.push_back(std::make_unique<FusedProgram>(ccsd_t2(), sizes, "test"));
  int refused = 0;
  std::size_t kind = 0;
  for (int number = 0; number < kPlans; ++number) {
    const FusedProgram& program = *programs[below(random, programs.size())];
    const int ranks = 1 + static_cast<int>(below(random, 4));
    ProgramPlanOptions options{
        below(random, 2) == 0 ? ProgramMode::levels : ProgramMode::flow,
        below(random, 2) == 0 ? DistributionChoice::automatic : DistributionChoice::round_robin,
        {}};
    if (below(random, 3) == 0) options.on_demand = {"v[pp|pp]"};
    const bool on_gpus = below(random, 4) == 0;
    Settings settings;
    if (below(random, 3) == 0) settings["strategy"] = "owner-b";  // moves tiles of tensors
    const auto plan = [&](std::int64_t host_bytes) {
      Machine machine = flow_machine(ranks, 2, host_bytes);
      if (on_gpus) machine.platform.device.kind = DeviceKind::gpu;
      return choose_plan(program, machine, settings, options);
    };
    ProgramPlan planned = plan(std::int64_t{1} << 40);
    if (below(random, 2) == 0) planned = plan(planned.work.summary.peak_host_bytes / 10 * 9);
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", plan " << number << " on " << ranks
                                    << " ranks, kind " << kind);
    EXPECT_EQ(complaint(program, planned), "");
    while (!Corruption(planned, random).apply(kind)) ++kind;
    const std::string said = complaint(program, planned);
    EXPECT_NE(said, "");
    refused += said.empty() ? 0 : 1;
    ++kind;
  }
  EXPECT_EQ(refused, kPlans);
}

}  // namespace
}  // namespace foretile::corrupted_flow_test
