// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/basis_sets.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::basis_sets_test {
namespace {

std::int64_t of(Basis basis, Element element) {
  return functions(basis, element, "k");
}

TEST(Basis, FunctionsPerAtom) {
  EXPECT_EQ(of(Basis::def2_svp, Element::H), 5);
  EXPECT_EQ(of(Basis::def2_svp, Element::C), 14);
  EXPECT_EQ(of(Basis::def2_tzvp, Element::H), 6);
  EXPECT_EQ(of(Basis::def2_tzvp, Element::N), 31);
  EXPECT_EQ(of(Basis::cc_pvdz, Element::O), 14);
  EXPECT_EQ(of(Basis::aug_cc_pvdz, Element::H), 9);
  // 12 waters in aug-cc-pVDZ have 492 functions (TESSE paper): 12 (23 + 2 * 9).
  EXPECT_EQ(12 * (of(Basis::aug_cc_pvdz, Element::O) + 2 * of(Basis::aug_cc_pvdz, Element::H)), 492);
}

using Counts = std::vector<std::int64_t>;

Counts counts(Basis basis, const std::vector<Element>& elements) {
  Counts list;
  for (const Element element : elements) list.push_back(of(basis, element));
  return list;
}

/// 6-31G is [2s], [3s2p], [4s3p], cc-pVDZ [2s1p], [3s2p1d], [4s3p1d].
TEST(Basis, FunctionsUpToArgon) {
  const std::vector<Element> elements{Element::He, Element::Li, Element::Be, Element::F,
                                      Element::Na, Element::Mg, Element::Ar};
  EXPECT_EQ(counts(Basis::pople_6_31g, elements), (Counts{2, 9, 9, 9, 13, 13, 13}));
  EXPECT_EQ(counts(Basis::pople_6_31g_d, elements), (Counts{2, 14, 14, 14, 18, 18, 18}));
  EXPECT_EQ(counts(Basis::pople_6_31g_dp, elements), (Counts{5, 14, 14, 14, 18, 18, 18}));
  EXPECT_EQ(counts(Basis::pople_6_31pg_dp, elements), (Counts{5, 18, 18, 18, 22, 22, 22}));
  EXPECT_EQ(counts(Basis::cc_pvdz, elements), (Counts{5, 14, 14, 14, 18, 18, 18}));
  EXPECT_EQ(counts(Basis::cc_pvtz, elements), (Counts{14, 30, 30, 30, 34, 34, 34}));
  EXPECT_EQ(counts(Basis::cc_pvqz, elements), (Counts{30, 55, 55, 55, 59, 59, 59}));
  EXPECT_EQ(counts(Basis::aug_cc_pvdz, elements), (Counts{9, 23, 23, 23, 27, 27, 27}));
  EXPECT_EQ(counts(Basis::aug_cc_pvtz, elements), (Counts{23, 46, 46, 46, 50, 50, 50}));
  EXPECT_EQ(counts(Basis::aug_cc_pvqz, elements), (Counts{46, 80, 80, 80, 84, 84, 84}));
  EXPECT_EQ(counts(Basis::def2_svp, elements), (Counts{5, 9, 9, 14, 15, 18, 18}));
  EXPECT_EQ(counts(Basis::def2_tzvp, elements), (Counts{6, 14, 19, 31, 32, 32, 37}));
}

/// cc-pVTZ of Sc to Zn is [7s6p4d2f1g]: 7 + 18 + 20 + 14 + 9; of Ga to Kr [6s5p3d1f]: 6 + 15 + 15 + 7.
/// cc-pVQZ of Sc to Zn is [8s7p5d3f2g1h]: 8 + 21 + 25 + 21 + 18 + 11. 6-31G* of Sc to Zn is [5s4p2d1f]: 5 +
/// 12 + 10 + 7; of Ga to Kr [5s4p3d]: 5 + 12 + 15.
TEST(Basis, FunctionsUpToKrypton) {
  const std::vector<Element> elements{Element::Sc, Element::Fe, Element::Zn, Element::Ga, Element::Kr};
  EXPECT_EQ(counts(Basis::cc_pvdz, elements), (Counts{43, 43, 43, 27, 27}));
  EXPECT_EQ(counts(Basis::cc_pvtz, elements), (Counts{68, 68, 68, 43, 43}));
  EXPECT_EQ(counts(Basis::cc_pvqz, elements), (Counts{104, 104, 104, 68, 68}));
  EXPECT_EQ(counts(Basis::aug_cc_pvdz, elements), (Counts{59, 59, 59, 36, 36}));
  EXPECT_EQ(counts(Basis::aug_cc_pvtz, elements), (Counts{93, 93, 93, 59, 59}));
  EXPECT_EQ(counts(Basis::aug_cc_pvqz, elements), (Counts{140, 140, 140, 93, 93}));
  EXPECT_EQ(counts(Basis::def2_svp, elements), (Counts{31, 31, 31, 32, 32}));
  EXPECT_EQ(counts(Basis::def2_tzvp, elements), (Counts{45, 45, 48, 48, 48}));
  EXPECT_EQ(counts(Basis::pople_6_31g, elements), (Counts{27, 27, 27, 27, 27}));
  EXPECT_EQ(counts(Basis::pople_6_31g_d, elements), (Counts{34, 34, 34, 32, 32}));
  EXPECT_EQ(counts(Basis::pople_6_31g_dp, elements), (Counts{34, 34, 34, 32, 32}));
}

std::string refusal(Basis basis, Element element) {
  try {
    of(basis, element);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Basis, SaysWhichSetsHaveAnElementThatOneLacks) {
  EXPECT_EQ(refusal(Basis::cc_pvtz, Element::K),
            "k: found element K in cc-pVTZ, which has no functions for it, expected a basis set that has K: "
            "def2-SVP, def2-TZVP, 6-31G, 6-31G*, 6-31G**, 6-31+G**");
  EXPECT_EQ(
      refusal(Basis::aug_cc_pvqz, Element::Ca),
      "k: found element Ca in aug-cc-pVQZ, which has no functions for it, expected a basis set that has Ca: "
      "def2-SVP, def2-TZVP, cc-pVDZ, cc-pVTZ, cc-pVQZ, 6-31G, 6-31G*, 6-31G**, 6-31+G**");
  EXPECT_NE(refusal(Basis::pople_6_31pg_dp, Element::Sc), "");
}

/// All others have all elements, each with more functions than a minimal basis: an orbital for each pair.
TEST(Basis, OnlyFewElementsAreMissing) {
  for (int b = 0; b <= static_cast<int>(Basis::pople_6_31pg_dp); ++b) {
    for (int e = 0; e <= static_cast<int>(Element::Kr); ++e) {
      const auto basis = static_cast<Basis>(b);
      const auto element = static_cast<Element>(e);
      const bool correlation_consistent = Basis::cc_pvdz <= basis && basis <= Basis::aug_cc_pvqz;
      const bool missing =
          (element == Element::K && correlation_consistent) ||
          (element == Element::Ca && correlation_consistent && basis >= Basis::aug_cc_pvdz) ||
          (element > Element::Ca && basis == Basis::pople_6_31pg_dp);
      const std::string said = refusal(basis, element);
      EXPECT_EQ(!said.empty(), missing) << name(basis) << ' ' << symbol(element);
      if (said.empty()) {
        EXPECT_GT(2 * of(basis, element), atomic_number(element)) << name(basis) << ' ' << symbol(element);
      }
    }
  }
}

TEST(Basis, NamesInAnyCase) {
  EXPECT_EQ(basis_named("DEF2-svp", "k"), Basis::def2_svp);
  EXPECT_EQ(name(basis_named("aug-CC-pvdz", "k")), "aug-cc-pVDZ");
  EXPECT_EQ(name(basis_named("AUG-cc-pvqz", "k")), "aug-cc-pVQZ");
  EXPECT_EQ(name(Basis::cc_pvtz), "cc-pVTZ");
  EXPECT_EQ(basis_named("6-31+g**", "k"), Basis::pople_6_31pg_dp);
  EXPECT_THROW(basis_named("6-31G***", "k"), InputError);
  EXPECT_THROW(basis_named("", "k"), InputError);
}

TEST(Basis, KnowsBothNamesOfPolarization) {
  EXPECT_EQ(name(basis_named("6-31g(d)", "k")), "6-31G*");
  EXPECT_EQ(name(basis_named("6-31G(d,p)", "k")), "6-31G**");
  EXPECT_EQ(name(basis_named("6-31+G(D,P)", "k")), "6-31+G**");
}

}  // namespace
}  // namespace foretile::basis_sets_test
