// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/orbitals.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files.hpp"

namespace foretile::orbitals_test {
namespace {

// Geometries are rough: only bonds count here.
const char* const water = "3\n\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n";
const char* const ethylene =
    "6\n\nC 0 0 0\nC 1.33 0 0\nH -0.55 0.93 0\nH -0.55 -0.93 0\nH 1.88 0.93 0\nH 1.88 -0.93 0\n";

std::vector<OccupiedOrbital> orbitals_in(const std::string& xyz, bool with_core = false) {
  const std::vector<Atom> atoms = parse_xyz(xyz, "m");
  return occupied_orbitals(atoms, lewis_structure(atoms, {}, "m"), with_core);
}

std::size_t orbitals_of(const std::string& xyz) {
  return orbitals_in(xyz).size();
}

// Half the valence electrons: H2O (6 + 2) / 2 = 4; C2H4 (8 + 4) / 2 = 6; N2 10 / 2 = 5; CO2 (4 + 12) / 2 = 8.
TEST(Orbitals, AsManyAsValencePairs) {
  EXPECT_EQ(orbitals_of(water), 4U);
  EXPECT_EQ(orbitals_of(ethylene), 6U);
  EXPECT_EQ(orbitals_of("2\n\nN 0 0 0\nN 0 0 1.1\n"), 5U);
  EXPECT_EQ(orbitals_of("3\n\nO 0 0 -1.16\nC 0 0 0\nO 0 0 1.16\n"), 8U);
  EXPECT_EQ(orbitals_of(read_text(find_data("examples/c12h26.xyz"))), 37U);    // 11 C-C + 26 C-H
  EXPECT_EQ(orbitals_of(read_text(find_data("examples/c65h132.xyz"))), 196U);  // RR-9365: O = 196
}

TEST(Orbitals, SitAtBondsAndLonePairs) {
  const auto orbitals = orbitals_in(water);
  EXPECT_DOUBLE_EQ(orbitals[0].centre.x, 0.38);
  EXPECT_DOUBLE_EQ(orbitals[0].centre.y, 0.295);
  EXPECT_DOUBLE_EQ(orbitals[3].centre.x, 0.0);
}

/// Water: 5 with the core of O, at O.
TEST(Orbitals, CoreComesLast) {
  const auto orbitals = orbitals_in(water, true);
  ASSERT_EQ(orbitals.size(), 5U);
  EXPECT_DOUBLE_EQ(orbitals[4].centre.x, 0.0);
  EXPECT_EQ(orbitals[4].atom, 0);
  EXPECT_EQ(orbitals[1].atom, 0);
}

/// HBr: a bond, three lone pairs and the 3d shell of Br; then its core. Of the 32 + 5 functions in def2-SVP
/// 19 are virtual.
TEST(Orbitals, ClosedDShellsAreNotFrozen) {
  const char* const bromide = "2\n\nH 0 0 1.41\nBr 0 0 0\n";
  const auto orbitals = orbitals_in(bromide);
  ASSERT_EQ(orbitals.size(), 9U);
  EXPECT_EQ(orbitals[8].atom, 1);
  EXPECT_DOUBLE_EQ(orbitals[8].centre.z, 0.0);
  EXPECT_EQ(orbitals_in(bromide, true).size(), 18U);
  const std::vector<Atom> atoms = parse_xyz(bromide, "m");
  EXPECT_EQ(virtual_orbitals(atoms, lewis_structure(atoms, {}, "m"), Basis::def2_svp, "m"),
            (std::vector<std::int64_t>{5, 14}));
}

/// Of 41 functions of a water in aug-cc-pVDZ 36 are virtual: O has 23 - 1 - 2, and gives both bonds, H 9.
TEST(Orbitals, VirtualOnesAreWhatIsLeft) {
  const std::vector<Atom> atoms = parse_xyz(water, "m");
  const LewisStructure structure = lewis_structure(atoms, {}, "m");
  EXPECT_EQ(virtual_orbitals(atoms, structure, Basis::aug_cc_pvdz, "m"),
            (std::vector<std::int64_t>{18, 9, 9}));
  // 6-31G: O 9 - 3 = 6, which gives both bonds; H 2.
  EXPECT_EQ(virtual_orbitals(atoms, structure, Basis::pople_6_31g, "m"),
            (std::vector<std::int64_t>{4, 2, 2}));
}

/// A hydrogen with three lone pairs has two functions.
TEST(Orbitals, RefusesABasisWithoutVirtualOnes) {
  const std::vector<Atom> atoms = parse_xyz("1\n\nH 0 0 0\n", "m");
  EXPECT_THROW(virtual_orbitals(atoms, {{}, {3}}, Basis::pople_6_31g, "m"), InputError);
}

}  // namespace
}  // namespace foretile::orbitals_test
