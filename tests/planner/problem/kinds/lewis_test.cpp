// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/lewis.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"

namespace foretile::lewis_test {
namespace {

// Geometries are rough: only bonds count here.
LewisStructure structure_of(const std::string& xyz, const Electrons& electrons = {}) {
  return lewis_structure(parse_xyz(xyz, "m"), electrons, "m");
}

std::int64_t pairs_of(const std::string& xyz, const Electrons& electrons = {}) {
  const LewisStructure found = structure_of(xyz, electrons);
  std::int64_t pairs = std::accumulate(found.lone_pairs.begin(), found.lone_pairs.end(), std::int64_t{0});
  for (const Bond& bond : found.bonds) pairs += bond.order;
  return pairs;
}

std::string refusal(const std::string& xyz, const Electrons& electrons = {}) {
  try {
    structure_of(xyz, electrons);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

using Numbers = std::vector<std::int32_t>;

// Butadiene, its middle bond first: were that one made double, the outer carbons would keep unpaired
// electrons.
TEST(Lewis, DoubleBondsLeaveNoElectronUnpaired) {
  const char* const butadiene =
      "10\n\nC 0 0 0\nC 1.45 0 0\nC -0.7 1.15 0\nC 2.15 -1.15 0\nH -0.55 -0.93 0\nH 2.0 0.93 0\n"
      "H -0.15 2.08 0\nH -1.78 1.15 0\nH 1.6 -2.08 0\nH 3.23 -1.15 0\n";
  const auto all = structure_of(butadiene).bonds;
  ASSERT_EQ(all.size(), 9U);
  for (const Bond& bond : all)
    EXPECT_EQ(bond.order, bond.second == bond.first + 2 && bond.second < 4 ? 2 : 1);
  EXPECT_EQ(pairs_of(butadiene), 11U);
}

TEST(Lewis, BenzeneHasThreeDoubleBonds) {
  const char* const benzene =
      "12\n\nC 1.40 0 0\nC 0.70 1.212 0\nC -0.70 1.212 0\nC -1.40 0 0\nC 0.70 -1.212 0\nC -0.70 -1.212 0\n"
      "H 2.48 0 0\nH 1.24 2.148 0\nH -1.24 2.148 0\nH -2.48 0 0\nH 1.24 -2.148 0\nH -1.24 -2.148 0\n";
  int doubles = 0;
  for (const Bond& bond : structure_of(benzene).bonds) doubles += bond.order - 1;
  EXPECT_EQ(doubles, 3);
  EXPECT_EQ(pairs_of(benzene), 15U);
}

TEST(Lewis, RefusesWhatIsNoClosedShellMolecule) {
  EXPECT_THROW(pairs_of("1\n\nC 0 0 0\n"), InputError);
  EXPECT_THROW(pairs_of("2\n\nO 0 0 0\nH 0 0 1\n"), InputError);
  EXPECT_THROW(pairs_of("3\n\nH 0 0 0\nH 0 0 0.7\nH 0 0 1.4\n"), InputError);  // one H with two bonds
}

const char* const carbon_monoxide = "2\n\nC 0 0 0\nO 0 0 1.13\n";
const char* const nitromethane =
    "7\n\nC 0 0 0\nN 1.49 0 0\nO 2.08 1.06 0\nO 2.08 -1.06 0\nH -0.36 1.03 0\nH -0.36 -0.5 0.9\nH -0.36 -0.5 "
    "-0.9\n";

/// CO has 10 valence electrons: 2 bonds and the lone pairs of O by valences, and one pair for C. Nitromethane
/// has 24: 6 bonds, 1 lone pair of N and 2 of each O by valences, and one pair for an O.
TEST(Lewis, PairsWhatIsLeftWhereAsked) {
  for (const char* xyz : {carbon_monoxide, nitromethane}) {
    const std::string said = refusal(xyz);
    EXPECT_NE(said.find("unpaired valence electrons"), std::string::npos) << said;
    EXPECT_NE(said.find("unpaired = \"pair\""), std::string::npos) << said;
  }
  const Electrons pair{0, true};
  EXPECT_EQ(pairs_of(carbon_monoxide, pair), 5);
  EXPECT_EQ(structure_of(carbon_monoxide, pair).lone_pairs, (Numbers{1, 2}));
  EXPECT_EQ(pairs_of(nitromethane, pair), 12);
  EXPECT_EQ(structure_of(nitromethane, pair).lone_pairs, (Numbers{0, 1, 3, 2, 0, 0, 0}));
}

/// CH3 has 7 valence electrons: no pairing serves, only a charge. CH3+ has 6: three bonds.
TEST(Lewis, RefusesRadicalsWithAdviceThatWorks) {
  const char* const methyl = "4\n\nC 0 0 0\nH 1.08 0 0\nH -0.54 0.94 0\nH -0.54 -0.94 0\n";
  const std::string said = refusal(methyl);
  EXPECT_NE(said.find("atom 1 (C) with 1 unpaired valence electrons"), std::string::npos) << said;
  EXPECT_NE(said.find("give the charge"), std::string::npos) << said;
  EXPECT_EQ(said.find("pair\""), std::string::npos) << said;
  EXPECT_EQ(pairs_of(methyl, {1, false}), 3);
}

/// Singlet oxygen has 12 valence electrons.
TEST(Lewis, RefusesTripletOxygen) {
  const char* const oxygen = "2\n\nO 0 0 0\nO 0 0 1.21\n";
  const std::string said = refusal(oxygen);
  EXPECT_NE(said.find("O2, atoms 1 and 2, a triplet"), std::string::npos) << said;
  EXPECT_EQ(pairs_of(oxygen, {0, true}), 6);
}

/// Half the valence electrons less the charge: OH- 8 / 2, NH4+ 8 / 2, Na+ 0, Cl- 8 / 2, H3O+ 8 / 2.
TEST(Lewis, KnowsCharges) {
  EXPECT_EQ(pairs_of("2\n\nO 0 0 0\nH 0 0 1\n", {-1, false}), 4);
  const char* const ammonium =
      "5\n\nN 0 0 0\nH 0.6 0.6 0.6\nH -0.6 -0.6 0.6\nH 0.6 -0.6 -0.6\nH -0.6 0.6 -0.6\n";
  EXPECT_EQ(pairs_of(ammonium, {1, false}), 4);
  EXPECT_EQ(structure_of(ammonium, {1, false}).lone_pairs, (Numbers{0, 0, 0, 0, 0}));
  EXPECT_NE(refusal(ammonium).find("atom 1 (N) with 4 bonds, expected at most 3"), std::string::npos);
  EXPECT_EQ(pairs_of("1\n\nNa 0 0 0\n", {1, false}), 0);
  EXPECT_EQ(structure_of("1\n\nCl 0 0 0\n", {-1, false}).lone_pairs, (Numbers{4}));
  EXPECT_EQ(pairs_of("4\n\nO 0 0 0\nH 0.9 0.3 0\nH -0.9 0.3 0\nH 0 -0.9 0.3\n", {1, false}), 4);
}

/// A free valence takes one pair: O2- 8 / 2. Peroxide has 14 / 2 pairs, one of them a bond; acetylide 10 / 2,
/// three of them bonds. PF6- has six bonds: 48 / 2. NH2(2-) 8 / 2.
TEST(Lewis, KnowsAnions) {
  EXPECT_EQ(structure_of("1\n\nO 0 0 0\n", {-2, false}).lone_pairs, (Numbers{4}));
  const LewisStructure peroxide = structure_of("2\n\nO 0 0 0\nO 0 0 1.49\n", {-2, false});
  EXPECT_EQ(peroxide.bonds[0].order, 1);
  EXPECT_EQ(peroxide.lone_pairs, (Numbers{3, 3}));
  const LewisStructure acetylide = structure_of("2\n\nC 0 0 0\nC 0 0 1.24\n", {-2, false});
  EXPECT_EQ(acetylide.bonds[0].order, 3);
  EXPECT_EQ(acetylide.lone_pairs, (Numbers{1, 1}));
  EXPECT_EQ(pairs_of("7\n\nP 0 0 0\nF 1.6 0 0\nF -1.6 0 0\nF 0 1.6 0\nF 0 -1.6 0\nF 0 0 1.6\nF 0 0 -1.6\n",
                     {-1, false}),
            24);
  EXPECT_EQ(pairs_of("2\n\nN 0 0 0\nH 0 0 1.02\n", {-2, false}), 4);
}

TEST(Lewis, RefusesChargesThatCannotBe) {
  const char* const water = "3\n\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n";
  EXPECT_NE(refusal(water, {1, false}).find("7 valence electrons with charge 1, expected an even number"),
            std::string::npos);
  EXPECT_NE(refusal(water, {-2, false}).find("raise the charge"), std::string::npos);
  EXPECT_NE(refusal(water, {6, false}).find("lower the charge"), std::string::npos);
  EXPECT_NE(refusal(water, {10, false}).find("expected an even number"), std::string::npos);
  EXPECT_NE(refusal("2\n\nN 0 0 0\nO 0 0 1.15\n", {0, true}).find("11 valence electrons"), std::string::npos);
}

/// SO2: 18 electrons: two double bonds, a lone pair of S and two of each O. SF6: six bonds and 18 lone pairs.
/// H2SO4: S has six bonds, two double; of 16 pairs 8 are bonds. DMSO: S=O, one lone pair of S; 13 pairs.
TEST(Lewis, SulfurHasMoreThanTwoBonds) {
  const char* const dioxide = "3\n\nO 1.24 0.72 0\nS 0 0 0\nO -1.24 0.72 0\n";
  EXPECT_EQ(pairs_of(dioxide), 9);
  EXPECT_EQ(structure_of(dioxide).lone_pairs, (Numbers{2, 1, 2}));
  EXPECT_EQ(
      pairs_of("7\n\nS 0 0 0\nF 1.56 0 0\nF -1.56 0 0\nF 0 1.56 0\nF 0 -1.56 0\nF 0 0 1.56\nF 0 0 -1.56\n"),
      24);
  const char* const acid =
      "7\n\nS 0 0 0\nO 0.8 0.8 0.8\nO -0.8 -0.8 0.8\nO 0.9 -0.9 -0.9\nO -0.9 0.9 -0.9\nH 1.4 -1.4 -1.5\n"
      "H -1.4 1.4 -1.5\n";
  EXPECT_EQ(pairs_of(acid), 16);
  EXPECT_EQ(structure_of(acid).lone_pairs, (Numbers{0, 2, 2, 2, 2, 0, 0}));
  const char* const sulfoxide =
      "10\n\nS 0 0 0\nO 0 0 1.5\nC 1.5 0 -1\nC -1.5 0 -1\nH 2.3 0 -0.3\nH 1.6 0.9 -1.6\nH 1.6 -0.9 -1.6\nH "
      "-2.3 0 -0.3\n"
      "H -1.6 0.9 -1.6\nH -1.6 -0.9 -1.6\n";
  EXPECT_EQ(pairs_of(sulfoxide), 13);
  EXPECT_EQ(structure_of(sulfoxide).lone_pairs, (Numbers{1, 2, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(pairs_of("2\n\nNa 0 0 0\nCl 0 0 2.36\n"), 4);
}

/// Half the valence electrons: CH3Br (4 + 3 + 7) / 2, GeH4 (4 + 4) / 2, KCl (1 + 7) / 2, AsF5 (5 + 35) / 2.
/// SeO2 as SO2. HBrO3 has 26 electrons: Br has five bonds and a lone pair.
TEST(Lewis, ElementsOfTheFourthRowAreAsThoseAbove) {
  EXPECT_EQ(pairs_of("5\n\nC 0 0 0\nBr 0 0 1.93\nH 1.03 0 -0.35\nH -0.51 0.89 -0.35\nH -0.51 -0.89 -0.35\n"),
            7);
  EXPECT_EQ(
      pairs_of(
          "5\n\nGe 0 0 0\nH 0.88 0.88 0.88\nH -0.88 -0.88 0.88\nH 0.88 -0.88 -0.88\nH -0.88 0.88 -0.88\n"),
      4);
  EXPECT_EQ(pairs_of("2\n\nK 0 0 0\nCl 0 0 2.67\n"), 4);
  EXPECT_EQ(pairs_of("6\n\nAs 0 0 0\nF 1.66 0 0\nF -0.83 1.44 0\nF -0.83 -1.44 0\nF 0 0 1.71\nF 0 0 -1.71\n"),
            20);
  const char* const dioxide = "3\n\nO 1.36 0.87 0\nSe 0 0 0\nO -1.36 0.87 0\n";
  EXPECT_EQ(pairs_of(dioxide), 9);
  EXPECT_EQ(structure_of(dioxide).lone_pairs, (Numbers{2, 1, 2}));
  const char* const acid = "5\n\nBr 0 0 0\nO 1.6 0 0.5\nO -0.8 1.39 0.5\nO -0.8 -1.39 0.5\nH 2.0 0.7 1.0\n";
  EXPECT_EQ(pairs_of(acid), 13);
  EXPECT_EQ(structure_of(acid).lone_pairs, (Numbers{1, 2, 2, 2, 0}));
}

TEST(Lewis, RefusesTransitionMetals) {
  EXPECT_EQ(
      refusal("2\n\nO 0 0 0\nZn 0 0 1.7\n"),
      "m: found atom 2 (Zn), a transition metal, expected main-group elements, which have Lewis structures; "
      "plan coupled cluster of it instead: foretile tune ccsd --xyz FILE.xyz --basis NAME");
  EXPECT_NE(refusal("1\n\nSc 0 0 0\n", {3, true}).find("atom 1 (Sc)"), std::string::npos);
}

/// Two molecules whose atoms take turns.
TEST(Lewis, FragmentsAreMolecules) {
  EXPECT_EQ(fragment_of(5, {{0, 2, 1}, {1, 3, 1}}), (Numbers{0, 1, 0, 1, 2}));
}

}  // namespace
}  // namespace foretile::lewis_test
