// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/program_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/one_line.hpp"

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

nlohmann::ordered_json json_of(const LevelReport& level) {
  return {{"level", level.level},
          {"part", level.part},
          {"products", level.products},
          {"copies", level.copies},
          {"gemms", level.gemms},
          {"flops", level.flops},
          {"strategy", level.strategy},
          {"products_s", level.products_s},
          {"exchange_s", level.exchange_s},
          {"permutations_s", level.permutations_s},
          {"additions_s", level.additions_s},
          {"exchanged_bytes", level.exchanged_bytes},
          {"peak_bytes", level.peak_bytes}};
}

std::string predicted_text(const FinishedProgram& done) {
  if (!done.predicted) return {};
  const double share = done.predicted->makespan_s / done.wall_s - 1;
  return fmt::format("predicted              {} ({:+.1f}%)\n", quantity(done.predicted->makespan_s, "s"),
                     100 * share);
}

}  // namespace

void print_program_report(const RunArguments& arguments, const ProgramSizes& sizes,
                          const FinishedProgram& done, int ranks) {
  if (arguments.options.json) {
    nlohmann::ordered_json json{{"program", arguments.what},
                                {"occupied", sizes.occupied},
                                {"virtual", sizes.virtuals},
                                {"tile", sizes.tile},
                                {"ranks", ranks},
                                {"wall_s", done.wall_s}};
    if (done.predicted) json["predicted_s"] = done.predicted->makespan_s;
    json["digest"] = done.digest;
    if (!done.made.empty()) json["made"] = done.made;
    json["distribution"] = done.distribution_json;
    for (const LevelReport& level : done.levels) json["levels"].push_back(json_of(level));
    for (const ProgramResult& result : done.results) {
      if (result.elements.size() == 1) json["numbers"][result.name] = result.elements[0];
    }
    if (done.error) json["largest_error"] = *done.error;
    return print_json(json);
  }
  fmt::print("{}: {} ranks, {}\n\n  {:<5} {:>8} {:>7} {:>11} {:>10}  {:<12} {:>10} {:>10} {:>10} {:>10}\n",
             one_line(arguments.what), ranks, quantity(done.wall_s, "s"), "level", "products", "copies",
             "GEMMs", "flop", "strategy", "products", "exchange", "permuting", "exchanged");
  for (const LevelReport& level : done.levels)
    fmt::print("  {:<5} {:>8} {:>7} {:>11} {:>10}  {:<12} {:>10} {:>10} {:>10} {:>10}\n",
               level.parts == 1 ? fmt::to_string(level.level) : fmt::format("{}.{}", level.level, level.part),
               level.products, level.copies, grouped(level.gemms), quantity(level.flops, ""), level.strategy,
               quantity(level.products_s, "s"), quantity(level.exchange_s, "s"),
               quantity(level.permutations_s + level.additions_s, "s"),
               quantity(static_cast<double>(level.exchanged_bytes), "B"));
  fmt::print("\n");
  for (const ProgramResult& result : done.results) {
    if (result.elements.size() == 1) fmt::print("{} = {:.15g}\n", result.name, result.elements[0]);
  }
  if (!done.made.empty()) fmt::print("slices made            {}\n", fmt::join(done.made, ", "));
  fmt::print("{}distribution           {}\ndigest of all results  {}\n", predicted_text(done),
             done.distribution, done.digest);
  if (done.error)
    fmt::print("{} a plain evaluation: largest error {:.1e} of the largest magnitude\n",
               *done.error <= kLargestError ? "verified against" : "differs from", *done.error);
}

}  // namespace foretile
