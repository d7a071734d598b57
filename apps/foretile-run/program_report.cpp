// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/program_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "apps/options.hpp"
#include "apps/program_parts.hpp"
#include "apps/quantities.hpp"
#include "base/one_line.hpp"
#include "planner/distribution/on_demand.hpp"

namespace foretile {

/// Those without indices, and all where `all` are wanted: they come to rank 0 as a whole.
std::vector<ProgramResult> gather_results(const ProgramRun& run, const FusedProgram& fused, bool all) {
  std::vector<ProgramResult> results;
  for (std::size_t t = 0; t < fused.tensors().size(); ++t) {
    const ProgramTensor& tensor = fused.tensors()[t];
    if (tensor.role != TensorRole::result || !(all || tensor.rules.spaces.empty())) continue;
    results.push_back({text_of(tensor, fused.program()), t, run.gathered(t)});
  }
  return results;
}

double largest_error(const std::vector<ProgramResult>& results, const Program& program,
                     const SpinOrbitals& orbitals, const ProgramNumbers& numbers) {
  const std::vector<PlainTensor> expected = plain_program(program, orbitals, numbers);
  double largest = 0;
  for (const ProgramResult& result : results) {
    const double error = largest_error(result.elements, expected[result.tensor]);
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

namespace {

std::string predicted_text(const FinishedProgram& done) {
  if (!done.predicted) return {};
  const double share = done.predicted->makespan_s / done.report.wall_s - 1;
  return fmt::format("predicted              {} ({:+.1f}%)\n", quantity(done.predicted->makespan_s, "s"),
                     100 * share);
}

nlohmann::ordered_json report_json(const RunArguments& arguments, const ProgramSizes& sizes,
                                   const FusedProgram& fused, const FinishedProgram& done, int ranks) {
  const ProgramPlan& plan = done.run->plan();
  nlohmann::ordered_json json{{"program", arguments.what},  {"occupied", sizes.occupied},
                              {"virtual", sizes.virtuals},  {"vectors", sizes.vectors},
                              {"tile", sizes.tile},         {"ranks", ranks},
                              {"mode", name_of(plan.mode)}, {"wall_s", done.report.wall_s}};
  if (done.predicted) json["predicted_s"] = done.predicted->makespan_s;
  json["digest"] = done.digest;
  if (const auto made = names_on_demand(fused, plan.distribution); !made.empty()) json["on_demand"] = made;
  json["distribution"] = distribution_json(fused, plan.distribution);
  json["gemms"] = plan.work.summary.gemms;
  json["flops"] = plan.flops();
  json["sent_bytes"] = done.report.sent_bytes;
  json["peak_host_bytes"] = plan.work.summary.peak_host_bytes;
  json["mean_s"] = times_json(done.report.times);
  json["by_rank"] = by_rank_json(done.report.ranks);
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    json["steps"].push_back(step_json(fused, plan.steps[n]));
    json["steps"].back()["end_s"] = done.report.times.step_ends_s[n];
  }
  for (const ProgramResult& result : done.results) {
    if (result.elements.size() == 1) json["numbers"][result.name] = result.elements[0];
  }
  if (done.error) json["largest_error"] = *done.error;
  return json;
}

}  // namespace

void print_program_report(const RunArguments& arguments, const ProgramSizes& sizes, const FusedProgram& fused,
                          const FinishedProgram& done, int ranks) {
  if (arguments.options.json) return print_json(report_json(arguments, sizes, fused, done, ranks));
  const ProgramPlan& plan = done.run->plan();
  constexpr int kColumn = 23;
  fmt::print("{}: {} ranks, {}\n\n{}\n", one_line(arguments.what), ranks, quantity(done.report.wall_s, "s"),
             step_lines(fused, plan, &done.report.times.step_ends_s));
  for (const ProgramResult& result : done.results) {
    if (result.elements.size() == 1) fmt::print("{} = {:.15g}\n", result.name, result.elements[0]);
  }
  if (const auto made = names_on_demand(fused, plan.distribution); !made.empty())
    fmt::print("generated on demand    {}\n", fmt::join(made, ", "));
  const std::string own = strategies_text(fused, plan.distribution);
  fmt::print("{}{}distribution           {}{}\ndigest of all results  {}\n", predicted_text(done),
             times_line(done.report.times, kColumn), distribution_text(plan.distribution),
             own.empty() ? "" : "; " + own, done.digest);
  if (done.error)
    fmt::print("{} a plain evaluation: largest error {:.1e} of the largest magnitude\n",
               *done.error <= kLargestError ? "verified against" : "differs from", *done.error);
}

}  // namespace foretile
