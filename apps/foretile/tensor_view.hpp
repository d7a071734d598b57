// SPDX-License-Identifier: BSD-3-Clause
// How the tensors of a problem of kind "tensor" become matrices.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/problem/kinds/problem.hpp"

namespace foretile {

/// Which tensor is which matrix, which must be permuted, and how many bytes that moves; empty for other
/// kinds.
std::string fusion_text(const Problem& problem);
/// The same for scripts; null for other kinds.
nlohmann::ordered_json fusion_json(const Problem& problem);

}  // namespace foretile
