// SPDX-License-Identifier: BSD-3-Clause
// The interface behind which the ways of planning stand; one file each in strategies/.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/settings.hpp"
#include "planner/bound/bound.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/communication_model.hpp"
#include "planner/strategies/parameter.hpp"
#include "planner/strategies/plan_context.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Plans rank after rank from what is known of the whole problem.
class RankPlanner {
 public:
  virtual ~RankPlanner() = default;
  virtual PlanFrame frame() const = 0;
  /// Time linear in the rank's share of the nonzeros. Throws InputError when its part does not fit, saying
  /// how many bytes are missing and what to change.
  virtual RankPlan plan_rank(Rank rank) const = 0;
};

/// Of a B that is not given, whatever the problem asks for.
constexpr Source made_or_read(Source asked) {
  return asked == Source::in_file ? Source::in_file : Source::generated;
}

/// What a plan moves where ranks of a node are neighbours in its grid, in exact shares of the extents.
struct NodeVolume {
  double rank_bytes = 0;           ///< that a rank receives, and sends for sums
  double between_nodes_bytes = 0;  ///< least that enters nodes: each tile each node once
  /// Between nodes when the matrices are in the natural order of the grid beforehand, and C afterwards.
  double redistributed_bytes = 0;
  double redistribution_s = 0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string name() const = 0;
  /// That files and scripts may still have; empty: none.
  virtual std::string former_name() const { return {}; }
  const std::vector<ParameterInfo>& parameters() const;  ///< listed once: searches ask thousands of times
  /// The sources of A and B that its plans use where the problem says `asked`: `asked` itself when the
  /// strategy honours it.
  virtual Sources sources_for(const Sources& asked) const = 0;
  bool honours(const Sources& asked) const { return sources_for(asked) == asked; }
  /// Whether its plans distribute single tiles of C, so that those of terms of all sizes give each rank its
  /// share.
  virtual bool suits_terms() const { return false; }
  /// What strategy=auto tries beside the defaults, each where none of its keys is set.
  virtual std::vector<Settings> variants() const { return {}; }
  /// The contraction must outlive the result, `context` need not. `settings` has every parameter in its one
  /// spelling. Throws InputError for settings that are impossible together, or with this problem or machine.
  virtual std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                               const Settings& settings,
                                               const PlanContext& context) const = 0;
  /// How its plans with these settings distribute C to ranks. Throws InputError for settings that cannot be.
  virtual DistributionOfC distribution_of_c(const Contraction& /*contraction*/, const Machine& /*machine*/,
                                            const Settings& /*settings*/) const {
    return {};
  }
  /// Settings that are equal only where the plans are the same: in a few milliseconds, without planning. As
  /// prepare(), throws InputError where that shows that nothing fits.
  virtual Settings plan_key(const Contraction& /*contraction*/, const Machine& /*machine*/,
                            const Settings& settings) const {
    return settings;
  }
  /// Changes with which all that a rank may keep and receive fits its host memory, the smallest first; empty
  /// settings where that is so without a change. `settings` as for prepare().
  virtual std::vector<Settings> with_less_per_rank(const Contraction& /*contraction*/,
                                                   const Machine& /*machine*/,
                                                   const Settings& /*settings*/) const {
    return {};
  }
  /// What a model of the strategy says that its plan with this frame moves; nothing where there is no model.
  virtual std::optional<PredictedVolumes> predicted_volumes(const Contraction& /*contraction*/,
                                                            const Machine& /*machine*/,
                                                            const PlanFrame& /*frame*/) const {
    return {};
  }
  /// Bytes of A and B that ranks send, about, where `ranks` of them have all of this product; nothing where
  /// ranks do not get single tiles of C, or where the settings say how these are summed. `settings` as for
  /// prepare().
  virtual std::optional<double> operand_bytes(const Contraction& /*contraction*/, int /*ranks*/,
                                              const Settings& /*settings*/) const {
    return {};
  }
  /// Of a plan with this frame; nothing where the strategy does not know.
  virtual std::optional<NodeVolume> node_volume(const Contraction& /*contraction*/,
                                                const Machine& /*machine*/,
                                                const PlanFrame& /*frame*/) const {
    return {};
  }

 private:
  virtual std::vector<ParameterInfo> list_parameters() const = 0;

  mutable std::once_flag listed_;
  mutable std::vector<ParameterInfo> parameters_;
};

/// All strategies. The first one that honours a problem's sources is the problem's where none is named and
/// none are compared (plan_fastest()).
const std::vector<std::unique_ptr<Strategy>>& strategies();

/// The name of today of a strategy that had another one; all other texts as they are.
std::string present_name(const std::string& name);

/// The strategy of this name. Throws InputError that lists the names.
const Strategy& find_strategy(const std::string& name);

/// The strategy named by the setting "strategy", whether or not it honours the sources; else, of those that
/// honour them and have most of the parameters set, the first. Throws InputError for unknown names, and when
/// no strategy honours the sources and none is named.
const Strategy& choose_strategy(const Sources& sources, const Settings& settings);

/// The settings of a plan for independent terms of a program, whose sizes differ: unless they name a
/// strategy, or have parameters of another one, that with Strategy::suits_terms().
Settings settings_for_terms(const Settings& settings);

/// Names of the strategies that take A and B as they are given, as those of programs are.
std::vector<std::string> strategies_for_terms();

/// The strategy's name, and those of the settings that it knows. Throws InputError for a name that is none.
Settings settings_of_strategy(const std::string& name, const Settings& settings);

/// Strategy::operand_bytes of the strategy that the settings name; nothing without one. Throws InputError for
/// settings that it does not have.
std::optional<double> operand_bytes(const Contraction& contraction, int ranks, const Settings& settings);

/// Strategy::predicted_volumes of the plan's strategy. Throws InputError for a name that is none.
std::optional<PredictedVolumes> predict_volumes(const Contraction& contraction, const Machine& machine,
                                                const PlanFrame& plan);

/// Strategy::node_volume of the plan's strategy. Throws InputError for a name that is none.
std::optional<NodeVolume> node_volume(const Contraction& contraction, const Machine& machine,
                                      const PlanFrame& plan);

/// What a problem's sources have to do with the strategy of its plan, for people and scripts.
struct StrategyChoice {
  std::string strategy;
  Sources sources;  ///< of the problem
  /// "B is given; stationary-b generates it: the problem's source is overridden". Empty when it is honoured.
  std::string overridden;

  /// One line: the sources, and whether the strategy honours them.
  std::string reason() const;
};

/// `strategy` is a name of a strategy, as in Plan::strategy. Throws InputError for other names.
StrategyChoice explain_choice(const Sources& sources, const std::string& strategy);

/// problem_bound() of the plans that the chosen strategy makes with these settings: without planning. Throws
/// InputError as choose_strategy().
Bound bound_before_planning(const Contraction& contraction, const Machine& machine, const Settings& settings);

/// Strategy::plan_key() of the chosen strategy with its defaults filled in, and "strategy". Throws InputError
/// as prepare_planner(), or not yet.
Settings plan_key(const Contraction& contraction, const Machine& machine, const Settings& settings);

/// Strategy::with_less_per_rank() of the chosen strategy; none with strategy=auto. Throws InputError as
/// choose_strategy(), and for keys that the strategy does not know.
std::vector<Settings> changes_with_less_per_rank(const Contraction& contraction, const Machine& machine,
                                                 const Settings& settings);

/// Throws InputError with StrategyChoice::overridden when the strategy does not honour the sources.
void require_honoured(const StrategyChoice& choice);

/// Prepares choose_strategy() with its defaults filled in; plan_work() knows strategy=auto. Throws InputError
/// for keys that it does not know, for values that a parameter cannot have, and for a precision for which the
/// platform has no figures.
std::unique_ptr<RankPlanner> prepare_planner(const Contraction& contraction, const Machine& machine,
                                             const Settings& settings, const PlanContext& context = {});

/// Plans every rank; tiles are in place as `context` says. `progress` gets how many of machine.ranks are
/// planned.
Plan make_plan(const Contraction& contraction, const Machine& machine, const Settings& settings,
               const CountFunction& progress = {}, const PlanContext& context = {});

}  // namespace foretile
