// Where a molecule's atomic orbitals (AOs) and localized valence occupied orbitals sit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "planner/problem/kinds/geometry.hpp"

namespace foretile {

enum class Basis { def2_svp, def2_tzvp, cc_pvdz, aug_cc_pvdz };

/// "def2-SVP", "def2-TZVP", "cc-pVDZ" or "aug-cc-pVDZ", in any case. Throws InputError(`where`).
Basis basis_named(std::string_view name, const std::string& where);
std::string_view name(Basis basis);

/// Number of spherical functions of one atom.
std::int64_t functions(Basis basis, Element element);

/// Two atoms are bonded when they are closer than 1.25 times the sum of their covalent radii (H 0.31, C 0.76,
/// N 0.71, O 0.66 angstrom: Cordero et al., Dalton Trans. (2008) 2832).
struct Bond {
  std::int32_t first, second;
  std::int32_t order;  ///< 1, 2 or 3
};

/// All bonds. Orders are raised between neighbours until as many atoms as can be have their usual valence (H
/// 1, C 4, N 3, O 2). Throws InputError(`where`) when an atom has more bonds than its valence or keeps an
/// unpaired electron: ions, radicals and charged groups (nitro, CO) cannot be written so.
std::vector<Bond> bonds(const std::vector<Atom>& atoms, const std::string& where);

/// Centres of the valence occupied orbitals after localization (as Foster-Boys would place them, roughly):
/// one at the middle of a bond for each pair in it, one at N and two at O for their lone pairs. Core orbitals
/// are frozen. Two electrons each: as many as half the valence electrons.
std::vector<Point> occupied_centres(const std::vector<Atom>& atoms, const std::string& where);

}  // namespace foretile
