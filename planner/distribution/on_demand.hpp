// SPDX-License-Identifier: BSD-3-Clause
// Given tensors that are too large to be kept: slices of them are generated on demand.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/distribution/program_distribution.hpp"
#include "planner/tensor/fused_program.hpp"

namespace foretile {

/// Stands for "as many as it takes" among names.
inline constexpr const char* kAutoOnDemand = "auto";

/// By tensor (ProgramDistribution::on_demand): those with these names, as text_of() has them, and no others.
/// Throws InputError for a name that the program lacks or computes.
std::vector<bool> on_demand_of(const FusedProgram& program, const std::vector<std::string>& names);

/// Of these given tensors the one with most elements that is kept.
std::optional<std::size_t> largest_kept(const FusedProgram& program, const std::vector<bool>& on_demand,
                                        const std::vector<std::size_t>& tensors);

/// What to change where these tensors do not fit: "use more nodes", and --on-demand where one of them is
/// given and kept. Only planning shows which must be generated.
std::string memory_advice(const FusedProgram& program, const std::vector<bool>& on_demand,
                          const std::vector<std::size_t>& tensors);

/// plan(on_demand_of()). With kAutoOnDemand among the names: where plan() throws DoesNotFit, the
/// largest given tensor that is still kept is generated on demand, and so on, until it throws no more. If it
/// always throws, the last error.
void plan_on_demand(const FusedProgram& program, const std::vector<std::string>& names,
                    const std::function<void(const std::vector<bool>& on_demand)>& plan);

/// Names of those that are generated on demand.
std::vector<std::string> names_on_demand(const FusedProgram& program,
                                         const ProgramDistribution& distribution);

}  // namespace foretile
