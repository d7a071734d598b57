// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/choose_plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "planner/bound/bound.hpp"
#include "planner/distribution/at_owners.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/distribution/split_k.hpp"
#include "planner/program/block_owners.hpp"
#include "planner/program/term_strategies.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/cost/addition.hpp"
#include "platforms/cost/message.hpp"

namespace foretile {

namespace {

/// On cores, of the rank with most.
double tasks_s(const Plan& plan, const Contraction& contraction, const Machine& machine) {
  double most = 0;
  for (const RankPlan& rank : plan.ranks) {
    double sum = 0;
    for (const FlowTask& task : rank.flow.tasks) {
      const TaskWork work = work_of(plan, contraction, task);
      sum +=
          block_seconds(machine.platform, work.bytes, work.permutes) +
          over(static_cast<double>(work.generated_bytes), machine.platform.generation_bytes_per_s_per_core);
    }
    most = std::max(most, sum / machine.cores_per_rank());
  }
  return most;
}

/// Of tiles of C and of tensors, of the rank with most: those that it sends and those that come to it.
double results_s(const Plan& plan, const Contraction& contraction, const Machine& machine) {
  std::vector<double> sent(plan.ranks.size(), 0), received(sent);
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    for (const Transfer& result : plan.ranks[rank].flow.results) {
      const Rank to = result.others.front();
      const auto bytes = static_cast<double>(bytes_of(contraction, {result.matrix, result.tiles.front()}));
      const double seconds = over(bytes, message_link(machine, Rank::of(rank), to).bandwidth_bytes_per_s);
      sent[rank] += seconds;
      received[to] += seconds;
    }
  }
  return std::max(std::ranges::max(sent), std::ranges::max(received));
}

/// One after the other: tasks wait for messages, products for tasks.
double least_seconds(const Plan& plan, const PlanSummary& /*summary*/, const Contraction& contraction,
                     const Machine& machine, double /*stop_s*/) {
  return plan_bound(plan, contraction, machine).seconds + tasks_s(plan, contraction, machine) +
         results_s(plan, contraction, machine);
}

/// Plans a program in the ways that its user leaves open.
class PlanChoice {
 public:
  PlanChoice(const FusedProgram& program, const Machine& machine, const Settings& given,
             const ProgramPlanOptions& options)
      : program_(program),
        machine_(machine),
        settings_(given),
        mode_(options.mode),
        seconds_(options.seconds ? options.seconds : least_seconds),
        named_(take_named_strategies(program, settings_)),
        by_term_(asks_for_comparison(settings_)) {
    if (by_term_) settings_.erase("strategy");
  }

  ProgramPlan with_chosen_owners(const std::vector<bool>& on_demand) const {
    ProgramDistribution chosen = choose_distribution(program_, on_demand, machine_, settings_, mode_);
    if (!named_.empty()) chosen = with_named_strategies(std::move(chosen), SplitKRule::fastest);
    ProgramPlan usual = plan(chosen);
    if (!named_.empty()) usual = with_own_owners(std::move(usual));
    if (!by_term_) return usual;
    usual = shorter(std::move(usual), [&] {
      return with_own_owners(plan(choose_strategies(program_, chosen, machine_, settings_, mode_, seconds_)));
    });
    return shorter(std::move(usual), [&] { return round_robin(on_demand); });
  }

  ProgramPlan round_robin(const std::vector<bool>& on_demand) const {
    ProgramDistribution blocks{.ranks = machine_.ranks, .on_demand = on_demand};
    blocks = with_named_strategies(std::move(blocks), SplitKRule::fewest);
    ProgramPlan usual = plan(blocks);
    if (!by_term_) return usual;
    return shorter(std::move(usual), [&] {
      return plan(choose_strategies(program_, blocks, machine_, settings_, mode_, seconds_));
    });
  }

 private:
  ProgramPlan plan(const ProgramDistribution& distribution) const {
    return plan_program(program_, distribution, machine_, settings_, mode_);
  }
  double seconds_of(const ProgramPlan& planned, double stop_s) const {
    const PlannedWork& work = planned.work;
    return seconds_(work.plan, work.summary, work.contraction, machine_, stop_s);
  }

  /// Steps are compared one by one; what they take together decides.
  template <class MakeOther>
  ProgramPlan shorter(ProgramPlan first, const MakeOther& make_other) const {
    try {
      ProgramPlan other = make_other();
      const double least_s = seconds_of(first, std::numeric_limits<double>::infinity());
      if (seconds_of(other, least_s) < least_s) return other;
    } catch (const DoesNotFit&) {  // the first does
    }
    return first;
  }

  /// And sums for them.
  ProgramDistribution with_named_strategies(ProgramDistribution distribution, SplitKRule cut) const {
    distribution.strategies = named_;
    distribution.split_k =
        choose_split_k(program_, distribution, machine_, settings_for_terms(settings_), cut);
    return distribution;
  }

  /// By the plans of the strategies in it, where less is sent with them.
  ProgramPlan with_own_owners(ProgramPlan planned) const {
    ProgramDistribution other = planned.distribution;
    other.owners = choose_owners(program_, planned.distribution,
                                 plan_steps(program_, planned.distribution, machine_, settings_, mode_));
    try {
      ProgramPlan with_others = plan(other);
      if (with_others.sent_bytes() < planned.sent_bytes()) return with_others;
    } catch (const DoesNotFit&) {  // it did before
    }
    return planned;
  }

  const FusedProgram& program_;
  const Machine& machine_;
  Settings settings_;
  ProgramMode mode_;
  WorkSeconds seconds_;
  std::vector<std::string> named_;
  bool by_term_;
};

}  // namespace

ProgramDistribution choose_distribution(const FusedProgram& program, const std::vector<bool>& on_demand,
                                        const Machine& machine, const Settings& settings, ProgramMode mode) {
  ProgramDistribution distribution{.ranks = machine.ranks, .on_demand = on_demand};
  distribution.split_k =
      choose_split_k(program, distribution, machine, settings_for_terms(settings), SplitKRule::fastest);
  const Settings of_terms = settings_for_terms(settings);
  const std::vector<StepPlan> plans = plan_steps(program, distribution, machine, settings, mode);
  distribution.at_owners = may_be_at_owners(program, distribution, of_terms);
  distribution.owners = choose_owners(program, distribution, plans);
  const std::vector<bool> worth = worth_being_at_owners(program, distribution, machine, of_terms);
  if (worth != distribution.at_owners) {
    distribution.at_owners = worth;
    distribution.owners = choose_owners(program, distribution, plans);
  }
  return distribution;
}

ProgramPlan choose_plan(const FusedProgram& program, const Machine& machine, const Settings& settings,
                        const ProgramPlanOptions& options) {
  const PlanChoice choice(program, machine, settings, options);
  const bool chooses = options.distribution == DistributionChoice::automatic && machine.ranks > 1;
  const bool can_be = options.mode == ProgramMode::levels || has_products(program);
  std::optional<ProgramPlan> planned;
  plan_on_demand(program, options.on_demand, [&](const std::vector<bool>& on_demand) {
    try {
      if (chooses && can_be) {
        planned = choice.with_chosen_owners(on_demand);
        return;
      }
    } catch (const DoesNotFit&) {  // round-robin, then
    }
    planned = choice.round_robin(on_demand);
  });
  return *std::move(planned);
}

}  // namespace foretile
