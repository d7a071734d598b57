// SPDX-License-Identifier: BSD-3-Clause
// What the verifier says about a plan.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "planner/verify/verify.hpp"

namespace foretile {

/// What verify says about the plan; empty when it accepts it.
inline std::string complaint(const Plan& plan, const Contraction& problem) {
  try {
    verify(plan, problem);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// For any struct of a plan and its problem.
template <class Example>
void expect_refused(const Example& example, const std::vector<std::string>& words) {
  const std::string said = complaint(example.plan, example.problem);
  EXPECT_FALSE(said.empty());
  for (const std::string& word : words)
    EXPECT_NE(said.find(word), std::string::npos) << word << " in: " << said;
}

}  // namespace foretile
