// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/program_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "planner/tensor/program_tensors.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "planner/tensor/term_counts.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::program_text_test {
namespace {

const std::string kHead =
    "space h = occupied\nspace p = virtual # of either spin\ntensor x[p|h]\ntensor v[hp,hp|hp,hp]\nresult "
    "R[p|h]\n";

std::string refusal(const std::string& text) {
  try {
    parse_program(text, "p.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing refused";
}

/// Of a program whose line 6 this is.
std::string refused_term(const std::string& line) {
  return refusal(kHead + line + "\n");
}

/// Like indices of different operands are not exchanged, and nothing has spin: two tiles of 2 orbitals for
/// each of four indices make 16 chains.
TEST(ProgramText, OrbitalsMayBeSpatial) {
  const std::string text =
      "orbitals = spatial\nspace p = virtual\ntensor x[p|p]\nresult R[p,p|p,p]\n"
      "r: R[p1,p2,p3,p4] += 1 x[p1,p3] x[p2,p4]\n";
  const Program program = parse_program(text, "p.txt");
  EXPECT_TRUE(program.spatial);
  EXPECT_EQ(written(program), text);
  const auto tensors = tensors_of(program);
  EXPECT_EQ(tensors[0].rules.groups.size(), 4U);
  EXPECT_FALSE(tensors[0].rules.closed_shell);
  const auto tiles = spin_tiles_of(program, {1, 4, 2});
  EXPECT_EQ(tiles[0].extents, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(count_term(program.terms[0], tiles, "p.txt").chains, 16);
  EXPECT_EQ(size_of(tensors[0], tiles).elements, 256);
  EXPECT_FALSE(parse_program("orbitals = spin\n" + kHead + "a: R[p1,h1] += x[p1,h1]\n", "p.txt").spatial);
  EXPECT_EQ(refusal("orbitals = both\n"), "p.txt, line 1, column 12: found both, expected spatial or spin");
  EXPECT_EQ(refusal("orbitals = spin\norbitals = spatial\n"),
            "p.txt, line 2, column 1: found orbitals again, expected once, as in line 1");
  EXPECT_EQ(refusal("space p = virtual\norbitals = spatial\n"),
            "p.txt, line 2, column 1: found orbitals behind a space, expected it before all others");
}

TEST(ProgramText, IsRead) {
  const Program program =
      parse_program(kHead + "\n# a comment\nfirst: R[p1,h1] += -0.5 x[p2,h2] v[h2,p1,p2,h1]\n", "p.txt");
  ASSERT_EQ(program.spaces.size(), 2U);
  EXPECT_EQ(program.spaces[1].letter, 'p');
  EXPECT_EQ(program.spaces[1].kind, SpaceKind::virtuals);
  ASSERT_EQ(program.tensors.size(), 3U);
  EXPECT_EQ(program.tensors[1].spaces, (std::vector<std::string>{"hp", "hp", "hp", "hp"}));
  EXPECT_EQ(program.tensors[2].role, TensorRole::result);
  ASSERT_EQ(program.terms.size(), 1U);
  const ProgramTerm& term = program.terms[0];
  EXPECT_EQ(parse_program(kHead + "a: R[p1,h1] += x[p1,h1]\n", "p.txt").terms[0].factor, 1);
  EXPECT_EQ(term.name, "first");
  EXPECT_EQ(term.line, 8);
  EXPECT_EQ(term.factor, -0.5);
  ASSERT_TRUE(term.is_product());
  EXPECT_EQ(term.operands[1].tensor, "v");
  EXPECT_EQ(term.operands[1].indices[3].name, "h1");
  EXPECT_EQ(term.operands[1].indices[3].space, 0U);
}

TEST(ProgramText, IsReadAsItIsWritten) {
  const std::string text = written(ccsd_t2());
  EXPECT_EQ(written(parse_program(text, "again")), text);
  EXPECT_NE(text.find("t2_2_2_2_2: D[h10,h11,h1,p5] += -0.5 t1[p6,h1] v[h10,h11,p5,p6]\n"),
            std::string::npos);
}

/// As declarations have it.
TEST(ProgramText, MayPartUpperAndLowerIndices) {
  std::string text = written(ccsd_t2());
  const std::string commas = "t2_2_2_2_2: D[h10,h11,h1,p5] += -0.5 t1[p6,h1] v[h10,h11,p5,p6]";
  const std::size_t at = text.find(commas);
  ASSERT_NE(at, std::string::npos);
  std::string parted = text;
  parted.replace(at, commas.size(), "t2_2_2_2_2: D[h10,h11|h1,p5] += -0.5 t1[p6|h1] v[h10,h11|p5,p6]");
  EXPECT_EQ(written(parse_program(parted, "again")), text);
}

TEST(ProgramText, TheExampleHas41Terms) {
  const Program program = ccsd_t2();
  EXPECT_EQ(program.terms.size(), 41U);
  EXPECT_EQ(std::ranges::count_if(program.terms, &ProgramTerm::is_product), 29);
}

TEST(ProgramText, SaysWhatCannotBeRead) {
  EXPECT_EQ(refused_term("first R[p1,h1] += 1 x[p1,h1]"),
            "p.txt, line 6, column 1: found first, expected orbitals, space, tensor, intermediate, result, "
            "or the name of "
            "a term and "
            "\":\"");
  EXPECT_EQ(refused_term("a: R[p1,h1] = 1 x[p1,h1]"), "p.txt, line 6, column 13: found =, expected \"+=\"");
  for (const char* number : {"1e400", "0x10", "-", "1e", "2x"})
    EXPECT_EQ(
        refused_term(std::string("a: R[p1,h1] += ") + number + " x[p1,h1]"),
        std::string("p.txt, line 6, column 16: found ") + number + ", expected a number, as 1, -0.5 or 1e-3");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 x[p1,h1] x[p1,h1] x[p1,h1]"),
            "p.txt, line 6, column 36: found x, expected the end of the line: two operands at most; others "
            "go through an "
            "intermediate");
  EXPECT_EQ(refused_term("a: R[p1;h1] += 1 x[p1,h1]"),
            "p.txt, line 6, column 8: found ;h1, expected \",\" or \"]\"");
  EXPECT_EQ(refused_term("a: R[p1|h1|h2] += 1 x[p1,h1]"),
            "p.txt, line 6, column 11: found |h2, expected \",\" or \"]\"");
  EXPECT_EQ(refused_term("a: R[p1,h1|] += 1 x[p1,h1]"),
            "p.txt, line 6, column 4: found 2 indices of R, expected as many upper indices as lower ones");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1"),
            "p.txt, line 6, column 17: found the end of the line, expected a tensor, as V[a,b|c,d]");
  EXPECT_EQ(refused_term("a: R[p1,q1] += 1 x[p1,q1]"),
            "p.txt, line 6, column 9: found q1, expected an index that begins with h or p");
  EXPECT_EQ(refused_term("space h = occupied"),
            "p.txt, line 6, column 7: found h, expected a letter that no other space has");
  EXPECT_EQ(refused_term("space q = half"),
            "p.txt, line 6, column 11: found half, expected occupied, virtual or auxiliary");
  EXPECT_EQ(refused_term("tensor y[p,p|h]"),
            "p.txt, line 6, column 14: found 1 lower indices, expected 2, as there are upper ones");
  EXPECT_EQ(refused_term("tensor x[p|h]"),
            "p.txt, line 6, column 8: found x, expected a name that is not declared in line 3");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 y[p1,h1]\ntensor y[p|h]"),
            "p.txt, line 7, column 8: found y, expected its declaration before line 6, which uses it");
  EXPECT_EQ(refused_term("tensor y[hh|p]"), "p.txt, line 6, column 10: found hh, expected each letter once");
  EXPECT_EQ(refused_term("tensor y[h,h,h,h,h|h,h,h,h,h]"),
            "p.txt, line 6, column 8: found 10 indices of y, expected at most 8");
}

const std::string kVectors =
    "orbitals = spatial\nspace i = occupied\nspace a = virtual\nspace x = auxiliary\ntensor b[i,a,x]\n"
    "tensor t[a,a,i,i] pair\ntensor c[a,a,x] symmetric 1 2\nresult E[]\nresult R[a,a,i,i] pair\n";

TEST(ProgramText, TensorsOfSpatialOrbitalsNeedNoHalves) {
  const std::string text =
      kVectors +
      "q: Q[x] += t[a1,a2,i1,i2] N[a1,a2,i1,i2,x]\nn: N[a1,a2,i1,i2,x] += b[i1,a1,x2] "
      "M[a2,i2,x2,x]\nm: M[a1,i1,x1,x] += b[i1,a2,x1] P[a1,a2,x]\n"
      "p: P[a1,a2,x] += c[a1,a2,x]\ne: E[] += 2 Q[x] Q[x]\nr: R[a1,a2,i1,i2] += b[i1,a1,x] b[i2,a2,x]\n";
  const Program program = parse_program(text, "p.txt");
  EXPECT_FALSE(program.halves);
  EXPECT_EQ(program.spaces[2].kind, SpaceKind::auxiliary);
  EXPECT_TRUE(program.tensors[0].mirror.empty());
  EXPECT_EQ(program.tensors[1].mirror, (std::vector<std::size_t>{1, 0, 3, 2}));
  EXPECT_EQ(program.tensors[2].mirror, (std::vector<std::size_t>{1, 0, 2}));
  const std::string again = written(program);
  EXPECT_EQ(written(parse_program(again, "again.txt")), again);
  EXPECT_NE(again.find("tensor t[a,a,i,i] pair\ntensor c[a,a,x] symmetric 1 2\n"), std::string::npos)
      << again;
}

TEST(ProgramText, SaysWhatIsWrongWithVectors) {
  const auto refused = [](const std::string& line) { return refusal(kVectors + line + "\n"); };
  EXPECT_EQ(
      refusal("space x = auxiliary\n"),
      "p.txt, line 1, column 11: found an auxiliary space beside spin orbitals, expected orbitals = spatial "
      "before all spaces");
  EXPECT_EQ(refused("tensor d[a|i]"),
            "p.txt, line 10, column 11: found |i, expected \"]\": tensors have no halves here, as in line 5");
  EXPECT_EQ(refused("tensor d[a,i,x] pair"),
            "p.txt, line 10, column 17: found pair with 3 indices, expected an even number of them");
  EXPECT_EQ(
      refused("tensor d[a,i] pair"),
      "p.txt, line 10, column 15: found indices of a and of i exchanged, expected indices of the same space");
  EXPECT_EQ(refused("tensor d[a,a] symmetric 1 3"),
            "p.txt, line 10, column 27: found no position of an index, expected a number from 1 to 2");
  EXPECT_EQ(refused("tensor d[a,a] symmetric 2 2"),
            "p.txt, line 10, column 15: found one position twice, expected two positions");
  EXPECT_EQ(refused("tensor d[a,a] alike"),
            "p.txt, line 10, column 15: found alike, expected the end of the line");
  EXPECT_EQ(refused("e: E[] += b[i1,a1|x] b[i1,a1,x]"),
            "p.txt, line 10, column 11: found \"|\" in b, expected a tensor without halves, as declared");
  EXPECT_EQ(refusal("space h = occupied\nspace p = virtual\ntensor t[p,p|h,h] pair\n"),
            "p.txt, line 3, column 19: found pair, expected a tensor of spatial orbitals without halves; its "
            "symmetry follows from its halves");
}

const std::string kOnDemand = kVectors +
                              "intermediate X[a,a,a,a] on-demand\nr: R[a1,a2,i1,i2] += X[a1,a2,a3,a4] "
                              "t[a3,a4,i1,i2]\ne: E[] += b[i1,a1,x] b[i1,a1,x]\n";

TEST(ProgramText, IntermediatesMayBeOnDemand) {
  const Program program = parse_program(kOnDemand + "l: X[a1,a2,a3,a4] += c[a1,a3,x] c[a2,a4,x]\n", "p.txt");
  EXPECT_TRUE(program.is_on_demand("X"));
  EXPECT_FALSE(program.is_on_demand("t"));
  EXPECT_EQ(program.tensors.back().role, TensorRole::intermediate);
  const std::string again = written(program);
  EXPECT_EQ(written(parse_program(again, "again.txt")), again);
  EXPECT_NE(again.find("intermediate X[a,a,a,a] on-demand\n"), std::string::npos) << again;
}

TEST(ProgramText, SaysWhatIsWrongWithOnDemand) {
  const std::string l = "l: X[a1,a2,a3,a4] += c[a1,a3,x] c[a2,a4,x]\n";
  EXPECT_EQ(refusal(kOnDemand),
            "p.txt, line 10: found the intermediate X, which no term writes, expected a "
            "term that adds to it");
  EXPECT_EQ(refusal(kOnDemand + l + "m: X[a1,a2,a3,a4] += c[a1,a2,x] c[a3,a4,x]\n"),
            "p.txt, line 14: found X, which is on-demand and written in line 13, expected one product of "
            "stored tensors that writes X; leave its on-demand out");
  EXPECT_EQ(
      refusal(kOnDemand + "l: X[a1,a2,a3,a4] += Y[a1,a2,a3,a4]\ny: Y[a1,a2,a3,a4] += c[a1,a3,x] "
                          "c[a2,a4,x]\n"),
      "p.txt, line 13: found a copy to X, which is on-demand, expected one product of stored tensors that "
      "writes X; leave its on-demand out");
  EXPECT_EQ(
      refusal(kOnDemand + "intermediate Y[a,a] on-demand\ny: Y[a1,a2] += c[a1,a3,x] c[a3,a2,x]\nl: "
                          "X[a1,a2,a3,a4] += Y[a1,a3] Y[a2,a4]\n"),
      "p.txt, line 15: found X made from Y, both on-demand, expected one product of stored tensors that "
      "writes X; leave its on-demand out");
  EXPECT_EQ(
      refusal(kVectors + "tensor d[a,a] on-demand\n"),
      "p.txt, line 10, column 15: found on-demand behind a tensor, expected it behind an intermediate; use "
      "the option --on-demand");
  EXPECT_EQ(refusal(kVectors + "result d[a,a] on-demand\n"),
            "p.txt, line 10, column 15: found on-demand behind a result, expected it behind an intermediate; "
            "leave it out");
  EXPECT_EQ(
      refusal(kVectors + "intermediate d[a,a] symmetric 1 2\n"),
      "p.txt, line 10, column 21: found symmetric, expected a tensor or a result before it; leave it out: "
      "the symmetry of an intermediate follows from its terms");
}

TEST(ProgramText, SaysWhichIndexIsWrong) {
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 x[p1,h1] x[p2,h1]"),
            "p.txt, line 6, column 9: found h1 in the result and in 2 operands, expected it in one operand; "
            "sum over it, or "
            "name it otherwise in one of them");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 x[p1,h2]"),
            "p.txt, line 6, column 9: found h1 in the result and in 0 operands, expected it in one operand; "
            "sum over it, or "
            "name it otherwise in one of them");
  EXPECT_EQ(
      refused_term("a: R[p1,h1] += 1 x[p1,h1] x[p2,h2]"),
      "p.txt, line 6, column 29: found p2 in x alone, expected it in the result or in the other operand");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 v[p1,p2,p2,h1]"),
            "p.txt, line 6, column 26: found p2 again, expected each index once in a tensor");
  EXPECT_EQ(refused_term("a: A[p1,p2] += 1 x[p1,p2]"),
            "p.txt, line 6, column 23: found p2, expected an index of h there, as in line 3");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 x[h1,p1]"),
            "p.txt, line 6, column 6: found p1 as an upper index, expected a lower one, as in x");
  EXPECT_EQ(refused_term("a: A[p1,h1] += 1 x[p1,h2] v[h3,p2,h1,h2]"),
            "p.txt, line 6, column 23: found h2 as a lower index of both operands, expected a sum over an "
            "upper and a lower index");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 v[p1,h1]"),
            "p.txt, line 6, column 18: found 2 indices of v, expected 4, as in line 4");
  EXPECT_EQ(refused_term("a: N[p1,p2,p3,p4,p5,p6,p7,p8,p9,p10] += 1 v[p1,p2,p3,p4]"),
            "p.txt, line 6, column 4: found 10 indices of N, expected at most 8");
  EXPECT_EQ(refused_term("a: R[p1,h1,p2] += 1 v[p1,h1,p2]"),
            "p.txt, line 6, column 4: found 3 indices of R, expected as many upper indices as lower ones");
}

TEST(ProgramText, SaysWhatDoesNotFitTogether) {
  EXPECT_EQ(refusal(kHead), "p.txt: found no term, expected a program; see docs/programs.md");
  EXPECT_EQ(refusal("space p = virtual\ntensor x[p|p]\na: A[p1,p2] += 1 x[p1,p2]\n"),
            "p.txt: found no result, expected a program; see docs/programs.md");
  EXPECT_EQ(refused_term("a: x[p1,h1] += 1 x[p1,h1]"),
            "p.txt, line 6, column 4: found x, which is given, expected the program's result or a tensor of "
            "another name");
  EXPECT_EQ(refused_term("a: A[p1,h1] += 1 R[p1,h1]"),
            "p.txt, line 6, column 18: found R, the program's result, as an operand, expected a tensor that "
            "is given, or an "
            "intermediate");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 Y[p1,h1]"),
            "p.txt, line 6, column 18: found Y, expected a tensor that is given or that a term writes; "
            "declare it: tensor Y[...]");
  EXPECT_EQ(refused_term("a: R[p1,h1] += 1 x[p1,h1]\na: R[p1,h1] += 1 x[p1,h1]"),
            "p.txt, line 7, column 1: found a, expected a name that no term has; line 6 has it");
  EXPECT_EQ(refused_term("c: C[p1,h1] += 1 A[p1,h1]\na: A[p1,h1] += 1 B[p1,h1]\nb: B[p1,h1] += 1 "
                         "A[p1,h1]\nd: R[p1,h1] += 1 C[p1,h1]"),
            "p.txt, line 7: found a, which waits for b, which waits for a, expected terms that can be "
            "computed one after the "
            "other; let one of them write another tensor");
  EXPECT_EQ(refused_term("a: Q[p1,h1] += 1 x[p1,h1]"),
            "p.txt, line 5: found the result R, which no term writes, expected a term that adds to it");
  EXPECT_EQ(parse_program("\xef\xbb\xbf" + kHead + "a: R[p1,h1] += 1 x[p1,h1]\r\n", "p.txt").terms.size(),
            1U);
  try {
    parse_program("x", std::string(300, 'a') + "/end.txt");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a/end.txt, line 1, column 1: found x"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace foretile::program_text_test
