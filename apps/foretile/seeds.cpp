// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/seeds.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "apps/foretile/evaluate_all.hpp"
#include "apps/quantities.hpp"
#include "base/error.hpp"

namespace foretile {

namespace {

constexpr const char* kNumber = "number";  // of a candidate: which seed it is, from 0

}  // namespace

void require_noise(const Platform& platform) {
  if (platform.noise.any()) return;
  throw input_error("--seeds", fmt::format("the platform {}, whose noise.* are all 0", quote(platform.name)),
                    "a platform with noise: without it all seeds give the same time",
                    "calibrate with foretile-run calibrate --noise, or use --set platform.noise.node=0.05");
}

SeedTimes simulate_seeds(const PlannedWork& work, const SimulationOptions& options, int count,
                         ProgressLine& line) {
  const CostFunction cost = [&](const Candidate& candidate) {
    SimulationOptions of_seed = options;
    of_seed.trace = nullptr;
    of_seed.noise_seed += std::stoull(candidate.at(kNumber));
    const double seconds = simulate(work.plan, work.contraction, work.machine, of_seed).makespan_s;
    return Outcome{Outcome::Status::done, seconds, {}, {}};
  };
  std::vector<Candidate> candidates;
  for (int number = 0; number < count; ++number) candidates.push_back({{kNumber, fmt::to_string(number)}});
  SeedTimes times{options.noise_seed, std::vector<double>(static_cast<std::size_t>(count))};
  for (const Evaluation& evaluation : evaluate_all(std::move(candidates), cost, line, "seeds")) {
    const std::size_t number = std::stoul(evaluation.candidate.at(kNumber));
    if (!evaluation.outcome.done())
      throw WorkError(fmt::format("--seeds: seed {}: {}", times.first + number, evaluation.outcome.message));
    times.makespan_s[number] = evaluation.outcome.makespan_s;
  }
  return times;
}

std::string seeds_text(const SeedTimes& times) {
  return fmt::format("with {} seeds from {} on: median {}, 90% between {} and {}\n",
                     grouped(std::ssize(times.makespan_s)), times.first, quantity(times.median_s(), "s"),
                     quantity(times.low_s(), "s"), quantity(times.high_s(), "s"));
}

nlohmann::ordered_json seeds_json(const SeedTimes& times) {
  return {{"first", times.first},
          {"median_s", times.median_s()},
          {"low_s", times.low_s()},
          {"high_s", times.high_s()},
          {"makespan_s", times.makespan_s}};
}

}  // namespace foretile
