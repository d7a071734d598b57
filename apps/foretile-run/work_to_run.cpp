// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/work_to_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "apps/program.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/missing_memory.hpp"
#include "base/one_line.hpp"
#include "executor/mpi/device_memory.hpp"
#include "planner/problem/estimate.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "platforms/list.hpp"
#include "platforms/loader.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

namespace {

InputError nothing_to_run(const std::string& what, const char* found) {
  return input_error(what, found, "a plan (.json), a problem (.toml, or an example) or a program (.txt)",
                     "check the path; an example runs with: mpiexec -n 2 foretile-run c12 --verify",
                     HelpPage::wrong_file);
}

void say_that_planning_is_long(const MpiSession& session, const PlanningEstimate& estimate) {
  const std::string warning = planning_warning(estimate);
  if (session.rank() == 0 && !warning.empty()) print_message("foretile-run", warning);
}

MachineSize size_of_job(const MpiSession& session) {
  return {.nodes = {}, .ranks = session.size(), .gpus = {}};
}

/// As `foretile plan` plans it.
PlannedWork planned_case(const RunArguments& arguments, Contraction contraction, Machine machine,
                         const Settings& settings, const CountFunction& progress) {
  const int ranks = machine.ranks;
  const bool is_one_node = machine.platform.nodes == 1;
  try {
    return plan_fastest(std::move(contraction), std::move(machine), settings, progress, simulated_seconds());
  } catch (const MissingMemory& error) {
    const std::string platform = quote(arguments.platform_or_here());
    if (is_one_node && error.short_of() == ShortOf::room_for_matrices)
      throw InputError(
          fmt::format("{}; {} has one node: name a cluster with --platform", error.what(), platform),
          error.page());
    throw InputError(fmt::format("{}; foretile plan {} --platform {} --ranks {} looks for what fits",
                                 error.what(), quote(arguments.what), platform, ranks),
                     error.page());
  }
}

PlannedWork freshly_planned(const RunArguments& arguments, const PlatformOfJob& platform, PlanFile& file,
                            const MpiSession& session, const CountFunction& progress) {
  std::optional<Contraction> contraction;
  Machine machine;
  Settings settings = file.parameters;
  std::optional<PlannedWork> work;
  agree(session, [&] {
    contraction = build_contraction(file.problem);
    say_that_planning_is_long(session, estimate_planning(*contraction));
    machine = make_machine(parse_platform(platform.toml, platform.source), size_of_job(session));
    if (session.rank() != 0 || !compares_strategies(*contraction, machine, settings)) return;
    work = planned_case(arguments, *std::move(contraction), std::move(machine), settings, progress);
    settings = settings_of(work->plan);
  });
  const std::string decided = broadcast(nlohmann::json(settings).dump(), 0, session.world(), "strategy");
  agree(session, [&] {
    if (!work)
      work = planned_case(arguments, *std::move(contraction), std::move(machine),
                          nlohmann::json::parse(decided).get<Settings>(), progress);
    const std::string source = file.source;
    file = make_plan_file(file.problem, size_of_job(session), *work);
    file.source = source;
  });
  return *std::move(work);
}

/// Where the platform alone, not the user, asks for messages from device memory, and MPI has none.
bool uses_host_instead(const RunArguments& arguments, const Platform& platform) {
  return platform.messages == "device" && !arguments.options.chooses_messages() &&
         arguments.gpu != GpuChoice::stand_in && !mpi_takes_device_memory();
}

}  // namespace

Problem problem_to_run(const std::string& path_or_name) {
  std::error_code error;
  const bool is_file = std::filesystem::exists(path_or_name, error) || error;
  Problem problem = [&] {
    try {
      return load_problem(path_or_name);
    } catch (const InputError&) {
      if (is_file && !std::filesystem::is_directory(path_or_name, error)) throw;
      throw nothing_to_run(path_or_name, "neither a file nor an example");
    }
  }();
  if (problem.source.ends_with(".toml")) return problem;  // else it may be anything
  try {
    tiling_keys(problem);
  } catch (const InputError&) {
    throw nothing_to_run(path_or_name, "a file of another kind");
  }
  return problem;
}

PlatformOfJob platform_of_job(const RunArguments& arguments, const MpiSession& session) {
  const int cores = cores_of_node(session.world());
  PlatformOfJob found;
  agree(session, [&] {
    const std::vector<std::string> settings = arguments.options.platform_settings();
    if (session.rank() != 0) return;
    const std::string name = arguments.platform_or_here();
    if (const std::string warning = shadow_warning(name); !warning.empty())
      print_message("foretile-run", "note: " + warning);
    Platform platform = load_platform(name, settings, cores);
    if (uses_host_instead(arguments, platform)) {
      print_message("foretile-run", fmt::format("note: messages go through host memory: this MPI ({}) sends "
                                                "none from memory of GPUs",
                                                mpi_version_line()));
      std::vector<std::string> with_host = settings;
      with_host.emplace_back("platform.messages=host");
      platform = load_platform(name, with_host, cores);
    }
    found = {platform.toml, platform.source};
  });
  found.toml = broadcast(std::move(found.toml), 0, session.world(), "platform");
  found.source = broadcast(std::move(found.source), 0, session.world(), "platform");
  return found;
}

PlanFile file_to_run(RunKind kind, const RunArguments& arguments, int ranks) {
  if (kind == RunKind::plan) return load_plan_file(arguments.what);
  PlanFile file;
  file.problem = retile(problem_to_run(arguments.what), arguments.options.tiling());
  file.parameters = arguments.options.settings();
  file.ranks = ranks;
  file.source = arguments.what;
  return file;
}

PlannedWork work_to_run(RunKind kind, const RunArguments& arguments, const PlatformOfJob& platform,
                        PlanFile& file, const MpiSession& session, const CountFunction& progress) {
  if (kind == RunKind::problem) return freshly_planned(arguments, platform, file, session, progress);
  std::optional<PlannedWork> work;
  agree(session, [&] {
    say_that_planning_is_long(session, estimate_planning(file.gemms));
    work = rebuild(file, progress);
  });
  return *std::move(work);
}

std::string plan_text_digest(RunKind kind, const RunArguments& arguments, const PlanFile& file) {
  return digest(kind == RunKind::plan ? read_text(arguments.what) : plan_file_json(file) + "\n");
}

}  // namespace foretile
