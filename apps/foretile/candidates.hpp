// SPDX-License-Identifier: BSD-3-Clause
// What the tuner's candidates stand for: settings of problem, platform and strategy.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "planner/bound/bound.hpp"
#include "planner/strategies/strategy.hpp"
#include "simulator/engine_choice.hpp"
#include "simulator/simulation.hpp"
#include "tuner/outcome.hpp"

namespace foretile {

/// Chunks and messages: kEffort.
std::int64_t effort_of(const PlannedWork& work);

/// Everything that is the same for all candidates.
struct TuneCase {
  std::map<std::string, Problem> problems;  ///< by the name that a candidate's "problem" gives
  std::string first_problem;                ///< of candidates that give none
  Platform platform;
  MachineSize size;
  Settings fixed;  ///< the strategy's parameters from --set
  EngineChoice engine = EngineChoice::fluid;
  Goal goal = Goal::time;  ///< its unit is that of bounds and of stop_s below: seconds, or joules
};

/// Plans and simulates candidates. A candidate's `problem` chooses a problem, keys that begin with `problem.`
/// change its tiling and those with `platform.` the platform; all others are the strategy's.
class Candidates {
 public:
  /// Builds all contractions, so that worker processes need not. Warns of those whose planning takes long.
  /// Throws InputError.
  explicit Candidates(TuneCase tune_case);

  /// Tiled as the candidate says. Throws InputError where that cannot be.
  Problem problem_of(const Candidate& candidate) const;
  const Platform& platform() const { return case_.platform; }
  /// The sources of each problem, by its name.
  std::map<std::string, Sources> sources() const;
  /// What the strategy of the candidate's plan has to do with the problem's sources.
  StrategyChoice choice(const Candidate& candidate) const;
  /// Throws InputError when the candidate does not fit, and when its strategy, unless --set names it, does
  /// not honour the problem's sources.
  PlannedWork plan(const Candidate& candidate, const CountFunction& progress = {}) const;
  /// The tuner's cost function: the predicted time, joules where they are known, and what limits it. Once per
  /// process. Stops where it costs more than `most`.
  Outcome simulate(const Candidate& candidate, double most = std::numeric_limits<double>::infinity()) const;
  /// The same of a simulation in few groups (simulator/simulated_seconds.hpp).
  Outcome simulate_coarsely(const Candidate& candidate) const;
  /// What plan() will take at most.
  PlanningEstimate planning(const Candidate& candidate) const {
    return estimate_planning(contraction_of(candidate));
  }
  /// The bound of its plan (planner/bound/bound.hpp; 0 where the platform has noise), and what is the same
  /// for candidates whose simulations are. Joules: those of idle nodes for this time, and of the products.
  Outcome bound(const Candidate& candidate) const;
  /// A bound without a plan: bound_before_planning(), computed once for candidates that do not differ in it.
  /// 0 where nothing is known; infinite where the problem cannot be tiled or distributed so.
  double first_bound(const Candidate& candidate) const;
  /// Of any plan of the candidate's problem and machine that has A and B from where this one has them. Throws
  /// InputError.
  Bound bound_of_any_plan(const Candidate& candidate) const;
  /// Whether first_bound() may depend on a key of candidates.
  static bool decides_first_bound(const std::string& key);
  /// Whether it cannot fit, and what it has in common with candidates of the same plan.
  FirstLook look(const Candidate& candidate) const;

 private:
  const std::string& problem_name(const Candidate& candidate) const;
  /// The problem's name and the candidate's tiling.
  std::string problem_text(const Candidate& candidate) const;
  const Sources& sources_of(const Candidate& candidate) const;
  /// Built when first asked for, and kept. Throws InputError where the tiling cannot be.
  const Contraction& contraction_of(const Candidate& candidate) const;
  /// The platform with these settings; no ranks where they are impossible.
  const Machine& machine_of(const std::vector<std::string>& settings) const;
  /// What is known without a plan.
  struct Known {
    double seconds = 0;     ///< bound_before_planning(), infinite where it cannot be
    double products_s = 0;  ///< least_products_seconds() where energy is the goal and devices alone multiply
  };
  Known known_without_plan(const Candidate& candidate) const;
  double least_products_s(const Candidate& candidate, const Machine& machine) const;
  Outcome simulated(const Candidate& candidate, const PlannedWork& work, double most,
                    SimulationOptions options) const;
  std::string same_text(const Candidate& candidate, const PlannedWork& work) const;

  TuneCase case_;
  mutable std::map<std::string, Contraction> contractions_;  // by problem_text()
  mutable std::map<std::string, Machine> machines_;          // by what changes the platform
  mutable std::map<std::string, Known> first_bounds_;
  mutable std::map<std::string, double> products_s_;  // by problem and platform
};

}  // namespace foretile
