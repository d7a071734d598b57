// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/basis_sets.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::basis_sets_test {
namespace {

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

/// First and last elements of the rows of the table; 6-31G is [2s], [3s2p], [4s3p], cc-pVDZ [2s1p], [3s2p1d],
/// [4s3p1d].
TEST(Basis, FunctionsOfAllRows) {
  const auto counts = [](Basis basis) {
    std::vector<std::int64_t> list;
    for (const Element element :
         {Element::He, Element::Li, Element::Be, Element::F, Element::Na, Element::Mg, Element::Ar})
      list.push_back(functions(basis, element));
    return list;
  };
  using Counts = std::vector<std::int64_t>;
  EXPECT_EQ(counts(Basis::pople_6_31g), (Counts{2, 9, 9, 9, 13, 13, 13}));
  EXPECT_EQ(counts(Basis::cc_pvdz), (Counts{5, 14, 14, 14, 18, 18, 18}));
  EXPECT_EQ(counts(Basis::aug_cc_pvdz), (Counts{9, 23, 23, 23, 27, 27, 27}));
  EXPECT_EQ(counts(Basis::def2_svp), (Counts{5, 9, 9, 14, 15, 18, 18}));
  EXPECT_EQ(counts(Basis::def2_tzvp), (Counts{6, 14, 19, 31, 32, 32, 37}));
}

TEST(Basis, NamesInAnyCase) {
  EXPECT_EQ(basis_named("DEF2-svp", "k"), Basis::def2_svp);
  EXPECT_EQ(name(basis_named("aug-CC-pvdz", "k")), "aug-cc-pVDZ");
  EXPECT_THROW(basis_named("6-31G*", "k"), InputError);
  EXPECT_THROW(basis_named("", "k"), InputError);
}

}  // namespace
}  // namespace foretile::basis_sets_test
