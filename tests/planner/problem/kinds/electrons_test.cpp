// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/electrons.hpp"

#include <gtest/gtest.h>

namespace foretile::electrons_test {
namespace {

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

}  // namespace
}  // namespace foretile::electrons_test
