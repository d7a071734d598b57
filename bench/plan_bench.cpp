// SPDX-License-Identifier: BSD-3-Clause
// Building, planning and verifying C65H132 v1 for 18 Summit nodes: target 5 s and 1 GB together.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "planner/problem/kinds/problem.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "platforms/loader.hpp"

namespace {

using namespace foretile;

double peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

Machine summit_108() {
  return make_machine(load_platform("summit"), {.nodes = {}, .ranks = {}, .gpus = 108});
}

void build_problem(benchmark::State& state) {
  const Problem problem = load_problem("c65-v1");
  for (auto _ : state) benchmark::DoNotOptimize(build_contraction(problem));
}
BENCHMARK(build_problem)->Unit(benchmark::kMillisecond);

void plan_and_verify(benchmark::State& state) {
  const Contraction contraction = build_contraction(load_problem("c65-v1"));
  const Machine machine = summit_108();
  PlanSummary summary;
  for (auto _ : state) summary = verify(make_plan(contraction, machine, {}), contraction);
  state.counters["gemms"] = static_cast<double>(summary.gemms);
  for (const PassTime& pass : summary.passes) state.counters[pass.name + "_s"] = pass.seconds;
  state.counters["peak_rss_bytes"] = peak_rss_bytes();
}
BENCHMARK(plan_and_verify)->Unit(benchmark::kMillisecond);

}  // namespace
