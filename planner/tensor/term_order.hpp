// SPDX-License-Identifier: BSD-3-Clause
// Which terms of a program wait for which.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/tensor/program.hpp"

namespace foretile {

struct TermOrder {
  int level = 1;                        ///< one more than the highest level of what it depends on
  std::vector<std::size_t> depends_on;  ///< numbers of the terms that write one of its operands, and
                                        ///< ProgramTerm::after, increasing
};

/// By term. A term depends on those that write one of its operands; terms that add to the same result do not
/// depend on each other. Throws InputError, which begins with `source` and a line, where terms wait for each
/// other.
std::vector<TermOrder> order_of_terms(const Program& program, const std::string& source);

}  // namespace foretile
