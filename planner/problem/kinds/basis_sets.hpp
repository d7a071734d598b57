// SPDX-License-Identifier: BSD-3-Clause
// How many atomic orbitals (AOs) an atom has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/problem/kinds/geometry.hpp"

namespace foretile {

enum class Basis {
  def2_svp,
  def2_tzvp,
  cc_pvdz,
  cc_pvtz,
  cc_pvqz,
  aug_cc_pvdz,
  aug_cc_pvtz,
  aug_cc_pvqz,
  pople_6_31g,
  pople_6_31g_d,   ///< 6-31G*
  pople_6_31g_dp,  ///< 6-31G**
  pople_6_31pg_dp  ///< 6-31+G**
};

/// A name, as name() has it, in any case; 6-31G(d), 6-31G(d,p) and 6-31+G(d,p) are other names of 6-31G*,
/// 6-31G** and 6-31+G**. Throws InputError(`where`).
Basis basis_named(std::string_view name, const std::string& where);
/// "def2-SVP", "aug-cc-pVTZ", "6-31G*".
std::string_view name(Basis basis);

/// Number of spherical functions of one atom. Programs that use Cartesian functions in 6-31G*, 6-31G** and
/// 6-31+G** have one more for each d shell, and three more for each f shell. Throws InputError(`where`) when
/// the set has none for the element: cc-pVDZ, cc-pVTZ and cc-pVQZ have no K, their aug- sets no K and Ca,
/// 6-31+G** none beyond Ca.
std::int64_t functions(Basis basis, Element element, const std::string& where);

}  // namespace foretile
