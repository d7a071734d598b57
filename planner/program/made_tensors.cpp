// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/made_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/program/program_plan.hpp"

namespace foretile {

namespace {

std::string name_of(const FusedProgram& program, std::size_t tensor) {
  return text_of(program.tensors()[tensor], program.program());
}

bool is_given(const FusedProgram& program, std::size_t tensor) {
  return program.tensors()[tensor].role == TensorRole::given;
}

}  // namespace

std::optional<std::size_t> largest_kept(const FusedProgram& program,
                                        const std::vector<std::size_t>& tensors) {
  std::optional<std::size_t> largest;
  for (const std::size_t tensor : tensors) {
    if (!is_given(program, tensor) || program.is_made(tensor)) continue;
    if (!largest || program.blocks(tensor).elements() > program.blocks(*largest).elements()) largest = tensor;
  }
  return largest;
}

std::string memory_advice(const FusedProgram& program, const std::vector<std::size_t>& tensors) {
  return largest_kept(program, tensors)
             ? "use more nodes, or make slices of given tensors when they are needed: make auto"
             : "use more nodes";
}

void make_named(FusedProgram& program, const std::vector<std::string>& names) {
  program.keep_all();
  for (const std::string& name : names) {
    if (name == kMakeWhatIsTooLarge) continue;
    std::vector<std::string> known;
    bool found = false;
    for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
      if (!is_given(program, tensor)) continue;
      known.push_back(name_of(program, tensor));
      if (known.back() != name) continue;
      program.make_when_needed(tensor);
      found = true;
    }
    if (!found)
      throw input_error("tensors to make", quote(name),
                        fmt::format("a given tensor: {}, or {}", fmt::join(known, ", "), kMakeWhatIsTooLarge),
                        "foretile show names them");
  }
}

void plan_with_made(FusedProgram& program, const std::vector<std::string>& names,
                    const std::function<void()>& plan) {
  make_named(program, names);
  const bool proposes = std::ranges::find(names, kMakeWhatIsTooLarge) != names.end();
  std::vector<std::size_t> all(program.tensors().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  while (true) {
    try {
      return plan();
    } catch (const DoesNotFit&) {
      const auto next = proposes ? largest_kept(program, all) : std::nullopt;
      if (!next) throw;
      program.make_when_needed(*next);
    }
  }
}

std::vector<std::string> made_names(const FusedProgram& program) {
  std::vector<std::string> names;
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (program.is_made(tensor)) names.push_back(name_of(program, tensor));
  }
  return names;
}

}  // namespace foretile
