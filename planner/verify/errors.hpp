// How the verifier says what is wrong.
#pragma once

#include <string>

#include "base/error.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// A plan that no strategy of foretile makes.
inline InputError broken_plan(const std::string& where, const std::string& found, const std::string& expected,
                              const std::string& change = "this plan was not made by foretile; plan again") {
  return input_error("plan, " + where, found, expected, change);
}

/// "A", "B" or "C".
inline const char* name_of(Matrix matrix) {
  return matrix == Matrix::a ? "A" : matrix == Matrix::b ? "B" : "C";
}

}  // namespace foretile
