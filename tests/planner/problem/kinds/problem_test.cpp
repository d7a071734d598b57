// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/problem.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::problem_test {
namespace {

std::string message_of(const std::string& toml) {
  try {
    build_contraction({"p", toml, "p.toml"});
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Problem, DenseIsCutAsAsked) {
  const Contraction c = build_contraction(
      {"p", "kind = \"dense\"\nm = 10\nn = 6\nk = 8\ntile = 4\nn_tiles = [1, 5]\nseed = 9\n", "p.toml"});
  EXPECT_EQ(c.name, "p");
  EXPECT_EQ(c.m.cuts(), (std::vector<std::int64_t>{0, 4, 8, 10}));
  EXPECT_EQ(c.n.cuts(), (std::vector<std::int64_t>{0, 1, 6}));
  EXPECT_EQ(c.c.nonzeros(), 6);
  EXPECT_EQ(c.seed, 9U);
  EXPECT_DOUBLE_EQ(traits(c).flops, 2.0 * 10 * 6 * 8);
}

TEST(Problem, EveryKindWithSeededNumbersMayAccumulate) {
  const std::string tiles =
      "kind = \"tiles\"\nm_tiles = [2]\nn_tiles = [3]\nk_tiles = [4]\na = [[0, 0]]\nb = [[0, 0]]\n";
  for (const std::string& text : {std::string("kind = \"dense\"\nm = 10\nn = 6\nk = 8\ntile = 4\n"),
                                  std::string("kind = \"random\"\nm = 10\nn = 6\nk = 8\n"), tiles}) {
    EXPECT_FALSE(build_contraction({"p", text, "p.toml"}).reads_c());
    EXPECT_FALSE(build_contraction({"p", text + "accumulate = false\n", "p.toml"}).reads_c());
    EXPECT_TRUE(build_contraction({"p", text + "accumulate = true\n", "p.toml"}).reads_c());
  }
  EXPECT_EQ(message_of(tiles + "accumulate = 1\n"),
            "p.toml:7: key 'accumulate': found 1, expected true or false");
}

TEST(Problem, EveryKindMayBeInSinglePrecision) {
  const std::string dense = "kind = \"dense\"\nm = 10\nn = 6\nk = 8\ntile = 4\n";
  const std::string methane =
      "kind = \"molecule\"\nbasis = \"def2-SVP\"\nocc_clusters = 1\nao_clusters = 1\nxyz = '''\n5\n\nC 0 0 "
      "0\n"
      "H 0.63 0.63 0.63\nH -0.63 -0.63 0.63\nH -0.63 0.63 -0.63\nH 0.63 -0.63 -0.63\n'''\n";
  const std::string tiles =
      "kind = \"tiles\"\nm_tiles = [2]\nn_tiles = [3]\nk_tiles = [4]\na = [[0, 0]]\nb = [[0, 0]]\n";
  for (const std::string& text :
       {dense, std::string("kind = \"random\"\nm = 10\nn = 6\nk = 8\n"), methane, tiles}) {
    const Contraction standard = build_contraction({"p", text, "p.toml"});
    const Contraction twofold = build_contraction({"p", text + "precision = \"double\"\n", "p.toml"});
    const Contraction single = build_contraction({"p", text + "precision = \"single\"\n", "p.toml"});
    EXPECT_EQ(standard.precision, Precision::f64);
    EXPECT_EQ(twofold.precision, Precision::f64);
    EXPECT_EQ(single.precision, Precision::f32);
    EXPECT_EQ(2 * single.c_bytes(0), standard.c_bytes(0));
  }
  for (const auto& [value, found] : {std::pair("\"half\"", "\"half\""), std::pair("\"\"", "\"\""),
                                     std::pair("\"Single\"", "\"Single\"")}) {
    EXPECT_EQ(
        message_of(dense + "precision = " + value + "\n"),
        std::string("p.toml:6: key 'precision': found ") + found + ", expected \"double\" or \"single\"");
  }
  EXPECT_EQ(message_of(dense + "precision = 4\n").substr(0, 41), "p.toml:6: key 'precision': found 4, expec");
}

TEST(Problem, EveryKindSaysWhereItsMatricesComeFrom) {
  const std::string dense = "kind = \"dense\"\nm = 10\nn = 6\nk = 8\ntile = 4\n";
  const std::string random = "kind = \"random\"\nm = 10\nn = 6\nk = 8\n";
  const std::string hydrogen =
      "kind = \"molecule\"\nbasis = \"def2-SVP\"\nocc_clusters = 1\nao_clusters = 1\nxyz = '''\n2\n\nH 0 0 "
      "0\n"
      "H 0 0 0.74\n'''\n";
  const std::string tiles =
      "kind = \"tiles\"\nm_tiles = [2]\nn_tiles = [3]\nk_tiles = [4]\na = [[0, 0]]\nb = [[0, 0]]\n";
  const auto sources = [](const std::string& text) {
    return build_contraction({"p", text, "p.toml"}).sources;
  };
  const Sources both_given{Source::given, Source::given};
  const Sources b_generated{Source::given, Source::generated};
  const Sources both_generated{Source::generated, Source::generated};
  for (const auto& [text, of_kind] :
       {std::pair(dense, both_given), {tiles, both_given}, {random, b_generated}, {hydrogen, b_generated}}) {
    EXPECT_EQ(sources(text), of_kind) << text;
    EXPECT_EQ(sources(text + "b_source = \"generated\"\n"), b_generated) << text;
    EXPECT_EQ(sources(text + "b_source = \"given\"\n"), both_given) << text;
    EXPECT_EQ(sources(text + "a_source = \"made\"\nb_source = \"made\"\n"), both_generated)
        << text;  // its former name
  }
  EXPECT_EQ(message_of(dense + "b_source = \"computed\"\n"),
            "p.toml:6: key 'b_source': found \"computed\", expected \"given\" or \"generated\"");
  EXPECT_EQ(message_of(dense + "a_source = true\n").substr(0, 41),
            "p.toml:6: key 'a_source': found true, exp");
}

TEST(Problem, ErrorsNameFileLineAndKey) {
  EXPECT_EQ(message_of("kind = \"dense\"\nm = 10\nn = 0\nk = 8\ntile = 4\n"),
            "p.toml:3: key 'n': found 0, expected an integer from 1 to 1000000000000000");
  EXPECT_EQ(message_of("kind = \"dense\"\nm = 10\nn = 2\nk = 8\ntile = 4\ntiles = 4\n").substr(0, 64),
            "p.toml:6: unknown key \"tiles\"; did you mean \"tile\"? Known keys: ");
  EXPECT_EQ(message_of("kind = \"dense\"\nm = 10\nn = 2\nk = 8\n"),
            "p.toml:1: key 'tile': found no such key, expected a value; add it");
  EXPECT_EQ(
      message_of("kind = \"dense\"\nm = 10\nm_tiles = [4, 4]\nn = 2\nk = 8\ntile = 4\n"),
      "p.toml:3: key 'm_tiles': found sizes that add up to 8, expected 10; make the sizes add up to the "
      "extent");
  EXPECT_EQ(message_of("kind = \"dens\"\n"),
            "p.toml:1: key 'kind': found \"dens\", expected \"dense\", \"random\", \"molecule\", \"tiles\", "
            "\"matrices\" or \"tensor\"");
  EXPECT_EQ(message_of("kind = \"random\"\nm = 10\nn = 2\nk = 8\na_density = -0.1\n"),
            "p.toml:5: key 'a_density': found -0.1, expected a number from 1e-09 to 1");
  EXPECT_EQ(message_of("kind = \"random\"\nm = 10\nn = 2\nk = 8\na_density = nan\n"),
            "p.toml:5: key 'a_density': found nan, expected a number from 1e-09 to 1");
  EXPECT_EQ(message_of("kind = \"dense\"\nm = = 3\n").substr(0, 18), "p.toml:2: not TOML");
}

TEST(Problem, RefusesMoreTilesThanMemoryHolds) {
  EXPECT_NE(message_of("kind = \"dense\"\nm = 1000000000000000\nn = 3000000000\nk = 1\ntile = 1\n")
                .find("take larger tiles"),
            std::string::npos);
  EXPECT_NE(
      message_of("kind = \"dense\"\nm = 100000\nn = 100000\nk = 1\ntile = 10\n").find("take larger tiles"),
      std::string::npos);
}

TEST(Problem, TakesExtentsUpToTheLargest) {
  const auto with_rows = [](const std::string& m) {
    return message_of("kind = \"dense\"\nm = " + m + "\nn = 1\nk = 3\ntile = 2147483647\n");
  };
  EXPECT_EQ(with_rows("1000000000000000"), "no error");
  EXPECT_EQ(with_rows("1000000000000001"),
            "p.toml:2: key 'm': found 1000000000000001, expected an integer from 1 to 1000000000000000");
}

/// A tile alone has 2^62 elements; 2^60 bytes are 379,625,062 squared doubles.
TEST(Problem, RefusesMoreBytesThanAreCounted) {
  const auto square = [](const std::string& extent) {
    return message_of("kind = \"dense\"\nm = " + extent + "\nk = " + extent + "\nn = 1\ntile = " + extent +
                      "\n");
  };
  EXPECT_EQ(square("2147483647"),
            "p.toml: problem: found 36.9 EB in the tiles of A, expected at most "
            "1152921504606846976 bytes (1.15 EB); take smaller extents");
  EXPECT_EQ(square("379625062"), "no error");
  EXPECT_NE(square("379625063"), "no error");
}

// Letters that toml++ 3.3 does not survive: outside text, and where an array's element should start.
TEST(Problem, RefusesLettersBeyondAscii) {
  EXPECT_EQ(message_of("\xc3\xa9 = 1\n").substr(0, 18), "p.toml:1: not TOML");
  EXPECT_EQ(message_of("kind = \"dense\"\nm_tiles = [\xe2\x80\xa8]\n").substr(0, 18), "p.toml:2: not TOML");
  EXPECT_EQ(message_of("\xef\xbb\xbfkind = \"dense\" # caf\xc3\xa9\nm = 1\nn = 1\nk = 1\ntile = 1\n"),
            "no error");
}

// 2000 x 2000 x 2000 tiles: each matrix has 4 million tiles, but there are 8e9 products.
TEST(Problem, RefusesMoreProductsThanCanBePlanned) {
  EXPECT_NE(
      message_of("kind = \"dense\"\nm = 1010\nn = 1010\nk = 1010\ntile = 1\n").find("more products of tiles"),
      std::string::npos);
}

TEST(Problem, UnknownNamesAreErrors) {
  try {
    load_problem("no-such-example");
    ADD_FAILURE() << "no error";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("c12, c65-v1"), std::string::npos) << e.what();
  }
  EXPECT_THROW(load_problem("/"), InputError);
  EXPECT_THROW(load_problem(""), InputError);
}

}  // namespace
}  // namespace foretile::problem_test
