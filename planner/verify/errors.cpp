#include "planner/verify/errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace foretile {

InputError broken_plan(const std::string& where, const std::string& found, const std::string& expected,
                       const std::string& change) {
  return input_error("plan, " + where, found, expected, change);
}

std::string lower_one_of(const Plan& plan, std::initializer_list<const char*> keys) {
  std::vector<std::string> present;
  for (const char* key : keys) {
    if (plan.parameters.find(key) != plan.parameters.end()) present.emplace_back(key);
  }
  if (present.empty()) return "plan with smaller chunks and blocks";
  const std::string last = present.back();
  present.pop_back();
  return present.empty() ? "lower " + last : fmt::format("lower {} or {}", fmt::join(present, ", "), last);
}

const char* name_of(Matrix matrix) {
  return matrix == Matrix::a ? "A" : matrix == Matrix::b ? "B" : "C";
}

}  // namespace foretile
