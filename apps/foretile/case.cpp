// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "apps/foretile/placement_option.hpp"
#include "apps/foretile/what_fits.hpp"
#include "apps/program.hpp"
#include "apps/resources.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "base/one_line.hpp"
#include "base/quantity.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "planner/strategies/distribution_setting.hpp"
#include "platforms/checks.hpp"
#include "platforms/guesses.hpp"
#include "platforms/list.hpp"
#include "platforms/loader.hpp"
#include "simulator/reference_engine.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

bool is_plan_file(const std::string& name) {
  return name.ends_with(".json");
}

bool given(const MachineSize& size) {
  return size.nodes || size.ranks || size.gpus;
}

Case stored_case(const CaseArguments& arguments) {
  PlanFile file = load_plan_file(arguments.problem);
  const std::vector<std::string> changes = arguments.options.platform_settings();
  const Settings settings = arguments.options.settings();
  Case found;
  found.problem = retile(file.problem, arguments.options.tiling());
  found.platform = arguments.platform.empty()
                       ? parse_platform(file.platform_toml, file.source + ": platform.toml", changes)
                       : named_platform(arguments.platform, changes);
  found.size = given(arguments.size) ? arguments.size : file.size;
  found.settings = settings;
  found.settings.merge(Settings(file.parameters));
  const bool changed = !changes.empty() || !settings.empty() || !arguments.options.tiling().empty() ||
                       !arguments.platform.empty() || given(arguments.size);
  if (!changed) found.stored = std::move(file);
  return found;
}

Case fresh_case(const CaseArguments& arguments) {
  const std::string platform = arguments.platform.empty() ? "here" : arguments.platform;
  return {retile(load_problem(arguments.problem), arguments.options.tiling()),
          named_platform(platform, arguments.options.platform_settings()), arguments.size,
          arguments.options.settings(), std::nullopt};
}

}  // namespace

void warn_of_doubts(const Platform& platform) {
  for (const std::string& warning : platform_warnings(platform)) {
    print_message("foretile", "warning: " + warning);
  }
}

void note_faster_messages(const Platform& platform, const Options& options) {
  const double host = platform.network.message.bandwidth_bytes_per_s;
  const double device = platform.network.device_message.bandwidth_bytes_per_s;
  if (options.chooses_messages() || platform.messages == "device" || !platform.has_device_memory() ||
      host <= 0 || device < 2 * host)
    return;
  print_message(
      "foretile",
      fmt::format("note: a rank of {} sends at {} from host memory, and at {} from memory of its GPUs: "
                  "try --messages device, if MPI can",
                  platform.name, quantity(host, "B/s"), quantity(device, "B/s")));
}

Platform named_platform(const std::string& name, const std::vector<std::string>& settings) {
  if (const std::string warning = shadow_warning(name); !warning.empty())
    print_message("foretile", "note: " + warning);
  return load_platform(name, settings);
}

void add_machine_options(CLI::App& command, CaseArguments& arguments, std::string* nodes) {
  command.add_option("--platform", arguments.platform, kPlannedForMeaning)
      ->check(not_empty_check())
      ->type_name("NAME");
  if (nodes) {
    command.add_option("--nodes", *nodes, "Number of nodes, or a range such as 1..64 to search. Default: 1")
        ->check(not_empty_check())
        ->type_name("N");
  } else {
    command.add_option("--nodes", arguments.size.nodes, "Number of nodes. Default: 1");
  }
  command.add_option("--ranks", arguments.size.ranks, "Number of ranks, instead of --nodes");
  command.add_option("--gpus", arguments.size.gpus, "Number of devices (GPUs or cores), instead of --nodes");
  add_placement_option(command, arguments.options);
  add_messages_option(command, arguments.options);
  add_set_option(command, arguments.options);
  add_json_option(command, arguments.options);
}

void add_engine_option(CLI::App& command, EngineChoice& engine, const std::string& automatic) {
  const std::map<std::string, EngineChoice> names = {
      {"auto", EngineChoice::automatic}, {"simgrid", EngineChoice::simgrid}, {"fluid", EngineChoice::fluid}};
  command
      .add_option("--engine", engine,
                  "Solver of the model: simgrid (the reference), fluid (foretile's own, for large machines), "
                  "or auto: " +
                      automatic)
      ->default_str("auto")
      ->type_name("{auto,simgrid,fluid}")
      ->transform(CLI::Validator(
          [names](std::string& given) {
            const auto found = names.find(given);
            if (found == names.end()) return "found " + given + ", expected auto, simgrid or fluid";
            if (found->second == EngineChoice::simgrid && !reference_engine())
              return "found simgrid, expected auto or fluid: this foretile was built without SimGrid; take " +
                     std::string("fluid, or install libsimgrid-dev and build again");
            given = std::to_string(static_cast<int>(found->second));
            return std::string();
          },
          ""));
}

Case load_case(const CaseArguments& arguments) {
  Case found = is_plan_file(arguments.problem) ? stored_case(arguments) : fresh_case(arguments);
  warn_of_doubts(found.platform);
  found.guesses = guessed_keys(found.platform);
  return found;
}

void warn_of_long_planning(const PlanningEstimate& estimate) {
  const std::string warning = planning_warning(estimate);
  if (!warning.empty()) print_message("foretile", warning);
}

PlannedWork plan_case(const Case& the_case, ProgressLine& line) {
  const CountFunction progress = line.stage("plan", kPlanningSteps);
  if (the_case.stored) {
    warn_of_long_planning(estimate_planning(the_case.stored->gemms));
    return rebuild(*the_case.stored, progress);
  }
  Contraction contraction = build_contraction(the_case.problem);
  warn_of_long_planning(estimate_planning(contraction));
  const Stopwatch watch;
  try {
    return plan_fastest(std::move(contraction), make_machine(the_case.platform, the_case.size),
                        the_case.settings, progress, simulated_seconds());
  } catch (const MissingMemory& error) {
    line.show("plan: does not fit; looking for what does");
    const std::string advice = what_fits(the_case, {error.short_of(), watch.seconds()});
    if (advice.empty()) throw;
    throw InputError(fmt::format("{}; {}", error.what(), advice), error.page());
  }
}

}  // namespace foretile
