// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/geometry.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::geometry_test {
namespace {

std::string message_of(const std::string& xyz) {
  try {
    parse_xyz(xyz, "m.xyz");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Xyz, ReadsAtomsWhateverTheSpacing) {
  const auto atoms = parse_xyz("2\nhydroxyl\r\n  O 0 +1.5 -2e-1 0.3\r\n\tH\t0 0 1\n\n", "m.xyz");
  ASSERT_EQ(atoms.size(), 2U);
  EXPECT_EQ(symbol(atoms[0].element), "O");
  EXPECT_DOUBLE_EQ(atoms[0].position.y, 1.5);
  EXPECT_DOUBLE_EQ(atoms[0].position.z, -0.2);
  EXPECT_DOUBLE_EQ(distance({0, 0, 0}, {2, 3, 6}), 7.0);
}

TEST(Xyz, ReadsElementsUpToKrypton) {
  const auto atoms = parse_xyz("3\n\nK 0 0 0\nFe 0 0 2\nKr 0 0 4\n", "m.xyz");
  EXPECT_EQ(atomic_number(atoms[0].element), 19);
  EXPECT_EQ(atomic_number(atoms[1].element), 26);
  EXPECT_EQ(atomic_number(atoms[2].element), 36);
  EXPECT_EQ(symbol(Element::As), "As");
}

TEST(Xyz, ErrorsNameTheLine) {
  EXPECT_EQ(message_of("1\n\nC 0 zero 0\n"),
            "m.xyz:3: XYZ: found coordinate 'zero', expected a number in angstrom");
  EXPECT_EQ(message_of("1\n\nC 0 nan 0\n"),
            "m.xyz:3: XYZ: found coordinate 'nan', expected a number in angstrom");
  EXPECT_EQ(message_of("1\n\nXe 0 0 0\n"),
            "m.xyz:3: XYZ: found element 'Xe', expected one of H to Kr, as Cl, not CL");
  EXPECT_EQ(message_of("2\n\nC 0 0 0\nC 0 0\n"),
            "m.xyz:4: XYZ: found 'C 0 0', expected \"SYMBOL X Y Z\", coordinates in angstrom");
  EXPECT_EQ(
      message_of("2\n\nC 0 0 0\nC 0 0 0.01\n"),
      "m.xyz:4: XYZ: found an atom within 0.1 angstrom of atom 1, expected atoms apart from each other");
  EXPECT_EQ(
      message_of("3\n\nC 0 0 0\n"),
      "m.xyz:1: XYZ: found 3 atoms announced and 1 lines after the comment, expected one line for each atom");
}

TEST(Xyz, RefusesTextThatIsNoXyz) {
  for (const std::string text :
       {"", "\n", "C 0 0 0\n", "0\n\n", "-1\n\n", "1", "99999999999999999999\n\n", "1 2\n\nH 0 0 0\n"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(message_of(text), "no error");
  }
}

}  // namespace
}  // namespace foretile::geometry_test
