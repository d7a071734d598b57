// SPDX-License-Identifier: BSD-3-Clause
// Given tensors that are too large to be kept: slices of them are made when they are needed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/program/fused_program.hpp"

namespace foretile {

/// Stands for "as many as it takes" among names.
inline constexpr const char* kMakeWhatIsTooLarge = "auto";

/// FusedProgram::make_when_needed() for no given tensors but those with these names, as text_of() has them;
/// no name that the program lacks or computes. Throws InputError, which begins with --make.
void make_named(FusedProgram& program, const std::vector<std::string>& names);

/// Of these given tensors the one with most elements that is kept.
std::optional<std::size_t> largest_kept(const FusedProgram& program, const std::vector<std::size_t>& tensors);

/// What to change where these tensors do not fit: "use more nodes", and --make where one of them is given and
/// kept. Which have to be made planning alone can tell.
std::string memory_advice(const FusedProgram& program, const std::vector<std::size_t>& tensors);

/// make_named(), then plan(). With kMakeWhatIsTooLarge among the names: where plan() throws DoesNotFit, the
/// largest given tensor that is still kept is made when it is needed, and so on, until it throws no more. If
/// it always throws, the last error.
void plan_with_made(FusedProgram& program, const std::vector<std::string>& names,
                    const std::function<void()>& plan);

/// Names of those that are made.
std::vector<std::string> made_names(const FusedProgram& program);

}  // namespace foretile
