// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "apps/foretile/coarse.hpp"
#include "apps/foretile/rehearsal.hpp"
#include "base/error.hpp"
#include "platforms/improvements.hpp"
#include "platforms/loader.hpp"
#include "tuner/workers.hpp"

namespace foretile {

namespace {

/// The one key of candidates: a number of the list of improvements; kUnchanged stands for none.
constexpr const char* kKey = "improvement";
constexpr const char* kUnchanged = "none";

std::string joined(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) text += (text.empty() ? "" : " ") + setting;
  return text;
}

double simulated_s(const PlannedWork& work, SimulationOptions options) {
  options.trace = nullptr;
  options.groups = coarse_groups(work);
  return rehearse(work.plan, work.contraction, work.machine, options).makespan_s;
}

/// As --set would do it on the command line: the strategy chooses anew what is not given.
double changed_makespan_s(const Case& the_case, const PlannedWork& work,
                          const std::vector<std::string>& settings, const SimulationOptions& options) {
  Platform platform = parse_platform(the_case.platform.toml, the_case.platform.source, settings);
  // A comparison of strategies is not made again.
  const Settings planned = work.compared.empty()
                               ? the_case.settings
                               : fastest_settings(work.compared, work.contraction, the_case.settings);
  const PlannedWork changed =
      plan_work(work.contraction, make_machine(std::move(platform), the_case.size), planned);
  return simulated_s(changed, options);
}

std::vector<Evaluation> evaluate_all(const CostFunction& cost, std::vector<Candidate> candidates,
                                     ProgressLine& line) {
  const CountFunction progress = line.stage("what-if", std::ssize(candidates));
  Workers workers(cost, {});
  std::vector<Evaluation> all;
  while (!candidates.empty() || workers.count() > 0) {
    for (; !candidates.empty() && workers.has_room(); candidates.pop_back()) workers.start(candidates.back());
    for (Evaluation& evaluation : workers.wait(1.0)) all.push_back(std::move(evaluation));
    if (progress) progress(std::ssize(all));
  }
  return all;
}

void add_rows(const std::vector<Evaluation>& evaluations, const std::vector<Improvement>& better,
              WhatIf& result) {
  for (const auto& [candidate, outcome, wall_s] : evaluations) {
    if (candidate.at(kKey) == kUnchanged) continue;
    const Improvement& improvement = better[std::stoul(candidate.at(kKey))];
    if (outcome.done()) {
      result.rows.push_back({improvement.resource, joined(improvement.settings), outcome.makespan_s,
                             result.makespan_s - outcome.makespan_s});
    } else {
      result.refused.emplace_back(improvement.resource, outcome.message);
    }
  }
  std::sort(result.rows.begin(), result.rows.end(), [](const WhatIfRow& l, const WhatIfRow& r) {
    return std::tie(l.makespan_s, l.resource) < std::tie(r.makespan_s, r.resource);
  });
  std::sort(result.refused.begin(), result.refused.end());
}

}  // namespace

WhatIf what_if(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
               ProgressLine& line) {
  const std::vector<Improvement> better = improvements(work.machine, !the_case.size.gpus);
  const CostFunction cost = [&](const Candidate& candidate) {
    const std::string& which = candidate.at(kKey);
    const double seconds =
        which == kUnchanged ? simulated_s(work, options)
                            : changed_makespan_s(the_case, work, better[std::stoul(which)].settings, options);
    return Outcome{Outcome::Status::done, seconds, {}, {}};
  };
  std::vector<Candidate> candidates;
  for (std::size_t n = better.size(); n-- > 0;) candidates.push_back({{kKey, fmt::to_string(n)}});
  candidates.push_back({{kKey, kUnchanged}});
  const std::vector<Evaluation> evaluations = evaluate_all(cost, std::move(candidates), line);
  const auto unchanged = std::find_if(evaluations.begin(), evaluations.end(),
                                      [](const Evaluation& e) { return e.candidate.at(kKey) == kUnchanged; });
  if (!unchanged->outcome.done())
    throw WorkError("--what-if: the unchanged machine: " + unchanged->outcome.message);
  WhatIf result;
  result.makespan_s = unchanged->outcome.makespan_s;
  add_rows(evaluations, better, result);
  return result;
}

std::string what_if_text(const WhatIf& what_if) {
  std::string text = fmt::format(
      "each resource twice as good, planned anew; coarse, unchanged {:.4g} s\n  {:<24}{:>10} {:>10} {:>6}  "
      "{}\n",
      what_if.makespan_s, "", "time/s", "saved/s", "", "--set");
  for (const auto& [resource, set, makespan_s, saved_s] : what_if.rows) {
    text += fmt::format("  {:<24}{:>10.4g} {:>10.3g} {:>5.1f}%  {}\n", resource, makespan_s, saved_s,
                        100 * saved_s / what_if.makespan_s, set);
  }
  for (const auto& [resource, why] : what_if.refused)
    text += fmt::format("  {:<24}not feasible: {}\n", resource, why);
  return text;
}

}  // namespace foretile
