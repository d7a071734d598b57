// SPDX-License-Identifier: BSD-3-Clause
// The program that ships with foretile.
#pragma once

#include <string>
#include <vector>

#include "base/files.hpp"
#include "planner/plan/plan.hpp"
#include "planner/tensor/program_text.hpp"

namespace foretile {

inline Program ccsd_t2() {
  return load_program(find_data("examples/ccsd_t2.txt"));
}

/// Of a program's plan: in the order of its steps, each once.
inline std::vector<std::string> strategies_of(const Plan& plan) {
  std::vector<std::string> names;
  std::size_t from = 0;
  for (std::size_t to = 0; to != std::string::npos; from = to + 3) {
    to = plan.strategy.find(" + ", from);
    names.push_back(plan.strategy.substr(from, to - from));
  }
  return names;
}

}  // namespace foretile
