// SPDX-License-Identifier: BSD-3-Clause
// The traits of a contraction, for people and for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/problem/contraction.hpp"

namespace foretile {

/// "C = A B" or "C += A B".
std::string equation(const Contraction& contraction);

/// A table in the order of RR-9365 Table 1.
std::string traits_text(const Contraction& contraction);

/// Keys M N K flops gemms density.A density.B density.C, and name, intensity, tiles.{M,N,K},
/// nonzero_tiles.{A,B,C}, bytes.{A,B,C}. Dotted names are nested objects.
nlohmann::ordered_json traits_json(const Contraction& contraction);

}  // namespace foretile
