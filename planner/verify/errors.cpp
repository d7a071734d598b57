#include "planner/verify/errors.hpp"

namespace foretile {

InputError broken_plan(const std::string& where, const std::string& found, const std::string& expected,
                       const std::string& change) {
  return input_error("plan, " + where, found, expected, change);
}

const char* name_of(Matrix matrix) {
  return matrix == Matrix::a ? "A" : matrix == Matrix::b ? "B" : "C";
}

}  // namespace foretile
