// SPDX-License-Identifier: BSD-3-Clause
// In which order terms of a program are computed where their tiles flow.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/tensor/term_order.hpp"

namespace foretile {

/// Lists all terms in steps. A term is in a later step than those that it depends on, where possible not in
/// the next one: then the products of the step between go on while its operands are finished and sent. A step
/// takes terms until it has `enough` work, such as flops; of those that may come first the one with most work
/// in it and in a chain of terms behind it (list scheduling by bottom levels: Graham, "Bounds on
/// multiprocessing timing anomalies", 1969). Those that follow the step before come last. `work` by term, not
/// negative.
std::vector<std::vector<std::size_t>> steps_of_terms(const std::vector<TermOrder>& order,
                                                     const std::vector<double>& work, double enough);

}  // namespace foretile
