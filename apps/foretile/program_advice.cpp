// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/program_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "planner/distribution/on_demand.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/program/step_plan.hpp"
#include "planner/program/tile_sizes.hpp"
#include "planner/strategies/compare.hpp"
#include "planner/tensor/program_text.hpp"
#include "planner/tensor/term_counts.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

/// Whether it is planned in some seconds.
bool is_small(const Program& program, const ProgramSizes& sizes, const std::string& source) {
  constexpr std::int64_t kFewProducts = 50'000;
  std::vector<TermCounts> counts;
  const auto tiles = spin_tiles_of(program, sizes);
  for (const ProgramTerm& term : program.terms) counts.push_back(count_term(term, tiles, source));
  return sum_of(counts, source).gemms <= kFewProducts;
}

/// The names of what is generated on demand where it fits, else why it does not.
struct TriedProgram {
  std::vector<std::string> on_demand;
  std::string refusal;
};

/// Strategies are not compared: one that fits is found either way.
TriedProgram fitting(const FusedProgram& program, const CaseArguments& arguments, const ProgramArguments& of,
                     const Machine& machine) {
  Settings settings = arguments.options.settings();
  if (asks_for_comparison(settings)) settings.erase("strategy");
  ProgramPlanOptions options = of.plan_options(simulated_seconds());
  options.seconds = {};
  try {
    return {names_on_demand(program, choose_plan(program, machine, settings, options).distribution), {}};
  } catch (const DoesNotFit& error) {
    return {{}, error.what()};
  }
}

/// What to make beside what is made already, or why that is of no use.
std::string advice_to_make(const FusedProgram& program, const CaseArguments& arguments, ProgramArguments of,
                           const Machine& machine, const std::string& refused) {
  of.on_demand.emplace_back(kAutoOnDemand);
  const TriedProgram fits = fitting(program, arguments, of, machine);
  if (!fits.refusal.empty()) return fmt::format("with --on-demand auto: {}", fits.refusal);
  std::string options;
  for (const std::string& name : fits.on_demand) options += fmt::format(" --on-demand \"{}\"", name);
  return fmt::format("{}; it fits with{}", refused, options);
}

std::string tile_advice(const CaseArguments& arguments, const ProgramArguments& of, const Machine& machine) {
  const std::string& source = arguments.problem;
  const Program program = load_program(source);
  std::string why_not;
  ProgramArguments with_tile = of;
  for (const std::int64_t tile : proposed_tiles(program, of.sizes, machine, source)) {
    with_tile.sizes.tile = tile;
    if (!is_small(program, with_tile.sizes, source)) {
      return why_not.empty() ? fmt::format("give it, such as --tile {}; foretile tune tries several", tile)
                             : why_not;
    }
    const FusedProgram fused(program, with_tile.sizes, source);
    const std::string refused = fitting(fused, arguments, with_tile, machine).refusal;
    if (refused.empty())
      return fmt::format("give --tile {}, with which it fits; foretile tune finds faster ones", tile);
    why_not = fmt::format("--tile {} does not fit: {}", tile, refused);
  }
  return why_not.empty() ? "give it: no three tiles fit a device where they are large" : why_not;
}

}  // namespace

InputError missing_tile(const CaseArguments& arguments, const ProgramArguments& of, const Machine& machine) {
  return input_error("--tile", "nothing", "the largest extent of a tile",
                     tile_advice(arguments, of, machine));
}

SlicedPlan plan_with_advice(const ProgramPlanning& planning, const CaseArguments& arguments,
                            const ProgramArguments& of, const Machine& machine) {
  try {
    return planning.plan(machine);
  } catch (const DoesNotFit& error) {
    const Program program = load_program(arguments.problem);
    const bool makes_all = std::ranges::find(of.on_demand, kAutoOnDemand) != of.on_demand.end();
    if (makes_all || !is_small(program, of.sizes, arguments.problem)) throw;
    const FusedProgram fused(program, of.sizes, arguments.problem);
    throw InputError(advice_to_make(fused, arguments, of, machine, error.what()), error.page());
  }
}

}  // namespace foretile
