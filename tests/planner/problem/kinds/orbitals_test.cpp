#include "planner/problem/kinds/orbitals.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files.hpp"

namespace foretile {
namespace {

// Geometries are rough: only bonds count here.
const char* const water = "3\n\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n";
const char* const ethylene =
    "6\n\nC 0 0 0\nC 1.33 0 0\nH -0.55 0.93 0\nH -0.55 -0.93 0\nH 1.88 0.93 0\nH 1.88 -0.93 0\n";

std::size_t orbitals_of(const std::string& xyz) {
  return occupied_centres(parse_xyz(xyz, "m"), "m").size();
}

TEST(Basis, FunctionsPerAtom) {
  EXPECT_EQ(functions(Basis::def2_svp, Element::H), 5);
  EXPECT_EQ(functions(Basis::def2_svp, Element::C), 14);
  EXPECT_EQ(functions(Basis::def2_tzvp, Element::H), 6);
  EXPECT_EQ(functions(Basis::def2_tzvp, Element::N), 31);
  EXPECT_EQ(functions(Basis::cc_pvdz, Element::O), 14);
  EXPECT_EQ(functions(Basis::aug_cc_pvdz, Element::H), 9);
  // 12 waters in aug-cc-pVDZ have 492 functions (TESSE paper): 12 (23 + 2 * 9).
  EXPECT_EQ(12 * (functions(Basis::aug_cc_pvdz, Element::O) + 2 * functions(Basis::aug_cc_pvdz, Element::H)),
            492);
}

TEST(Basis, NamesInAnyCase) {
  EXPECT_EQ(basis_named("DEF2-svp", "k"), Basis::def2_svp);
  EXPECT_EQ(name(basis_named("aug-CC-pvdz", "k")), "aug-cc-pVDZ");
  EXPECT_THROW(basis_named("6-31G*", "k"), InputError);
  EXPECT_THROW(basis_named("", "k"), InputError);
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
  const auto centres = occupied_centres(parse_xyz(water, "m"), "m");
  EXPECT_DOUBLE_EQ(centres[0].x, 0.38);
  EXPECT_DOUBLE_EQ(centres[0].y, 0.295);
  EXPECT_DOUBLE_EQ(centres[3].x, 0.0);
}

// Butadiene, its middle bond first: were that one made double, the outer carbons would keep unpaired
// electrons.
TEST(Orbitals, DoubleBondsLeaveNoElectronUnpaired) {
  const char* const butadiene =
      "10\n\nC 0 0 0\nC 1.45 0 0\nC -0.7 1.15 0\nC 2.15 -1.15 0\nH -0.55 -0.93 0\nH 2.0 0.93 0\n"
      "H -0.15 2.08 0\nH -1.78 1.15 0\nH 1.6 -2.08 0\nH 3.23 -1.15 0\n";
  const auto all = bonds(parse_xyz(butadiene, "m"), "m");
  ASSERT_EQ(all.size(), 9U);
  for (const Bond& bond : all)
    EXPECT_EQ(bond.order, bond.second == bond.first + 2 && bond.second < 4 ? 2 : 1);
  EXPECT_EQ(orbitals_of(butadiene), 11U);
}

TEST(Orbitals, BenzeneHasThreeDoubleBonds) {
  const char* const benzene =
      "12\n\nC 1.40 0 0\nC 0.70 1.212 0\nC -0.70 1.212 0\nC -1.40 0 0\nC 0.70 -1.212 0\nC -0.70 -1.212 0\n"
      "H 2.48 0 0\nH 1.24 2.148 0\nH -1.24 2.148 0\nH -2.48 0 0\nH 1.24 -2.148 0\nH -1.24 -2.148 0\n";
  int doubles = 0;
  for (const Bond& bond : bonds(parse_xyz(benzene, "m"), "m")) doubles += bond.order - 1;
  EXPECT_EQ(doubles, 3);
  EXPECT_EQ(orbitals_of(benzene), 15U);
}

TEST(Orbitals, RefusesWhatIsNoClosedShellMolecule) {
  EXPECT_THROW(orbitals_of("1\n\nC 0 0 0\n"), InputError);
  EXPECT_THROW(orbitals_of("2\n\nO 0 0 0\nH 0 0 1\n"), InputError);
  EXPECT_THROW(orbitals_of("3\n\nH 0 0 0\nH 0 0 0.7\nH 0 0 1.4\n"), InputError);  // one H with two bonds
}

}  // namespace
}  // namespace foretile
