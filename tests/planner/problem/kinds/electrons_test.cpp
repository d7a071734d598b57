// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/electrons.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "base/error.hpp"

namespace foretile::electrons_test {
namespace {

/// Only elements count here.
std::vector<Atom> atoms_of(const std::vector<std::pair<Element, int>>& formula) {
  std::vector<Atom> atoms;
  for (const auto& [element, count] : formula) atoms.insert(atoms.end(), count, {element, {}});
  return atoms;
}

const std::vector<Atom> water = atoms_of({{Element::O, 1}, {Element::H, 2}});

std::string refusal(const std::vector<Atom>& atoms, Basis basis, std::int64_t charge, bool freeze_core) {
  try {
    orbital_counts(atoms, basis, charge, freeze_core, "m");
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(CoreOrbitals, AreThoseOfTheNobleGasBefore) {
  EXPECT_EQ(core_orbitals(Element::He), 0);
  EXPECT_EQ(core_orbitals(Element::Li), 1);
  EXPECT_EQ(core_orbitals(Element::Ne), 1);
  EXPECT_EQ(core_orbitals(Element::Na), 5);
  EXPECT_EQ(core_orbitals(Element::Ar), 5);
  EXPECT_EQ(core_orbitals(Element::K), 9);
  EXPECT_EQ(core_orbitals(Element::Zn), 9);
  EXPECT_EQ(core_orbitals(Element::Kr), 9);
}

TEST(InnerDOrbitals, AreThoseBehindTheTransitionMetals) {
  EXPECT_EQ(inner_d_orbitals(Element::Ca), 0);
  EXPECT_EQ(inner_d_orbitals(Element::Zn), 0);
  EXPECT_EQ(inner_d_orbitals(Element::Ga), 5);
  EXPECT_EQ(inner_d_orbitals(Element::Kr), 5);
}

/// 14 + 2 * 5 functions, 10 electrons.
TEST(ClosedShell, OfWater) {
  const ClosedShell all = orbital_counts(water, Basis::cc_pvdz, 0, false, "m");
  EXPECT_EQ(all.functions, 24);
  EXPECT_EQ(all.electrons, 10);
  EXPECT_EQ(all.frozen, 0);
  EXPECT_EQ(all.occupied, 5);
  EXPECT_EQ(all.virtuals, 19);
  const ClosedShell frozen = orbital_counts(water, Basis::cc_pvdz, 0, true, "m");
  EXPECT_EQ(frozen.functions, 24);
  EXPECT_EQ(frozen.electrons, 10);
  EXPECT_EQ(frozen.frozen, 1);
  EXPECT_EQ(frozen.occupied, 4);
  EXPECT_EQ(frozen.virtuals, 19);
}

/// 6 * 30 + 6 * 14 functions, 42 electrons.
TEST(ClosedShell, OfBenzene) {
  const std::vector<Atom> benzene = atoms_of({{Element::C, 6}, {Element::H, 6}});
  const ClosedShell all = orbital_counts(benzene, Basis::cc_pvtz, 0, false, "m");
  EXPECT_EQ(all.functions, 264);
  EXPECT_EQ(all.occupied, 21);
  EXPECT_EQ(all.virtuals, 243);
  EXPECT_EQ(orbital_counts(benzene, Basis::cc_pvtz, 0, true, "m").occupied, 15);
}

/// NH4+: 18 + 4 * 5 functions, 7 + 4 - 1 electrons. Br-: 27 functions, 36 electrons, 9 orbitals frozen.
TEST(ClosedShell, OfIons) {
  const ClosedShell ammonium =
      orbital_counts(atoms_of({{Element::N, 1}, {Element::H, 4}}), Basis::pople_6_31pg_dp, 1, true, "m");
  EXPECT_EQ(ammonium.functions, 38);
  EXPECT_EQ(ammonium.electrons, 10);
  EXPECT_EQ(ammonium.occupied, 4);
  EXPECT_EQ(ammonium.virtuals, 33);
  const ClosedShell bromide = orbital_counts(atoms_of({{Element::Br, 1}}), Basis::cc_pvdz, -1, true, "m");
  EXPECT_EQ(bromide.functions, 27);
  EXPECT_EQ(bromide.frozen, 9);
  EXPECT_EQ(bromide.occupied, 9);
  EXPECT_EQ(bromide.virtuals, 9);
}

/// CH3Br: 30 + 43 + 3 * 14 functions, 6 + 35 + 3 electrons, 1 + 9 orbitals frozen.
TEST(ClosedShell, OfBromomethane) {
  const ClosedShell counts = orbital_counts(atoms_of({{Element::C, 1}, {Element::Br, 1}, {Element::H, 3}}),
                                            Basis::cc_pvtz, 0, true, "m");
  EXPECT_EQ(counts.functions, 30 + 43 + 42);
  EXPECT_EQ(counts.frozen, 10);
  EXPECT_EQ(counts.occupied, 12);
  EXPECT_EQ(counts.virtuals, 115 - 22);
}

/// Occupied and virtual orbitals of ExaChem's benchmark page (studies/exachem/cases.csv), where it drops no
/// functions that depend on others: radon3, porphyrin, a complex of Co(III), and ubiquitin-dgrtl, a cation.
TEST(ClosedShell, AreThoseOfExaChem) {
  const auto is = [](const std::vector<Atom>& atoms, Basis basis, std::int64_t charge, std::int64_t occupied,
                     std::int64_t virtuals) {
    const ClosedShell counts = orbital_counts(atoms, basis, charge, false, "m");
    EXPECT_EQ(counts.occupied, occupied);
    EXPECT_EQ(counts.virtuals, virtuals);
  };
  is(atoms_of({{Element::Fe, 1}, {Element::N, 6}, {Element::C, 12}, {Element::H, 30}}), Basis::def2_tzvp, 0,
     85, 698);
  is(atoms_of({{Element::N, 4}, {Element::C, 20}, {Element::H, 14}}), Basis::cc_pvtz, 0, 81, 835);
  is(atoms_of({{Element::Co, 1}, {Element::N, 6}, {Element::C, 30}, {Element::H, 22}}), Basis::cc_pvdz, 3,
     134, 523);
  is(atoms_of({{Element::O, 8}, {Element::N, 8}, {Element::C, 22}, {Element::H, 41}}), Basis::pople_6_31g, 1,
     146, 278);
}

TEST(ClosedShell, RefusesOpenShells) {
  EXPECT_EQ(
      refusal(water, Basis::cc_pvdz, 1, false),
      "m: found 9 electrons with charge 1, expected an even number: closed shells only; check the atoms or "
      "change the charge");
}

TEST(ClosedShell, RefusesChargesThatCannotBe) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(refusal(water, Basis::cc_pvdz, 12, false),
            "m: found charge 12 of atoms with 10 electrons, expected at most 10; lower the charge");
  EXPECT_NE(refusal(water, Basis::cc_pvdz, largest, false).find("at most 10"), std::string::npos);
  EXPECT_NE(refusal(water, Basis::cc_pvdz, -largest - 1, false).find("no virtual orbital"),
            std::string::npos);
}

/// 24 functions hold 48 electrons.
TEST(ClosedShell, RefusesShellsWithoutVirtualOrbitals) {
  EXPECT_EQ(orbital_counts(water, Basis::cc_pvdz, -36, false, "m").virtuals, 1);
  EXPECT_EQ(
      refusal(water, Basis::cc_pvdz, -38, false),
      "m: found no virtual orbital: 24 functions in cc-pVDZ and charge -38, expected some virtual orbitals; "
      "take a larger basis or check the charge");
}

/// Na+ has 5 pairs, all of them in the core. H+ has none.
TEST(ClosedShell, RefusesShellsWithoutOccupiedOrbitals) {
  const std::vector<Atom> sodium = atoms_of({{Element::Na, 1}});
  EXPECT_EQ(orbital_counts(sodium, Basis::cc_pvdz, 1, false, "m").occupied, 5);
  EXPECT_EQ(
      refusal(sodium, Basis::cc_pvdz, 1, true),
      "m: found 10 electrons and 5 frozen orbitals, expected some occupied orbitals that are not frozen; do "
      "not freeze the cores, or lower the charge");
  EXPECT_NE(refusal(atoms_of({{Element::H, 1}}), Basis::cc_pvdz, 1, false).find("found 0 electrons"),
            std::string::npos);
}

TEST(ClosedShell, RefusesElementsThatTheBasisLacks) {
  EXPECT_NE(
      refusal(atoms_of({{Element::K, 1}}), Basis::cc_pvdz, 1, false).find("m: found element K in cc-pVDZ"),
      std::string::npos);
}

}  // namespace
}  // namespace foretile::electrons_test
