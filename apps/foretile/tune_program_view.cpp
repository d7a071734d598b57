// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_program_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "apps/quantities.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/tensor/program_memory.hpp"
#include "planner/tensor/program_text.hpp"
#include "simulator/tamm_order.hpp"

namespace foretile {

namespace {

/// Most that is there at once without on-demand intermediates, and these.
std::string memory_text(const Program& program, const ProgramMemory& memory) {
  constexpr double kElementBytes = 8;
  std::vector<double> at_levels = memory.elements;
  std::vector<std::string> on_demand;
  for (const TensorLife& life : memory.tensors) {
    if (!program.is_on_demand(life.tensor.name)) continue;
    on_demand.push_back(fmt::format("{} of {} where it is whole",
                                    quantity(kElementBytes * life.size.elements, "B"), life.tensor.name));
    for (int level = life.levels.made; level <= life.levels.last; ++level)
      at_levels[static_cast<std::size_t>(level) - 1] -= life.size.elements;
  }
  std::string text =
      fmt::format("{} of tensors at once", quantity(kElementBytes * std::ranges::max(at_levels), "B"));
  if (!on_demand.empty()) text += fmt::format(", and {}", fmt::join(on_demand, ", "));
  return text;
}

bool is_example(const std::string& problem, const char* name) {
  std::error_code error;
  return std::filesystem::equivalent(problem, find_data(std::filesystem::path("examples") / name), error);
}

std::set<int> nodes_of_answers(const ProgramTuning& tuning) {
  std::set<int> nodes;
  for (const Goal goal : {Goal::time, Goal::node_hours}) {
    if (const ProgramTrial* const taken = tuning.taken(goal)) nodes.insert(taken->candidate.nodes);
  }
  if (tuning.fewest_nodes && tuning.fastest(*tuning.fewest_nodes)) nodes.insert(*tuning.fewest_nodes);
  return nodes;
}

bool has_rates(const TammRates& rates) {
  return rates.get_bytes_per_s > 0 && rates.served_bytes_per_s > 0 && rates.host_bytes_per_s > 0;
}

}  // namespace

std::string head_text(const TuneArguments& arguments, std::int64_t tile) {
  const TuneProgramArguments& of = arguments.program;
  if (!of.molecule) return {};
  const Program program = load_program(arguments.problem);
  const ProgramMemory memory = memory_of(program, order_of_terms(program, arguments.problem),
                                         spin_tiles_of(program, of.sizes_with(tile)));
  return fmt::format("{}program            {}\nmemory             {}\n\n", molecule_text(*of.molecule),
                     one_line(arguments.problem), memory_text(program, memory));
}

std::vector<ExachemTime> exachem_times(const TuneArguments& arguments, const ProgramTuning& tuning,
                                       const Platform& platform) {
  constexpr const char* kAsWritten = "cholesky_ccsd.txt";
  if (!has_rates(platform.tamm)) return {};
  if (!is_example(arguments.problem, kAsWritten) && !is_example(arguments.problem, "cholesky_ccsd_lean.txt"))
    return {};
  const std::string source = find_data(std::filesystem::path("examples") / kAsWritten).string();
  const Program program = load_program(source);
  std::vector<ExachemTime> times;
  for (const int nodes : nodes_of_answers(tuning)) {
    MachineSize size = arguments.size;
    size.nodes = nodes;
    const Machine machine = make_machine(platform, size);
    ProgramSizes sizes = arguments.program.sizes;
    sizes.tile = best_tamm_tile(program, sizes, machine, source);
    const TammResult result = simulate_tamm(program, spin_tiles_of(program, sizes), machine, source);
    times.push_back({nodes, sizes.tile, result.makespan_s});
  }
  return times;
}

std::string exachem_text(const std::vector<ExachemTime>& times, const ProgramTuning& tuning) {
  std::string text;
  for (const ExachemTime& time : times) {
    const ProgramTrial& ours = *tuning.fastest(time.nodes);
    text +=
        fmt::format("{:<19}{:.4g} s on {} {}, {:.1f} times as long as {:.4g} s\n",
                    text.empty() ? "ExaChem's order" : "", time.seconds, time.nodes,
                    time.nodes == 1 ? "node" : "nodes", time.seconds / *ours.makespan_s, *ours.makespan_s);
  }
  return text;
}

nlohmann::ordered_json exachem_json(const std::vector<ExachemTime>& times) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ExachemTime& time : times)
    json.push_back({{"nodes", time.nodes}, {"tile", time.tile}, {"makespan_s", time.seconds}});
  return json;
}

}  // namespace foretile
