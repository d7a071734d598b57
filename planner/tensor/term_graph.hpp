// SPDX-License-Identifier: BSD-3-Clause
// The terms of a program as a graph.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "planner/tensor/term_order.hpp"

namespace foretile {

/// GraphViz text: a node for each term, those of a level in one column, and an edge from each term to those
/// that wait for it. `labels` by term, in lines.
void write_dot(std::ostream& out, const std::vector<TermOrder>& order,
               const std::vector<std::string>& labels);

}  // namespace foretile
