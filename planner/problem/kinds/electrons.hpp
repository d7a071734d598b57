// SPDX-License-Identifier: BSD-3-Clause
// Core, occupied and virtual orbitals of a closed shell, counted without its bonds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/kinds/basis_sets.hpp"
#include "planner/problem/kinds/geometry.hpp"

namespace foretile {

/// Orbitals of the noble gas before the element: none of H and He, 1 from Li to Ne, 5 from Na to Ar, 9 from K
/// to Kr. NWChem's "freeze atomic" and Psi4's "freeze_core true" freeze as many. ORCA freezes fewer of Li,
/// Be, Na, Mg and K to Zn.
std::int32_t core_orbitals(Element element);

/// Of the closed d shell between core and valence: the five 3d orbitals from Ga to Kr, which are not frozen.
std::int32_t inner_d_orbitals(Element element);

/// How many orbitals of each spin a closed shell has.
struct ClosedShell {
  std::int64_t functions;  ///< spherical basis functions, so orbitals of all kinds
  std::int64_t electrons;  ///< of both spins, those in frozen orbitals among them
  std::int64_t frozen;     ///< 0 where cores are not frozen
  std::int64_t occupied;   ///< without the frozen ones
  std::int64_t virtuals;   ///< functions less frozen and occupied
};

/// Of atoms of any elements; `charge` is that of all together. Throws InputError(`where`) when the basis set
/// lacks an element, the charge is larger than the number of electrons of the neutral atoms, the number of
/// electrons is odd, or there is no occupied or no virtual orbital.
ClosedShell orbital_counts(const std::vector<Atom>& atoms, Basis basis, std::int64_t charge, bool freeze_core,
                           const std::string& where);

}  // namespace foretile
