#include "planner/program/made_tensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "base/error.hpp"
#include "base/one_line.hpp"

namespace foretile {

namespace {

std::string name_of(const FusedProgram& program, std::size_t tensor) {
  return text_of(program.tensors()[tensor], program.program());
}

bool is_given(const FusedProgram& program, std::size_t tensor) {
  return program.tensors()[tensor].role == TensorRole::given;
}

std::optional<std::size_t> largest_kept(const FusedProgram& program) {
  std::optional<std::size_t> largest;
  for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor) {
    if (!is_given(program, tensor) || program.is_made(tensor)) continue;
    if (!largest || program.blocks(tensor).elements() > program.blocks(*largest).elements()) largest = tensor;
  }
  return largest;
}

}  // namespace

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
      throw input_error("--make", quote(name),
                        fmt::format("a given tensor: {}, or {}", fmt::join(known, ", "), kMakeWhatIsTooLarge),
                        "foretile show names them");
  }
}

void plan_with_made(FusedProgram& program, const std::vector<std::string>& names,
                    const std::function<void()>& plan) {
  make_named(program, names);
  const bool proposes = std::ranges::find(names, kMakeWhatIsTooLarge) != names.end();
  std::exception_ptr first;
  while (true) {
    try {
      return plan();
    } catch (const InputError&) {
      if (!first) first = std::current_exception();
      const auto next = proposes ? largest_kept(program) : std::nullopt;
      if (!next) std::rethrow_exception(first);
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
