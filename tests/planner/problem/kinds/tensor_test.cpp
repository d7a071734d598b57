// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/tensor.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include "base/error.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "planner/problem/kinds/table_reader.hpp"

namespace foretile::tensor_test {
namespace {

const std::string kHead = "kind = \"tensor\"\nterm = \"R[a,b|i,j] += 0.5 V[a,b|c,d] T[c,d|i,j]\"\n";
const std::string kIndices =
    "[[index]]\nletters = \"abcd\"\nextent = 7\ntiles = 2\n[[index]]\nletters = \"ij\"\nsizes = [2, 3]\n";

std::string refusal(const std::string& text) {
  try {
    build_contraction({"t", text, "t.toml"});
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing refused";
}

TEST(Tensor, IsFused) {
  const Contraction p = build_contraction({"t", kHead + kIndices, "t.toml"});
  EXPECT_EQ(p.m.cuts(), (std::vector<std::int64_t>{0, 9, 21, 33, 49}));
  EXPECT_EQ(p.n.cuts(), (std::vector<std::int64_t>{0, 4, 10, 16, 25}));
  EXPECT_EQ(p.k.extent(), 49);
  EXPECT_EQ(p.alpha, 0.5);
  EXPECT_EQ(p.beta, 1.0);
  EXPECT_EQ(traits(p).gemms, 4 * 4 * 4);
  EXPECT_DOUBLE_EQ(traits(p).flops, 2.0 * 49 * 25 * 49);
}

/// Pairs of two tiles of 3 and 4 in order are three, and so are those of a and b, c and d, i and j.
TEST(Tensor, StoresAntisymmetricTilesOnce) {
  const std::string groups =
      "[[operand]]\nname = \"V\"\nantisymmetric = [\"ab\", \"cd\"]\n[[operand]]\nname = \"T\"\nantisymmetric "
      "= "
      "[\"cd\", \"ij\"]\n";
  const Problem problem{"t", kHead + kIndices + groups, "t.toml"};
  EXPECT_EQ(traits(build_contraction(problem)).gemms, 27);
  const TensorFusion fusion = *fusion_of(problem);
  EXPECT_EQ(fusion.blocks, (std::array<std::int64_t, 2>{9, 9}));
  EXPECT_EQ(fusion.permuted, (std::array<double, 3>{0, 0, 0}));
  // Only V: T has all nine tiles, and all sums over c and d are done.
  const Problem half{"t", kHead + kIndices + groups.substr(0, groups.rfind("[[operand]]")), "t.toml"};
  EXPECT_EQ(traits(build_contraction(half)).gemms, 3 * 4 * 4);
}

/// a before b comes from V, i before j from T; of V with a and c exchanged all tiles but those of equal order
/// are in another order.
TEST(Tensor, SaysWhatIsPermuted) {
  const std::string head = "kind = \"tensor\"\nterm = \"R[a,b|i,j] = V[a,c|i,k] W[k,b|c,j]\"\n";
  const std::string indices =
      "[[index]]\nletters = \"abc\"\nextent = 6\ntile = 2\n[[index]]\nletters = \"ijk\"\nextent = 4\ntile = "
      "2\n";
  const TensorFusion fusion = *fusion_of({"t", head + indices, "t.toml"});
  EXPECT_EQ(fusion.fusion.permuted(), 3U);
  EXPECT_EQ(fusion.permuted, fusion.elements);
  EXPECT_EQ(fusion.elements, (std::array<double, 3>{576, 576, 576}));
}

/// One tile of each spin: as counted by hand in TermCounts.OfAntisymmetricPairsByHand.
TEST(Tensor, ConservesSpin) {
  const std::string text =
      kHead +
      "closed_shell = true\n[[index]]\nletters = \"abcd\"\nextent = 3\ntiles = 1\nspin = true\n[[index]]\n"
      "letters = \"ij\"\nextent = 2\ntiles = 1\nspin = true\n[[operand]]\nname = \"V\"\nantisymmetric = "
      "[\"ab\", \"cd\"]\n[[operand]]\nname = \"T\"\nantisymmetric = [\"cd\", \"ij\"]\n";
  const Traits found = traits(build_contraction({"t", text, "t.toml"}));
  EXPECT_EQ(found.gemms, 2);
  EXPECT_DOUBLE_EQ(found.flops, 2 * 2.0 * 9 * 4 * 9);
}

TEST(Tensor, KeepsAShareOfTheBlocks) {
  const std::string text = kHead + kIndices + "[[operand]]\nname = \"V\"\ndensity = 0.5\n";
  const Contraction p = build_contraction({"t", text, "t.toml"});
  const Traits t = traits(p);
  EXPECT_GE(t.a_density, 0.5);
  EXPECT_LT(t.a_density, 0.5 + 256.0 / 2401);  // the largest tile
  EXPECT_EQ(build_contraction({"t", text, "t.toml"}).a.nonzeros(), p.a.nonzeros());
}

TEST(Tensor, HasTheBlocksThatAreListed) {
  const Contraction p = build_contraction(
      {"t", kHead + kIndices + "[[operand]]\nname = \"V\"\nblocks = [[0, 0, 1, 1, 0.25], [1, 1, 0, 0]]\n",
       "t.toml"});
  EXPECT_EQ(p.a.nonzeros(), 2);
  EXPECT_EQ(p.a.norm(0), 0.25F);
  EXPECT_EQ(p.sources, (Sources{Source::given, Source::given}));
}

TEST(Tensor, OneThatIsMadeIsB) {
  const std::string head = "kind = \"tensor\"\nterm = \"R[i,j|a,b] = V[a,b|c,d] T[c,d|i,j]\"\n";
  const Contraction p =
      build_contraction({"t", head + kIndices + "[[operand]]\nname = \"T\"\nmade = true\n", "t.toml"});
  EXPECT_EQ(p.sources, (Sources{Source::given, Source::generated}));
  EXPECT_EQ(p.beta, 0.0);
}

TEST(Tensor, IsReadAsItIsWritten) {
  TensorParameters p;
  p.term = "R[a|i] = 2 V[a|c] T[c|i]";
  p.indices = {{"ac", 8, 0, 0, {}, true, {1, 1}}, {"i", 0, 0, 0, {2, 2}, true, {0, 1}}};
  p.operands = {{"V", {}, 0.5, {}, true}, {"T", {}, 1, {{{0, 0, 2}}}, false}};
  p.tile = 4;
  p.c_threshold = 0.5;
  p.seed = 9;
  const std::string text = tensor_problem_toml(p);
  const toml::table parsed = toml::parse(text);
  TableReader table(parsed, "t.toml");
  table.note("kind");
  EXPECT_EQ(tensor_problem_toml(read_tensor(table)), text);
}

TEST(Tensor, IsCutAnew) {
  const std::string text =
      kHead +
      "tile = 3\n[[index]]\nletters = \"abcd\"\nextent = 7\n[[index]]\nletters = \"ij\"\nextent = 4\n";
  const Problem problem{"t", text, "t.toml"};
  EXPECT_EQ(build_contraction(problem).m.tiles(), 9);
  EXPECT_EQ(build_contraction(retile(problem, {{"tile", "7"}})).m.tiles(), 1);
}

TEST(Tensor, SaysWhatIsWrong) {
  EXPECT_EQ(
      refusal(kHead + "[[index]]\nletters = \"abcd\"\nextent = 7\ntiles = 2\n"),
      "t.toml: term: found index i, of which nothing is known, expected a letter of a, b, c, d; give its "
      "extent and tiles");
  EXPECT_EQ(
      refusal(kHead + "alpha = 2\n" + kIndices),
      "t.toml:3: key 'alpha': found 2, expected no such key in a problem of tensors; say it in the term: "
      "+=, a factor; generated in [[operand]]");
  EXPECT_EQ(
      refusal(kHead + kIndices + "extents = 3\n"),
      "t.toml:10: unknown key \"extents\"; did you mean \"extent\"? Known keys: extent, irreps, letters, "
      "sizes, spin, tile, tiles");
  EXPECT_EQ(refusal(kHead + kIndices + "[[operand]]\nname = \"R\"\n"),
            "t.toml: operand R: found a tensor that the term does not multiply, expected V or T");
  EXPECT_EQ(refusal(kHead + kIndices + "[[operand]]\nname = \"V\"\nantisymmetric = [\"ai\"]\n"),
            "t.toml: operand V: found index i, which it does not have, expected indices of the tensor");
  EXPECT_EQ(
      refusal(kHead + kIndices + "[[operand]]\nname = \"T\"\nantisymmetric = [\"ci\"]\n"),
      "t.toml: operand T: found an antisymmetric group of indices with different tiles, expected indices "
      "of one space; say their extents and tiles together");
  EXPECT_EQ(refusal(kHead + kIndices + "[[operand]]\nname = \"V\"\nblocks = [[0, 0, 1, 2]]\n"),
            "t.toml: operand V, blocks: found tile 2, expected 0 to 1");
  EXPECT_EQ(
      refusal(kHead + kIndices + "[[operand]]\nname = \"V\"\nblocks = [[0, 0, 1, 1], [0, 0, 1, 1]]\n"),
      "t.toml: operand V, blocks: found block [0, 0, 1, 1] twice, expected each block once, in one order "
      "of its antisymmetric indices");
  EXPECT_EQ(
      refusal(kHead + "closed_shell = true\n" + kIndices),
      "t.toml: closed_shell: found indices without spins, expected spins of all indices; say spin of each "
      "index");
  EXPECT_EQ(
      refusal(kHead + "tile = 3\n" + kIndices),
      "t.toml: tile: found a size beside rules for all indices, expected an index without a rule of its "
      "own; leave it out");
  EXPECT_EQ(refusal("kind = \"tensor\"\nterm = \"R[a,b] = V[a,c] T[c,b]\"\nindex = 3\n"),
            "t.toml:3: key 'index': found no list of tables, expected tables that begin with [[index]]");
  EXPECT_EQ(refusal("kind = \"tensor\"\nterm = \"R[a = V\"\n"),
            "t.toml:2: key 'term', column 5: found =, expected an index: a letter, and digits behind it");
}

/// 100320^3 elements along K, which are added up tile by tile.
TEST(Tensor, HasNoMoreElementsAlongAnIndexThanAMatrix) {
  EXPECT_EQ(refusal("kind = \"tensor\"\nterm = \"R[a,b] = V[a,c,d,e] T[c,d,e,b]\"\ntile = 1254\n[[index]]\n"
                    "letters = \"ab\"\nextent = 1\n[[index]]\nletters = \"cde\"\nextent = 100320\n"),
            "t.toml: problem: found 1000001793850488 elements along M, N or K, expected at most "
            "1000000000000000; take smaller extents");
}

TEST(Tensor, SpinsBelongToHalves) {
  const auto with = [](const std::string& term) {
    return "kind = \"tensor\"\nterm = \"" + term +
           "\"\n[[index]]\nletters = \"abc\"\nextent = 2\ntiles = 1\nspin = true\n";
  };
  EXPECT_EQ(refusal(with("R[a,b] = V[a,c] T[c,b]")), "nothing refused");
  EXPECT_EQ(refusal(with("R[a,b] = V[a,c] T[b,c]")),
            "t.toml: term: found b in different halves, expected it in the same half of T and R");
  EXPECT_EQ(
      refusal(with("R[a|b] = V[a,c|] T[c|b]")),
      "t.toml: term: found c summed over the same half of both, expected an upper index of one operand and "
      "a lower one of the other; change the places of the two halves of an operand");
}

}  // namespace
}  // namespace foretile::tensor_test
