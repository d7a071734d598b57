// SPDX-License-Identifier: BSD-3-Clause
// Where a molecule's localized occupied orbitals and its virtual ones sit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/kinds/basis_sets.hpp"
#include "planner/problem/kinds/geometry.hpp"
#include "planner/problem/kinds/lewis.hpp"

namespace foretile {

struct OccupiedOrbital {
  Point centre;
  std::int32_t atom;  ///< of a bond: its first
};

/// The valence occupied orbitals after localization (as Foster-Boys would place them, roughly): one at the
/// middle of a bond for each pair in it, and one at its atom for each lone pair and inner d orbital (Ga to
/// Kr). `with_core`: then those of cores, at their atoms; else these are frozen.
std::vector<OccupiedOrbital> occupied_orbitals(const std::vector<Atom>& atoms,
                                               const LewisStructure& structure, bool with_core);

/// How many virtual orbitals each atom counts for: its functions, less one for each of its core and inner d
/// orbitals and lone pairs, and less one for each pair of a bond, taken from the end that has more left. They
/// add up to the functions less the occupied orbitals, core among them. Throws InputError(`where`) when an
/// atom has less than none.
std::vector<std::int64_t> virtual_orbitals(const std::vector<Atom>& atoms, const LewisStructure& structure,
                                           Basis basis, const std::string& where);

}  // namespace foretile
