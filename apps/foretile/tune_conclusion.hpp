// SPDX-License-Identifier: BSD-3-Clause
// What foretile tune concludes from its searches, stores and prints.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/candidates.hpp"
#include "apps/foretile/case.hpp"
#include "apps/foretile/tune_arguments.hpp"
#include "base/progress.hpp"
#include "base/time_budget.hpp"
#include "tuner/by_nodes.hpp"
#include "tuner/starts.hpp"
#include "tuner/tie.hpp"
#include "tuner/tune.hpp"

namespace foretile {

/// One search, on a machine of one size.
struct Tuning {
  MachineSize size;
  std::unique_ptr<Candidates> candidates;
  Starts starts;  // from --start-from
  TuneResult result;
  double tie = kTie;

  /// Of a search that found something.
  const Evaluation& chosen() const { return *result.chosen(tie); }
};

/// All numbers of nodes, or those for which there is time, and the tuning of the one that the goal asks for.
struct NodesTuning {
  std::vector<NodesResult> results;
  Tuning chosen;
  std::size_t asked = 0;
  TuneEnd end = TuneEnd::complete;
  int signal = 0;
};

/// Stores and prints the best, then which guesses decide. Throws WorkError where there is no best, and
/// CLI::RuntimeError after an interrupt. `over_nodes` may be null.
void conclude(const TuneArguments& arguments, const Case& the_case, const Tuning& tuning,
              const TimeBudget& latest, ProgressLine& line, const NodesTuning* over_nodes);

}  // namespace foretile
