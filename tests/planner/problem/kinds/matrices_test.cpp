// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/matrices.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::matrices_test {
namespace {

const std::string kInputs =
    "a_file = \"/d/a.npy\"\na_bytes = 96\na_digest = \"0123456789abcdef\"\n"
    "b_file = \"/d/b.mtx\"\nb_bytes = 16\nb_digest = \"fedcba9876543210\"\n";
const std::string kC = "c_file = \"/d/c.h5:/C\"\nc_bytes = 8\nc_digest = \"00000000000000ff\"\n";
const std::string kSizes = "m_tiles = [2, 2]\nn_tiles = [3, 1]\nk_tiles = [1, 2]\nm = 4\nn = 4\nk = 3\n";

Problem problem(const std::string& keys) {
  return {"p", "kind = \"matrices\"\n" + keys, "p.toml"};
}

std::string message_of(const std::string& keys) {
  try {
    build_contraction(problem(keys));
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Matrices, DenseOnesAreCutAsTheKindDenseIs) {
  const Contraction p = build_contraction(problem("m = 4\nn = 5\nk = 6\ntile = 2\nk_tile = 3\n" + kInputs));
  EXPECT_EQ(p.a.nonzeros(), 2 * 2);
  EXPECT_EQ(p.b.nonzeros(), 2 * 3);
  EXPECT_EQ(p.c.nonzeros(), 2 * 3);
  EXPECT_FALSE(p.reads_c());
  EXPECT_EQ(p.sources, Sources{});
}

// B has tile (1, 0), so C has column 0: both of its tiles, since A is dense.
TEST(Matrices, SparseOnesListTheirTiles) {
  const Contraction p = build_contraction(problem(kSizes + kInputs + "b_tiles = [[1, 0, 2.5]]\n"));
  EXPECT_EQ(p.a.nonzeros(), 4);
  EXPECT_EQ(p.b.norm(0), 2.5F);
  ASSERT_EQ(p.c.nonzeros(), 2);
  EXPECT_FALSE(p.c.contains(0, 1));
}

// The product has (0, 0) and (1, 0); the initial C has (1, 0) and (1, 1).
TEST(Matrices, TilesOfTheInitialCAreComputedToo) {
  const Contraction p = build_contraction(problem(
      "beta = 0.5\n" + kSizes + kInputs + kC + "b_tiles = [[1, 0, 2]]\nc_tiles = [[1, 1, 4], [1, 0, 3]]\n"));
  EXPECT_TRUE(p.reads_c());
  ASSERT_EQ(p.c.nonzeros(), 3);
  EXPECT_FALSE(p.c.contains(0, 1));
  EXPECT_EQ(p.c.norm(*p.c.find(1, 0)), 2.0F + 3.0F);  // |A tile| is 1 unless given
  EXPECT_EQ(p.c.norm(*p.c.find(1, 1)), 4.0F);
  EXPECT_EQ(build_contraction(problem("beta = 1\n" + kSizes + kInputs + kC + "b_tiles = [[1, 0, 2]]\n"))
                .c.nonzeros(),
            4);
}

// The product has (0, 0) and (1, 0); the initial C has (1, 0) and (1, 1): (0, 0) is left out.
TEST(Matrices, CMayKeepItsShape) {
  const std::string keys =
      "beta = 1\nc_shape = \"kept\"\nb_tiles = [[1, 0, 2]]\nc_tiles = [[1, 1, 4], [1, 0, 3]]\n";
  const Contraction p = build_contraction(problem(keys + kSizes + kInputs + kC));
  ASSERT_EQ(p.c.nonzeros(), 2);
  EXPECT_FALSE(p.c.contains(0, 0));
  EXPECT_EQ(p.c.norm(*p.c.find(1, 0)), 2.0F + 3.0F);
}

TEST(Matrices, TheTextIsReadAgain) {
  MatricesParameters p;
  p.indices.m = 4, p.indices.n = 4, p.indices.k = 3;
  p.indices.m_tiles = {2, 2}, p.indices.n_tiles = {3, 1}, p.indices.k_tiles = {1, 2};
  p.a = {"/d \"e\"\\/caf\u00e9.npy", 96, "0123456789abcdef", {}};
  p.b = {"/d/b.mtx", 16, "fedcba9876543210", std::vector<Shape::Entry>{{1, 0, 2.5F}}};
  p.c = MatrixInput{"/d/c.h5:/C", 8, "00000000000000ff", std::vector<Shape::Entry>{}};
  p.window = Matrix::a;
  p.keep_c = true;
  const auto again = matrices_of({"p", matrices_problem_toml(p), "p.toml"});
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->a.place, p.a.place);
  EXPECT_EQ(again->b.digest, p.b.digest);
  EXPECT_EQ(again->b.bytes, 16);
  EXPECT_FALSE(again->a.tiles.has_value());
  ASSERT_TRUE(again->b.tiles && again->c && again->c->tiles);
  EXPECT_EQ(again->b.tiles->size(), 1U);
  EXPECT_TRUE(again->c->tiles->empty());
  EXPECT_EQ(again->window, Matrix::a);
  EXPECT_TRUE(again->keep_c);
  EXPECT_EQ(matrices_problem_toml(*again), matrices_problem_toml(p));
}

TEST(Matrices, AWindowIsReadWhereItIsUsed) {
  const std::string sizes = "m = 4\nn = 5\nk = 6\ntile = 2\n";
  const Contraction of_b = build_contraction(problem(sizes + kInputs + "window = \"B\"\n"));
  EXPECT_FALSE(of_b.is_transposed);
  EXPECT_EQ(of_b.sources, (Sources{Source::given, Source::in_file}));
  const Contraction of_a = build_contraction(problem(sizes + kInputs + "window = \"A\"\n"));
  EXPECT_TRUE(of_a.is_transposed);
  EXPECT_EQ(of_a.sources, (Sources{Source::given, Source::in_file}));
  EXPECT_EQ(of_a.m.extent(), 5);
  EXPECT_EQ(of_a.b_op, Op::transpose);
}

TEST(Matrices, OtherKindsHaveNone) {
  EXPECT_FALSE(matrices_of({"d", "kind = \"dense\"\nm = 1\nn = 1\nk = 1\ntile = 1\n", ""}).has_value());
}

TEST(Matrices, ErrorsNameTheKey) {
  ASSERT_EQ(message_of(kSizes + kInputs), "no error");
  EXPECT_EQ(message_of(kSizes + kInputs + "tile = 2\nb_tiles = [[1, 0]]\n"),
            "p.toml:14: key 'tile': found a size of tiles beside b_tiles, expected m_tiles, n_tiles and "
            "k_tiles; write "
            "the problem again with other tiles: `foretile problem matrices`");
  for (const auto& [keys, part] :
       {std::pair<std::string, std::string>{kSizes, "a_file"},
        {kSizes + kInputs + kC, "p.toml:14: key 'c_file': found a file of C that is not read"},
        {"beta = 1\n" + kSizes + kInputs, "p.toml:2: key 'beta': found an initial C without a file"},
        {kSizes + kInputs + "b_tiles = [[2, 0]]\n", "key 'b_tiles': found tile 2"},
        {kSizes + kInputs + "b_tiles = [[1, 0], [1, 0]]\n", "key 'b_tiles'"},
        {kSizes + kInputs + "b_tiles = [[1, 0, nan]]\n", "key 'b_tiles': found norm nan"},
        {"m = 4\nn = 4\nk = 3\n" + kInputs + "a_tiles = []\n", "key 'tile'"},
        {kSizes + kInputs + "c_shape = \"kept\"\n", "key 'c_shape': found \"kept\" without an initial C"},
        {kSizes + kInputs + "c_shape = \"old\"\n", "key 'c_shape': found \"old\""},
        {kSizes + kInputs + "window = \"C\"\n", "key 'window': found \"C\", expected \"A\" or \"B\""},
        {kSizes + kInputs + "window = \"A\"\nb_source = \"made\"\n", "key 'b_source': found"},
        {kSizes + kInputs + "window = \"A\"\ncomplex = true\nb_op = \"C\"\n",
         "key 'window': found A beside a conjugate transpose"},
        {kSizes + kInputs + "seed = 1\n", "unknown key \"seed\""},
        {kSizes + "a_file = \"a\"\n" + kInputs.substr(kInputs.find('\n')), "key 'a_file': found \"a\""},
        {kSizes + "a_file = \"a.npy\"\na_bytes = -1\n", "key 'a_bytes': found -1"},
        {kSizes + "a_file = \"a.npy\"\na_bytes = 1\na_digest = \"xyz\"\n",
         "key 'a_digest': found \"xyz\""}}) {
    EXPECT_NE(message_of(keys).find(part), std::string::npos) << message_of(keys) << "\n" << part;
  }
}

}  // namespace
}  // namespace foretile::matrices_test
