// SPDX-License-Identifier: BSD-3-Clause
#include "planner/distribution/on_demand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/missing_memory.hpp"
#include "base/one_line.hpp"

namespace foretile {

namespace {

std::string name_of(const FusedProgram& program, std::size_t tensor) {
  return text_of(program.tensors()[tensor], program.program());
}

bool is_given(const FusedProgram& program, std::size_t tensor) {
  return program.tensors()[tensor].role == TensorRole::given;
}

}  // namespace

std::optional<std::size_t> largest_kept(const FusedProgram& program, const std::vector<bool>& on_demand,
                                        const std::vector<std::size_t>& tensors) {
  std::optional<std::size_t> largest;
  for (const std::size_t tensor : tensors) {
    if (!is_given(program, tensor) || (!on_demand.empty() && on_demand[tensor])) continue;
    if (!largest || program.blocks(tensor).elements() > program.blocks(*largest).elements()) largest = tensor;
  }
  return largest;
}

std::string memory_advice(const FusedProgram& program, const std::vector<bool>& on_demand,
                          const std::vector<std::size_t>& tensors) {
  return largest_kept(program, on_demand, tensors)
             ? "use more nodes, or generate slices of given tensors on demand: --on-demand auto"
             : "use more nodes";
}

std::vector<bool> on_demand_of(const FusedProgram& program, const std::vector<std::string>& names) {
  std::vector<bool> on_demand(program.tensors().size());
  for (const std::string& name : names) {
    if (name == kAutoOnDemand) continue;
    std::vector<std::string> known;
    bool found = false;
    for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
      if (!is_given(program, tensor)) continue;
      known.push_back(name_of(program, tensor));
      if (known.back() != name) continue;
      on_demand[tensor] = found = true;
    }
    if (!found)
      throw input_error("tensors on demand", quote(name),
                        fmt::format("a given tensor: {}, or {}", fmt::join(known, ", "), kAutoOnDemand),
                        "foretile show names them");
  }
  return on_demand;
}

void plan_on_demand(const FusedProgram& program, const std::vector<std::string>& names,
                    const std::function<void(const std::vector<bool>& on_demand)>& plan) {
  std::vector<bool> on_demand = on_demand_of(program, names);
  const bool proposes = std::ranges::find(names, kAutoOnDemand) != names.end();
  std::vector<std::size_t> all(program.tensors().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  while (true) {
    try {
      return plan(on_demand);
    } catch (const DoesNotFit&) {
      const auto next = proposes ? largest_kept(program, on_demand, all) : std::nullopt;
      if (!next) throw;
      on_demand[*next] = true;
    }
  }
}

std::vector<std::string> names_on_demand(const FusedProgram& program,
                                         const ProgramDistribution& distribution) {
  std::vector<std::string> names;
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (distribution.is_on_demand(tensor)) names.push_back(name_of(program, tensor));
  }
  return names;
}

}  // namespace foretile
