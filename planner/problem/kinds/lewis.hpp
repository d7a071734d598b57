// SPDX-License-Identifier: BSD-3-Clause
// Which electron pairs of a molecule are bonds and which belong to one atom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/kinds/geometry.hpp"

namespace foretile {

/// Two atoms are bonded when they are closer than 1.25 times the sum of their covalent radii (Cordero et al.,
/// Dalton Trans. (2008) 2832).
struct Bond {
  std::int32_t first, second;
  std::int32_t order;  ///< 1, 2 or 3
};

struct LewisStructure {
  std::vector<Bond> bonds;
  std::vector<std::int32_t> lone_pairs;  ///< of each atom
};

struct Electrons {
  std::int64_t charge = 0;  ///< of the molecule
  /// Valence electrons that find no bond become lone pairs of their atoms, as in CO and nitro groups. Else
  /// they are an error where the molecule is neutral: most often an atom is missing.
  bool pairs_rest = false;
};

/// Orders are raised between neighbours until as many atoms as can be have their usual valence (H 1, C 4, N
/// 3, O 2, F 1, and so the elements below them); P, S, Cl, As, Se and Br have two or four more where that
/// leaves less unpaired. With a charge or
/// `pairs_rest`, atoms may have up to four bonds, from Na on six. Pairs that are left over then go to atoms
/// with unpaired electrons, one for each, or take the place of a multiple bond; pairs that are missing are
/// taken from lone pairs, then from multiple bonds. There are as many pairs as half the valence electrons.
/// Throws InputError(`where`) when an atom is a transition metal (Sc to Zn) or has more bonds than it can, an
/// electron stays unpaired, or electrons and bonds do not go together.
LewisStructure lewis_structure(const std::vector<Atom>& atoms, const Electrons& electrons,
                               const std::string& where);

/// Of each atom: the number of its molecule, all atoms that bonds connect, in the order of their first atoms.
std::vector<std::int32_t> fragment_of(std::size_t atoms, const std::vector<Bond>& bonds);

}  // namespace foretile
