// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "apps/foretile/evaluate_all.hpp"
#include "base/error.hpp"
#include "platforms/improvements.hpp"
#include "platforms/keys.hpp"
#include "platforms/loader.hpp"
#include "platforms/show.hpp"
#include "platforms/units.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

/// Candidates have a number of the list of improvements (kUnchanged: none) and how they are simulated.
constexpr const char* kKey = "improvement";
constexpr const char* kUnchanged = "none";
constexpr const char* kMode = "simulated";
constexpr const char* kFull = "full";
constexpr const char* kCoarse = "coarse";

/// Savings that differ by less are taken as equal, of the unchanged makespan.
constexpr double kSameSaving = 0.02;

std::string joined(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) text += (text.empty() ? "" : " ") + setting;
  return text;
}

/// Of "platform.KEY=VALUE".
std::string key_of(const std::string& setting) {
  const std::size_t begin = setting.find('.') + 1;
  return setting.substr(begin, setting.find('=') - begin);
}

std::string value_of(const nlohmann::json& figures, const std::string& key) {
  const nlohmann::json& figure = figures.at(key);
  if (figure.is_array()) return fmt::format("{} points", figure.size());
  return figure.is_number() ? format_quantity(figure.get<double>(), find_platform_key(key)->dimension)
                            : figure.dump();
}

double simulated_s(const PlannedWork& work, SimulationOptions options, bool in_full) {
  options.trace = nullptr;
  options.groups = in_full ? CoarseGroups{} : coarse_groups(work);
  return simulate(work.plan, work.contraction, work.machine, options).makespan_s;
}

/// Planned again on each machine that is changed.
ChangedSeconds planned_again(const Case& the_case, const PlannedWork& work,
                             const SimulationOptions& options) {
  return [&](const std::vector<std::string>& settings, bool in_full) {
    if (settings.empty()) return simulated_s(work, options, in_full);
    const Platform& platform = the_case.platform;
    return makespan_on(parse_platform(platform.toml, platform.source, settings), the_case, work, options,
                       in_full);
  };
}

/// Simulates improvements, by their numbers in a list that grows.
class Experiments {
 public:
  Experiments(ChangedSeconds seconds, ProgressLine& line, std::function<bool()> stop = {})
      : seconds_(std::move(seconds)), line_(line), stop_(std::move(stop)) {}

  std::vector<Improvement> list;
  std::vector<std::optional<double>> coarse_s,
      full_s;                         ///< of each in the list; empty: not simulated or not feasible
  std::vector<std::string> refusals;  ///< of each in the list; empty where it is feasible
  double unchanged_coarse_s = 0, unchanged_full_s = 0;

  std::size_t add(Improvement improvement) {
    list.push_back(std::move(improvement));
    coarse_s.emplace_back();
    full_s.emplace_back();
    refusals.emplace_back();
    return list.size() - 1;
  }

  void run(const std::vector<std::size_t>& numbers, bool in_full, bool and_unchanged) {
    std::vector<Candidate> candidates;
    const char* const mode = in_full ? kFull : kCoarse;
    for (const std::size_t number : numbers)
      candidates.push_back({{kKey, fmt::to_string(number)}, {kMode, mode}});
    if (and_unchanged) candidates.push_back({{kKey, kUnchanged}, {kMode, mode}});
    for (const Evaluation& evaluation : evaluated(std::move(candidates))) take(evaluation, in_full);
  }

  double coarse_saving(std::size_t number) const {
    return coarse_s[number] ? 1 - *coarse_s[number] / unchanged_coarse_s : 0;
  }
  double full_saving(std::size_t number) const {
    return full_s[number] ? 1 - *full_s[number] / unchanged_full_s : 0;
  }

 private:
  std::vector<Evaluation> evaluated(std::vector<Candidate> candidates) {
    const CostFunction cost = [&](const Candidate& candidate) {
      const std::string& which = candidate.at(kKey);
      const bool in_full = candidate.at(kMode) == kFull;
      const double seconds = seconds_(
          which == kUnchanged ? std::vector<std::string>() : list[std::stoul(which)].settings, in_full);
      return Outcome{Outcome::Status::done, seconds, {}, {}};
    };
    return evaluate_all(std::move(candidates), cost, line_, "what-if", stop_);
  }

  void take(const Evaluation& evaluation, bool in_full) {
    const auto& [candidate, outcome, wall_s] = evaluation;
    if (candidate.at(kKey) == kUnchanged) {
      if (!outcome.done()) throw WorkError("the unchanged machine: " + outcome.message);
      (in_full ? unchanged_full_s : unchanged_coarse_s) = outcome.makespan_s;
      return;
    }
    const std::size_t number = std::stoul(candidate.at(kKey));
    if (outcome.done())
      (in_full ? full_s : coarse_s)[number] = outcome.makespan_s;
    else
      refusals[number] = outcome.message;
  }

  ChangedSeconds seconds_;
  ProgressLine& line_;
  std::function<bool()> stop_;
};

/// The next to be simulated in full: those that may beat the best, best first.
std::vector<std::size_t> next_in_full(const Experiments& experiments,
                                      const std::vector<std::size_t>& by_saving) {
  constexpr std::size_t kFirst = 3, kMost = 10;
  double best = 0, difference = kSameSaving;
  std::size_t done = 0;
  for (const std::size_t number : by_saving) {
    if (!experiments.full_s[number]) continue;
    ++done;
    best = std::max(best, experiments.full_saving(number));
    difference =
        std::max(difference, std::abs(experiments.full_saving(number) - experiments.coarse_saving(number)));
  }
  std::vector<std::size_t> next;
  for (const std::size_t number : by_saving) {
    const bool may_be_best = done == 0 || experiments.coarse_saving(number) + difference > best;
    if (experiments.full_s[number] || !experiments.refusals[number].empty() || !may_be_best) continue;
    if (done + next.size() < kMost && next.size() < kFirst) next.push_back(number);
  }
  return next;
}

void simulate_best_in_full(Experiments& experiments, const std::vector<std::size_t>& rows) {
  std::vector<std::size_t> by_saving = rows;
  std::ranges::stable_sort(by_saving, std::greater{},
                           [&](std::size_t n) { return experiments.coarse_saving(n); });
  std::vector<std::size_t> next = next_in_full(experiments, by_saving);
  for (bool first = true; first || !next.empty(); first = false) {
    experiments.run(next, true, first);
    next = next_in_full(experiments, by_saving);
  }
}

WhatIf table_of(const Experiments& experiments, const std::vector<std::size_t>& rows) {
  WhatIf result;
  result.makespan_s = experiments.unchanged_full_s;
  result.coarse_makespan_s = experiments.unchanged_coarse_s;
  for (const std::size_t number : rows) {
    const std::string& resource = experiments.list[number].resource;
    const bool in_full = experiments.full_s[number].has_value();
    const double unchanged_s = in_full ? result.makespan_s : result.coarse_makespan_s;
    if (!experiments.refusals[number].empty()) {
      result.refused.emplace_back(resource, experiments.refusals[number]);
    } else {
      const double seconds = in_full ? *experiments.full_s[number] : *experiments.coarse_s[number];
      result.rows.push_back(
          {resource, joined(experiments.list[number].settings), seconds, unchanged_s - seconds, in_full});
    }
  }
  std::sort(result.rows.begin(), result.rows.end(), [](const WhatIfRow& l, const WhatIfRow& r) {
    return std::tuple(!l.in_full, -l.saved_s, l.resource) < std::tuple(!r.in_full, -r.saved_s, r.resource);
  });
  std::sort(result.refused.begin(), result.refused.end());
  return result;
}

/// Links of both ways together, which have the last number, are a row where they save more than all others
/// that are of one way.
void leave_out_both_ways(const Experiments& experiments, std::vector<std::size_t>& rows) {
  const std::size_t last = rows.back();
  if (!experiments.list[last].of_copies || !experiments.list[last].of_messages) return;
  double most = 0;
  for (const std::size_t n : rows) {
    const Improvement& one = experiments.list[n];
    if (n != last && (one.of_copies || one.of_messages)) most = std::max(most, experiments.coarse_saving(n));
  }
  if (!(experiments.coarse_saving(last) > most + kSameSaving)) rows.pop_back();
}

WhatIf all_rows(const Machine& machine, bool more_devices, const ChangedSeconds& seconds,
                ProgressLine& line) {
  Experiments experiments(seconds, line);
  const std::vector<Improvement> single = improvements(machine, more_devices);
  for (const Improvement& better : single) experiments.add(better);
  for (Improvement& better : joint_improvements(single)) experiments.add(std::move(better));
  std::vector<std::size_t> rows(experiments.list.size());
  std::iota(rows.begin(), rows.end(), 0U);
  experiments.run(rows, false, true);
  if (rows.size() > single.size()) leave_out_both_ways(experiments, rows);
  simulate_best_in_full(experiments, rows);
  return table_of(experiments, rows);
}

/// The numbers of the guesses that may count.
std::vector<std::size_t> add_guesses(Experiments& experiments, const Machine& machine,
                                     const std::vector<std::string>& guesses) {
  std::vector<std::size_t> numbers;
  for (Improvement& better : improvements(machine, false)) {
    std::erase_if(better.settings, [&](const std::string& setting) {
      return std::ranges::find(guesses, key_of(setting)) == guesses.end();
    });
    if (!better.settings.empty()) numbers.push_back(experiments.add(std::move(better)));
  }
  return numbers;
}

std::vector<DecidingGuess> simulated_guesses(Experiments& experiments,
                                             const std::vector<std::size_t>& numbers, const Machine& machine,
                                             std::int64_t products) {
  constexpr double kDecides = 0.05;
  const bool in_full = products <= kMostProductsInFull;
  experiments.run(numbers, in_full, true);
  const nlohmann::json figures = platform_summary_json(machine.platform).at("figures");
  std::vector<DecidingGuess> guesses;
  for (const std::size_t number : numbers) {
    const double saving = in_full ? experiments.full_saving(number) : experiments.coarse_saving(number);
    if (!(std::abs(saving) > kDecides)) continue;
    const std::vector<std::string>& settings = experiments.list[number].settings;
    const double seconds = in_full ? *experiments.full_s[number] : *experiments.coarse_s[number];
    const double unchanged_s = in_full ? experiments.unchanged_full_s : experiments.unchanged_coarse_s;
    const std::string key = key_of(settings.front());
    guesses.push_back(
        {key, value_of(figures, key), joined(settings), seconds, unchanged_s - seconds, in_full});
  }
  std::ranges::stable_sort(guesses, std::greater{},
                           [](const DecidingGuess& g) { return std::abs(g.saved_s); });
  return guesses;
}

}  // namespace

bool may_count(const std::string& key, const PlannedWork& work) {
  if (key.starts_with("power.")) return false;
  if (key.starts_with("generation.")) return work.summary.generated_bytes > 0;
  for (const char* const table : {"message.", "network.", "fabric."})
    if (key.starts_with(table)) return work.summary.network_bytes > 0;
  if (key.starts_with("addition.")) return work.plan.partial_sums;
  return true;
}

double makespan_of_plan(Platform platform, const PlannedWork& work, SimulationOptions options, bool in_full) {
  options.trace = nullptr;
  options.groups = in_full ? CoarseGroups{} : coarse_groups(work);
  Machine machine = work.machine;
  machine.platform = std::move(platform);
  return simulate(work.plan, work.contraction, machine, options).makespan_s;
}

double makespan_on(Platform platform, const Case& the_case, const PlannedWork& work,
                   const SimulationOptions& options, bool in_full) {
  // A comparison of strategies is not made again.
  const Settings planned = work.compared.empty()
                               ? the_case.settings
                               : fastest_settings(work.compared, work.contraction, the_case.settings);
  const PlannedWork changed =
      plan_work(work.contraction, make_machine(std::move(platform), the_case.size), planned);
  return simulated_s(changed, options, in_full);
}

WhatIf what_if(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
               ProgressLine& line) {
  return what_if(work.machine, !the_case.size.gpus, planned_again(the_case, work, options), line);
}

WhatIf what_if(const Machine& machine, bool more_devices, const ChangedSeconds& seconds, ProgressLine& line) {
  try {
    return all_rows(machine, more_devices, seconds, line);
  } catch (const WorkError& error) {
    throw WorkError(std::string("--what-if: ") + error.what());
  }
}

Guesses deciding_guesses(const Case& the_case, const PlannedWork& work, const SimulationOptions& options,
                         ProgressLine& line, const std::function<bool()>& stop) {
  std::vector<std::string> guesses = the_case.guesses;
  std::erase_if(guesses, [&](const std::string& key) { return !may_count(key, work); });
  if (!guesses.empty() && work.summary.gemms > kMostProductsForGuesses) return std::nullopt;
  return deciding_guesses(work.machine, guesses, work.summary.gemms, planned_again(the_case, work, options),
                          line, stop);
}

Guesses deciding_guesses(const Machine& machine, const std::vector<std::string>& guesses,
                         std::int64_t products, const ChangedSeconds& seconds, ProgressLine& line,
                         const std::function<bool()>& stop) {
  try {
    Experiments experiments(seconds, line, stop);
    const std::vector<std::size_t> numbers = add_guesses(experiments, machine, guesses);
    if (numbers.empty()) return Guesses::value_type();
    return simulated_guesses(experiments, numbers, machine, products);
  } catch (const std::exception&) {  // the result holds without them
    return std::nullopt;
  }
}

std::string guesses_text(const Guesses& guesses) {
  if (!guesses)
    return "which guesses of the platform decide: not determined; `foretile platform show NAME --sensitivity "
           "PROBLEM` does\n";
  std::string text;
  for (const DecidingGuess& guess : *guesses) {
    const double percent = 100 * std::abs(guess.saved_s) / (guess.makespan_s + guess.saved_s);
    const std::string time = guess.in_full ? fmt::format("{:.4g} s, ", guess.makespan_s) : "";
    text += fmt::format("a guess decides: {} = {}; twice as good, the time is {}{:.1f}% {}{}\n", guess.figure,
                        guess.value, time, percent, guess.saved_s > 0 ? "less" : "more",
                        guess.in_full ? "" : " (coarse)");
  }
  return text;
}

nlohmann::ordered_json guesses_json(const Guesses& guesses) {
  if (!guesses) return nullptr;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const auto& [figure, value, set, makespan_s, saved_s, in_full] : *guesses) {
    json.push_back({{"figure", figure},
                    {"value", value},
                    {"set", set},
                    {"makespan_s", makespan_s},
                    {"saved_s", saved_s},
                    {"in_full", in_full}});
  }
  return json;
}

namespace {

/// Points of a curve fill a page: they stand in the JSON.
std::string without_lists(const std::string& settings) {
  std::string text;
  int depth = 0;
  for (const char c : settings) {
    if (c == '[') ++depth;
    if (depth == 0) text += c;
    if (c == ']' && --depth == 0) text += "[...]";
  }
  return text;
}

}  // namespace

std::string what_if_text(const WhatIf& what_if) {
  std::size_t width = 22;
  for (const WhatIfRow& row : what_if.rows) width = std::max(width, row.resource.size());
  std::string text = fmt::format(
      "each resource twice as good, planned again; unchanged {:.4g} s in full, {:.4g} s coarse\n"
      "  {:<{}}  {:>10} {:>10} {:>6}  {:<9}  {}\n",
      what_if.makespan_s, what_if.coarse_makespan_s, "", width, "time/s", "saved/s", "", "simulated",
      "--set");
  for (const WhatIfRow& row : what_if.rows) {
    text += fmt::format("  {:<{}}  {:>10.4g} {:>10.3g} {:>5.1f}%  {:<9}  {}\n", row.resource, width,
                        row.makespan_s, row.saved_s, 100 * row.saved_s / (row.makespan_s + row.saved_s),
                        row.in_full ? kFull : kCoarse, without_lists(row.set));
  }
  for (const auto& [resource, why] : what_if.refused)
    text += fmt::format("  {:<{}}  not feasible: {}\n", resource, width, why);
  return text;
}

}  // namespace foretile
