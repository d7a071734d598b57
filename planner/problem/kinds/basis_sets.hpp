// SPDX-License-Identifier: BSD-3-Clause
// How many atomic orbitals (AOs) an atom has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/problem/kinds/geometry.hpp"

namespace foretile {

enum class Basis { def2_svp, def2_tzvp, cc_pvdz, aug_cc_pvdz, pople_6_31g };

/// "def2-SVP", "def2-TZVP", "cc-pVDZ", "aug-cc-pVDZ" or "6-31G", in any case. Throws InputError(`where`).
Basis basis_named(std::string_view name, const std::string& where);
std::string_view name(Basis basis);

/// Number of spherical functions of one atom.
std::int64_t functions(Basis basis, Element element);

}  // namespace foretile
