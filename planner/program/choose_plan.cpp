// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/choose_plan.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "planner/bound/bound.hpp"
#include "planner/distribution/made_tensors.hpp"
#include "planner/distribution/split_k.hpp"
#include "planner/program/block_owners.hpp"
#include "planner/program/term_strategies.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

double bound_seconds(const Plan& plan, const PlanSummary& /*summary*/, const Contraction& contraction,
                     const Machine& machine, double /*stop_s*/) {
  return plan_bound(plan, contraction, machine).seconds;
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
        seconds_(options.seconds ? options.seconds : bound_seconds),
        named_(take_named_strategies(program, settings_)),
        by_term_(asks_for_comparison(settings_)) {
    if (by_term_) settings_.erase("strategy");
  }

  ProgramPlan with_chosen_owners(const std::vector<bool>& on_demand) const {
    ProgramDistribution chosen = choose_distribution(program_, on_demand, machine_, settings_, mode_);
    if (!named_.empty()) chosen = with_named_strategies(std::move(chosen), SplitKRule::fastest);
    if (by_term_)
      chosen = choose_strategies(program_, std::move(chosen), machine_, settings_, mode_, seconds_);
    ProgramPlan planned = plan(chosen);
    if (by_term_ || !named_.empty()) planned = with_own_owners(std::move(planned));
    if (!by_term_) return planned;
    try {
      ProgramPlan other = round_robin(on_demand);
      const double least_s = seconds_of(planned, std::numeric_limits<double>::infinity());
      if (seconds_of(other, least_s) < least_s) return other;
    } catch (const DoesNotFit&) {  // as it is, then
    }
    return planned;
  }

  ProgramPlan round_robin(const std::vector<bool>& on_demand) const {
    ProgramDistribution blocks{.ranks = machine_.ranks, .on_demand = on_demand};
    blocks = with_named_strategies(std::move(blocks), SplitKRule::fewest);
    if (!by_term_) return plan(blocks);
    plan(blocks);  // throws where it does not fit
    return plan(choose_strategies(program_, std::move(blocks), machine_, settings_, mode_, seconds_));
  }

 private:
  ProgramPlan plan(const ProgramDistribution& distribution) const {
    return plan_program(program_, distribution, machine_, settings_, mode_);
  }
  double seconds_of(const ProgramPlan& planned, double stop_s) const {
    const PlannedWork& work = planned.work;
    return seconds_(work.plan, work.summary, work.contraction, machine_, stop_s);
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
  distribution.owners =
      choose_owners(program, distribution, plan_steps(program, distribution, machine, settings, mode));
  return distribution;
}

ProgramPlan choose_plan(const FusedProgram& program, const Machine& machine, const Settings& settings,
                        const ProgramPlanOptions& options) {
  const PlanChoice choice(program, machine, settings, options);
  const bool chooses = options.distribution == DistributionChoice::automatic && machine.ranks > 1;
  const bool can_be = options.mode == ProgramMode::levels || has_products(program);
  std::optional<ProgramPlan> planned;
  plan_with_made(program, options.made, [&](const std::vector<bool>& on_demand) {
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
