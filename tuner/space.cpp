// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr std::uint64_t largest_size = std::uint64_t{1} << 62;
constexpr int largest_default_p = 12;

void check_parameter(const Parameter& parameter) {
  if (parameter.values.empty())
    throw input_error(parameter.name, "no values", "at least one", "leave the parameter out");
  std::set<std::string> seen;
  for (const std::string& value : parameter.values) {
    if (!seen.insert(value).second)
      throw input_error(parameter.name, fmt::format("{} twice", value), "each value once", "remove one");
  }
}

void check_names(const std::vector<Parameter>& parameters) {
  std::set<std::string> seen;
  for (const Parameter& parameter : parameters) {
    if (parameter.name.empty()) throw input_error("search space", "a parameter without name", "a name");
    if (!seen.insert(parameter.name).second)
      throw input_error(parameter.name, "the parameter twice", "each parameter once", "remove one");
  }
}

std::uint64_t combinations(const std::vector<Parameter>& parameters) {
  std::uint64_t size = parameters.empty() ? 0 : 1;
  for (const Parameter& parameter : parameters) {
    if (parameter.values.size() > largest_size / size)
      throw input_error("search space", "more than 2^62 combinations", "at most 2^62", "give fewer values");
    size *= parameter.values.size();
  }
  return size;
}

std::vector<std::string> divisors_up_to(int number, int limit) {
  std::vector<std::string> divisors;
  for (int d = 1; d <= std::min(number, limit); ++d) {
    if (number % d == 0) divisors.push_back(fmt::to_string(d));
  }
  return divisors;
}

}  // namespace

Space::Space(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  check_names(parameters_);
  for (const Parameter& parameter : parameters_) check_parameter(parameter);
  size_ = combinations(parameters_);
}

Candidate Space::at(std::uint64_t index) const {
  if (index >= size_)
    throw std::out_of_range(fmt::format("candidate {} of a search space of {}", index, size_));
  Candidate candidate;
  for (auto parameter = parameters_.rbegin(); parameter != parameters_.rend(); ++parameter) {
    candidate[parameter->name] = parameter->values[index % parameter->values.size()];
    index /= parameter->values.size();
  }
  return candidate;
}

std::optional<std::uint64_t> Space::index_of(const Candidate& candidate) const {
  if (parameters_.empty() || candidate.size() != parameters_.size()) return std::nullopt;
  std::uint64_t index = 0;
  for (const Parameter& parameter : parameters_) {
    const auto chosen = candidate.find(parameter.name);
    if (chosen == candidate.end()) return std::nullopt;
    const auto value = std::find(parameter.values.begin(), parameter.values.end(), chosen->second);
    if (value == parameter.values.end()) return std::nullopt;
    index = index * parameter.values.size() + static_cast<std::uint64_t>(value - parameter.values.begin());
  }
  return index;
}

std::string Space::text() const {
  nlohmann::json list = nlohmann::json::array();
  for (const Parameter& parameter : parameters_) list.push_back({parameter.name, parameter.values});
  return json_line(list);
}

std::vector<std::string> tried_divisors(int ranks) {
  if (ranks < 1) throw input_error("search space", fmt::format("{} ranks", ranks), "at least 1");
  return divisors_up_to(ranks, largest_default_p);
}

Space default_space(std::vector<Parameter> parameters, const std::vector<int>& ranks_per_node) {
  if (!ranks_per_node.empty()) {
    parameters.push_back({"platform.ranks_per_node", {}});
    for (const int count : ranks_per_node) parameters.back().values.push_back(fmt::to_string(count));
  }
  return Space(std::move(parameters));
}

}  // namespace foretile
