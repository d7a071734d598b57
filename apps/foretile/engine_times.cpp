// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/engine_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "apps/quantities.hpp"
#include "base/one_line.hpp"
#include "base/time_budget.hpp"
#include "simulator/reference_engine.hpp"
#include "simulator/simulation.hpp"
#include "tuner/workers.hpp"

namespace foretile {

namespace {

/// SimGrid has one simulation per process, and may end the process.
Outcome in_a_process(const PlannedWork& work, std::uint64_t noise_seed, const TimeBudget& budget,
                     const std::function<bool()>& stop) {
  constexpr double kBetweenPolls_s = 0.1;
  const CostFunction cost = [&](const Candidate&) {
    SimulationOptions options;
    options.engine = EngineChoice::simgrid;
    options.noise_seed = noise_seed;
    const double seconds = simulate(work.plan, work.contraction, work.machine, options).makespan_s;
    return Outcome{Outcome::Status::done, seconds, {}, {}};
  };
  WorkerLimits limits;
  limits.evaluation_s = budget.left();
  Workers workers(cost, limits);
  workers.start({});
  for (;;) {
    const std::vector<Evaluation> ended = workers.wait(kBetweenPolls_s);
    if (!ended.empty()) return ended.front().outcome;
    if (stop && stop()) return {Outcome::Status::stopped, 0, "the time is over", {}};
  }
}

EngineTimes sum_of_processes(const std::vector<const PlannedWork*>& works, std::uint64_t noise_seed,
                             double limit_s, const std::function<bool()>& stop) {
  const TimeBudget budget(limit_s);
  double seconds = 0;
  for (const PlannedWork* const work : works) {
    if (budget.over()) return {.left_out = "the time is over"};
    const Outcome outcome = in_a_process(*work, noise_seed, budget, stop);
    if (!outcome.done() && budget.over())
      return {.left_out = fmt::format("it takes more than {}", quantity(limit_s, "s"))};
    if (!outcome.done()) return {.left_out = outcome.message};
    seconds += outcome.makespan_s;
  }
  return {.simgrid_s = seconds};
}

std::string difference_text(const EngineTimes& times) {
  const double share = *times.simgrid_s / *times.fluid_s - 1;
  constexpr double kSame = 1e-9;
  if (std::abs(share) < kSame) return "the same";
  return fmt::format("{:.2g}% {}", 100 * std::abs(share), share > 0 ? "more" : "less");
}

}  // namespace

EngineChoice searching_engine(EngineChoice asked) {
  return asked == EngineChoice::automatic ? EngineChoice::fluid : asked;
}

EngineTimes by_simgrid(const std::vector<const PlannedWork*>& works, std::uint64_t noise_seed, double limit_s,
                       const std::function<bool()>& stop) {
  const ReferenceEngine* const simgrid = reference_engine();
  if (!simgrid) return {.left_out = "this foretile was built without it"};
  if (!std::ranges::all_of(works, [&](const PlannedWork* work) { return simgrid->fits(work->machine); }))
    return {.left_out = "the machine is too large for it"};
  try {
    return sum_of_processes(works, noise_seed, limit_s, stop);
  } catch (const std::exception& error) {  // no process: the other time holds without it
    return {.left_out = error.what()};
  }
}

std::string engine_times_text(const EngineTimes& times) {
  std::string text = times.fluid_s ? fmt::format("fluid {:.4g} s", *times.fluid_s) : "";
  if (times.simgrid_s) text += fmt::format("{}simgrid {:.4g} s", text.empty() ? "" : ", ", *times.simgrid_s);
  if (times.fluid_s && times.simgrid_s) text += fmt::format(" ({})", difference_text(times));
  if (!times.left_out.empty()) text += fmt::format("; no simgrid: {}", one_line(times.left_out));
  return text;
}

void add_engine_times(nlohmann::ordered_json& json, const EngineTimes& times) {
  nlohmann::ordered_json& engines = json["engines"] = nlohmann::ordered_json::object();
  if (times.fluid_s) engines[std::string(name_of(EngineChoice::fluid))] = *times.fluid_s;
  if (times.simgrid_s) engines[std::string(name_of(EngineChoice::simgrid))] = *times.simgrid_s;
  if (!times.left_out.empty()) json["simgrid_left_out"] = times.left_out;
}

}  // namespace foretile
