// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/tiles.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/matrix_files/matrix_market.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile::tiles_test {
namespace {

const std::string head = "kind = \"tiles\"\nm_tiles = [2]\nn_tiles = [5, 6]\nk_tiles = [3, 4]\n";

std::string message_of(const std::string& toml) {
  try {
    build_contraction({"p", toml, "p.toml"});
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

// The example of contraction_test.cpp: 236 flops in 3 products; a threshold of 0.06 drops C_01.
TEST(Tiles, BuildsWhatIsListed) {
  const std::string shapes = "a = [[0, 0], [0, 1, 0.1]]\nb = [[0, 0], [1, 0], [1, 1, 0.5]]\n";
  const Traits all = traits(build_contraction({"p", head + shapes, "p.toml"}));
  EXPECT_EQ(all.gemms, 3);
  EXPECT_DOUBLE_EQ(all.flops, 236);
  EXPECT_EQ(traits(build_contraction({"p", head + shapes + "c_threshold = 0.06\n", "p.toml"})).gemms, 2);
  EXPECT_EQ(traits(build_contraction({"p", head + shapes + "c = [[0, 1]]\n", "p.toml"})).gemms, 1);
}

TEST(Tiles, WrittenTextGivesTheSameContraction) {
  const auto a =
      parse_matrix_market("%%MatrixMarket matrix coordinate real general\n5 6 2\n1 1 0.3\n5 6 1e-7\n", "a");
  const auto b =
      parse_matrix_market("%%MatrixMarket matrix coordinate pattern general\n6 3 2\n1 3\n6 1\n", "b");
  TilesParameters p = tiles_of_matrices(a, b, 2);
  p.c = std::vector<Shape::Entry>{{0, 1, 1.0F}, {2, 0, 1.0F}};
  p.seed = 3;
  p.accumulate = true;
  const Contraction direct = tiles_contraction(p);
  const Contraction read = build_contraction({"t", tiles_problem_toml(p), "t.toml"});
  EXPECT_EQ(direct.m.cuts(), (std::vector<std::int64_t>{0, 2, 4, 5}));
  EXPECT_EQ(read.m.cuts(), direct.m.cuts());
  ASSERT_EQ(read.c.nonzeros(), 2);
  for (TileId id = 0; id < 2; ++id) {
    EXPECT_EQ(read.a.norm(id), direct.a.norm(id));
    EXPECT_EQ(read.c.norm(id), direct.c.norm(id));
    EXPECT_EQ(read.c.column_of(id), direct.c.column_of(id));
  }
  EXPECT_EQ(read.seed, 3U);
  EXPECT_TRUE(read.reads_c());
  EXPECT_THROW(tiles_of_matrices(a, a, 2), InputError);
  EXPECT_THROW(tiles_of_matrices(a, b, 0), InputError);
}

TEST(Tiles, ErrorsNameLineAndKey) {
  EXPECT_EQ(message_of(head + "a = [[0, 2]]\nb = []\n"), "p.toml:5: key 'a': found tile 2, expected 0 to 1");
  EXPECT_EQ(message_of(head + "a = [[0, 0.5]]\nb = []\n"),
            "p.toml:5: key 'a': found tile 0.5, expected 0 to 1");
  EXPECT_EQ(message_of(head + "a = [[0, 0, -1]]\nb = []\n"),
            "p.toml:5: key 'a': found norm -1, expected a number from 0 up");
  EXPECT_EQ(message_of(head + "a = [[0]]\nb = []\n"),
            "p.toml:5: key 'a': found [ 0 ] in it, expected a list of lists of 2 to 3 numbers");
  EXPECT_EQ(message_of(head + "a = [[0, 0], [0, 0]]\nb = []\n"),
            "p.toml: key 'a': shape: found the tile at row 0, column 0 twice, expected each tile once");
  EXPECT_EQ(message_of(head + "a = []\nb = []\n"), "no error");
}

}  // namespace
}  // namespace foretile::tiles_test
