// Errors that a user can mend, told in one sentence.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace foretile {

/// Wrong usage or input. The programs print `what()` and exit with 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The input was sound but the work failed (a wrong product, a lost rank). The programs exit with 1.
class WorkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Builds "WHERE: found FOUND, expected EXPECTED; CHANGE". `change` may be empty.
InputError input_error(std::string_view where, std::string_view found, std::string_view expected,
                       std::string_view change = {});

}  // namespace foretile
