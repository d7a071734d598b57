// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_market.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"

namespace foretile::matrix_market_test {
namespace {

using Complex = std::complex<double>;
using Entries = std::vector<MatrixEntry>;

MarketMatrix parse(const std::string& format, const std::string& rest) {
  return parse_matrix_market("%%MatrixMarket matrix " + format + "\n" + rest, "a.mtx");
}

std::string message_of(const std::string& text) {
  try {
    parse_matrix_market(text, "a.mtx");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(MatrixMarket, ReadsBothHalvesOfASymmetricMatrix) {
  const auto m = parse("coordinate REAL symmetric", "% note\n\n3 3 2\n1 1 -2.0\n3 1 0.5\n");
  EXPECT_FALSE(m.is_complex);
  EXPECT_EQ(m.entries, (Entries{{0, 0, -2.0}, {2, 0, 0.5}, {0, 2, 0.5}}));
}

TEST(MatrixMarket, MirrorsSkewAndHermitianElements) {
  EXPECT_EQ(parse("coordinate integer skew-symmetric", "2 2 1\n2 1 3\n").entries,
            (Entries{{1, 0, 3.0}, {0, 1, -3.0}}));
  const auto m = parse("coordinate complex hermitian", "2 2 2\n2 1 3 4\n2 2 5 0\n");
  EXPECT_TRUE(m.is_complex);
  EXPECT_EQ(m.entries, (Entries{{1, 0, Complex(3, 4)}, {0, 1, Complex(3, -4)}, {1, 1, 5.0}}));
}

TEST(MatrixMarket, SortsByColumnAndRow) {
  EXPECT_EQ(parse("coordinate pattern general", "2 3 3\n2 3\n1 3\n2 1\n").entries,
            (Entries{{1, 0, 1.0}, {0, 2, 1.0}, {1, 2, 1.0}}));
}

// The array format is column by column: (1, 1), (2, 1), (1, 2), (2, 2).
TEST(MatrixMarket, ReadsArrays) {
  const auto m = parse("array real general", "2 2\n1\n2\n3\n4\n");
  EXPECT_TRUE(m.is_array);
  EXPECT_EQ(m.entries, (Entries{{0, 0, 1.0}, {1, 0, 2.0}, {0, 1, 3.0}, {1, 1, 4.0}}));
  EXPECT_EQ(parse("array complex hermitian", "2 2\n1 0\n2 5\n4 0\n").entries,
            (Entries{{0, 0, 1.0}, {1, 0, Complex(2, 5)}, {0, 1, Complex(2, -5)}, {1, 1, 4.0}}));
  EXPECT_EQ(parse("array real skew-symmetric", "2 2\n7\n").entries,
            (Entries{{0, 0, 0.0}, {1, 0, 7.0}, {0, 1, -7.0}, {1, 1, 0.0}}));
}

TEST(MatrixMarket, KeepsWhatIsNoFiniteNumber) {
  const auto m = parse("coordinate real general", "1 2 2\n1 1 nan\n1 2 -inf\n");
  EXPECT_TRUE(std::isnan(m.entries[0].value.real()));
  EXPECT_TRUE(std::isinf(m.entries[1].value.real()));
}

TEST(MatrixMarket, ErrorsNameTheLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(message_of(head + "% c\n2 2 1\n3 1 1\n"), "a.mtx:4: found '3', expected an integer from 1 to 2");
  EXPECT_EQ(message_of(head + "2 2 1\n1 1 x\n"), "a.mtx:3: found 'x', expected a number");
  EXPECT_EQ(message_of(head + "2 2 2\n1 1 1\n"),
            "a.mtx:2: found 2 entries announced and 1 there, expected as many; is the file whole?");
  EXPECT_EQ(message_of(head + "2 2 1\n1 1\n"), "a.mtx:3: found 2 words, expected row, column and 1 numbers");
  EXPECT_EQ(message_of(head + "2 2 2\n2 1 1\n2 1 4\n").substr(0, 30), "a.mtx: found element (2, 1) tw");
}

TEST(MatrixMarket, RefusesWhatTheFormatDoesNotHave) {
  const std::string coordinate = "%%MatrixMarket matrix coordinate ", array = "%%MatrixMarket matrix array ";
  for (const std::string& text : {std::string(),
                                  std::string("2 2 0\n2 2 0\n"),
                                  array + "real general\n2 2\n",
                                  array + "real general\n2 2\n1\n",
                                  array + "real general\n1 1\n1\n2\n",
                                  array + "real general\n1 1 1\n1\n",
                                  array + "pattern general\n1 1\n\n",
                                  array + "real general\n4000000000 4000000000\n1\n",
                                  array + "real general\n1000000000000001 1\n1\n",
                                  coordinate + "real symmetric\n2 3 0\n",
                                  coordinate + "real symmetric\n2 2 2\n2 1 1\n1 2 1\n",
                                  coordinate + "real hermitian\n1 1 0\n",
                                  coordinate + "pattern skew-symmetric\n1 1 0\n",
                                  coordinate + "real skew-symmetric\n1 1 1\n1 1 5\n",
                                  coordinate + "complex hermitian\n1 1 1\n1 1 5 1\n",
                                  coordinate + "real general\n2 2 9223372036854775807\n1 1 1\n",
                                  coordinate + "real general\n2 2 99999999999999999999\n1 1 1\n",
                                  coordinate + "real general\n0 2 0\n",
                                  coordinate + "real general\n2 2 -1\n",
                                  coordinate + "real general\n2 2 1\n1.5 1 1\n"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(message_of(text), "no error");
  }
}

}  // namespace
}  // namespace foretile::matrix_market_test
