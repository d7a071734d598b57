// SPDX-License-Identifier: BSD-3-Clause
// Orbitals of the inner shells of atoms.
#pragma once

#include <cstdint>

#include "planner/problem/kinds/geometry.hpp"

namespace foretile {

/// Orbitals of the noble gas before the element: none of H and He, 1 from Li to Ne, 5 from Na to Ar, 9 from K
/// to Kr. NWChem's "freeze atomic" and Psi4's "freeze_core true" freeze as many. ORCA freezes fewer of Li,
/// Be, Na, Mg and K to Zn.
std::int32_t core_orbitals(Element element);

/// Of the closed d shell between core and valence: the five 3d orbitals from Ga to Kr, which are not frozen.
std::int32_t inner_d_orbitals(Element element);

}  // namespace foretile
