#include "planner/problem/kinds/matrix_market.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile {
namespace {

std::string message_of(const std::string& text) {
  try {
    parse_matrix_market(text, "a.mtx");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(MatrixMarket, ReadsBothHalvesOfASymmetricMatrix) {
  const auto m = parse_matrix_market(
      "%%MatrixMarket matrix coordinate REAL symmetric\n% note\n\n3 3 2\n1 1 -2.0\n3 1 0.5\n", "a.mtx");
  ASSERT_EQ(m.entries.size(), 3U);
  EXPECT_DOUBLE_EQ(m.entries[0].magnitude, 2.0);
  EXPECT_EQ(m.entries[2].row, 0);
  EXPECT_EQ(m.entries[2].column, 2);
}

// Entries 3 and 4 fall into tile (0, 1) of tiles of 2: norm 5. The pattern's entry counts as 1.
TEST(MatrixMarket, TilesCarryFrobeniusNorms) {
  const auto m =
      parse_matrix_market("%%MatrixMarket matrix coordinate complex general\n3 4 2\n1 3 0 3\n2 4 4 0\n", "a");
  const auto tiles = nonzero_tiles(m, Tiling::uniform(3, 2), Tiling::uniform(4, 2));
  ASSERT_EQ(tiles.size(), 1U);
  EXPECT_EQ(tiles[0].row, 0);
  EXPECT_EQ(tiles[0].column, 1);
  EXPECT_FLOAT_EQ(tiles[0].norm, 5.0F);
  EXPECT_EQ(parse_matrix_market("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", "a")
                .entries[0]
                .magnitude,
            1.0);
}

TEST(MatrixMarket, ErrorsNameTheLine) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(message_of(head + "% c\n2 2 1\n3 1 1\n"), "a.mtx:4: found '3', expected an integer from 1 to 2");
  EXPECT_EQ(message_of(head + "2 2 1\n1 1 x\n"), "a.mtx:3: found 'x', expected a number");
  EXPECT_EQ(message_of(head + "2 2 2\n1 1 1\n"),
            "a.mtx:2: found 2 entries announced and 1 there, expected as many; is the file whole?");
  EXPECT_EQ(message_of(head + "2 2 1\n1 1\n"), "a.mtx:3: found 2 words, expected row, column and 1 numbers");
  for (const std::string text : {"", "%%MatrixMarket matrix array real general\n2 2\n", "2 2 0\n2 2 0\n"}) {
    SCOPED_TRACE(text);
    EXPECT_NE(message_of(text), "no error");
  }
  EXPECT_NE(message_of("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"), "no error");
}

}  // namespace
}  // namespace foretile
