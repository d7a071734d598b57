// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/exchange_symmetry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "planner/tensor/program_text.hpp"

namespace foretile::exchange_symmetry_test {
namespace {

using Mirror = std::vector<std::size_t>;

constexpr const char* kTensors =
    "orbitals = spatial\nspace i = occupied\nspace a = virtual\nspace x = auxiliary\n"
    "tensor D[a,a,x]\ntensor c[a,a,x] symmetric 1 2\ntensor t[a,a,i,i] pair\ntensor w[a,a,i,i] pair\ntensor "
    "u[a,a,i,i]\nresult R[]\n";

/// Of the tensor X that these terms write.
Mirror mirror_of(const std::string& terms) {
  const std::vector<ProgramTensor> tensors = tensors_of(parse_program(kTensors + terms, "test"));
  return std::ranges::find(tensors, "X", &ProgramTensor::name)->rules.mirror;
}

TEST(ExchangeSymmetry, OfAProductOfATensorWithItself) {
  EXPECT_EQ(
      mirror_of("l: X[a1,a2,a3,a4] += D[a1,a3,x] D[a2,a4,x]\nr: R[] += X[a1,a2,a3,a4] X[a1,a2,a3,a4]\n"),
      (Mirror{1, 0, 3, 2}));
  EXPECT_EQ(mirror_of("l: X[a1,a2] += D[a1,a3,x] D[a2,a3,x]\nr: R[] += X[a1,a2] X[a1,a2]\n"), (Mirror{1, 0}));
  EXPECT_EQ(mirror_of("l: X[a1,a2] += D[a1,a3,x] D[a3,a2,x]\nr: R[] += X[a1,a2] X[a1,a2]\n"), Mirror{});
}

/// c[a1,a3,x] c[a2,a4,x] has eight such symmetries. One of them is kept, and all are known: with one alone W,
/// of X with a1, a2 and a3, a4 exchanged, would have none.
TEST(ExchangeSymmetry, KnowsAllOfATensor) {
  const std::string x = "l: Y[a1,a2,a3,a4] += c[a1,a3,x] c[a2,a4,x]\n";
  const std::string r = "r: R[] += X[a1,a2,i1,i2] u[a1,a2,i1,i2]\n";
  EXPECT_EQ(mirror_of(x + "w: X[a1,a2,i1,i2] += Y[a1,a2,a3,a4] t[a3,a4,i1,i2]\n" + r), (Mirror{1, 0, 3, 2}));
  EXPECT_EQ(mirror_of(x + "w: X[a1,a2,i1,i2] += Y[a1,a2,a3,a4] u[a3,a4,i1,i2]\n" + r), Mirror{});
}

TEST(ExchangeSymmetry, OfCombinationsOfAPair) {
  const std::string r = "r: R[] += X[a1,a2,i1,i2] u[a1,a2,i1,i2]\n";
  EXPECT_EQ(mirror_of("b: X[a1,a2,i1,i2] += 2 t[a1,a2,i1,i2]\nc: X[a1,a2,i1,i2] += -1 t[a2,a1,i1,i2]\n" + r),
            (Mirror{1, 0, 3, 2}));
  EXPECT_EQ(mirror_of("b: X[a1,a2,i1,i2] += 2 t[a1,a2,i1,i2]\nc: X[a1,a2,i1,i2] += u[a1,a2,i1,i2]\n" + r),
            Mirror{});
}

/// Summed indices change places: t[a1,a2,i1,i2] w[a1,a2,i3,i4] with a1 and a2 exchanged.
TEST(ExchangeSymmetry, RenamesSummedIndices) {
  EXPECT_EQ(mirror_of("b: X[i1,i2,i3,i4] += t[a1,a2,i1,i2] w[a1,a2,i3,i4]\n"
                      "r: R[] += X[i1,i2,i3,i4] X[i1,i2,i3,i4]\n"),
            (Mirror{1, 0, 3, 2}));
  EXPECT_EQ(mirror_of("b: X[i1,i2,i3,i4] += t[a1,a2,i1,i2] u[a1,a2,i3,i4]\n"
                      "r: R[] += X[i1,i2,i3,i4] X[i1,i2,i3,i4]\n"),
            Mirror{});
}

/// Y has the symmetry of c, and X that of Y.
TEST(ExchangeSymmetry, GoesFromOneIntermediateToTheNext) {
  EXPECT_EQ(mirror_of("x: X[a1,a2,x] += Y[a1,a2,x]\ny: Y[a1,a2,x] += c[a2,a1,x]\n"
                      "r: R[] += X[a1,a2,x] c[a1,a2,x]\n"),
            (Mirror{1, 0, 2}));
}

/// Each term is the other one with its indices exchanged.
TEST(ExchangeSymmetry, OfTermsTogether) {
  const std::string r = "r: R[] += X[a1,a2,i1,i2] t[a1,a2,i1,i2]\n";
  const std::string one = "b: X[a1,a2,i1,i2] += u[a1,a2,i1,i2]\n";
  EXPECT_EQ(mirror_of(one + "c: X[a1,a2,i1,i2] += u[a2,a1,i2,i1]\n" + r), (Mirror{1, 0, 3, 2}));
  EXPECT_EQ(mirror_of(one + "c: X[a1,a2,i1,i2] += 2 u[a2,a1,i2,i1]\n" + r), Mirror{});
  EXPECT_EQ(mirror_of(one + "c: X[a1,a2,i1,i2] += u[a2,a1,i1,i2]\n" + r), (Mirror{1, 0, 2, 3}));
}

constexpr const char* kPair =
    "orbitals = spatial\nspace i = occupied\nspace a = virtual\ntensor u[a,a,i,i]\ntensor v[a,a]\n"
    "tensor t[a,a,i,i] pair\nresult R[a,a,i,i] pair\n";

std::string refusal(const std::string& terms) {
  try {
    parse_program(kPair + terms, "test");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ExchangeSymmetry, IsRequiredOfASymmetricResult) {
  EXPECT_EQ(refusal("b: R[a1,a2,i1,i2] += t[a1,a3,i1,i2] v[a2,a3]\n"
                    "c: R[a1,a2,i1,i2] += v[a1,a3] t[a3,a2,i1,i2]\n"),
            "");
  EXPECT_EQ(
      refusal("a: R[a1,a2,i1,i2] += t[a1,a2,i1,i2]\nb: R[a1,a2,i1,i2] += t[a1,a3,i1,i2] v[a2,a3]\n"),
      "test, line 9: found b, which changes with a1 with a2 and i1 with i2 exchanged, expected terms that "
      "stay the same together, as R[aaii] is declared; add the term with these indices exchanged, or leave "
      "the symmetry of R out");
  EXPECT_NE(refusal("b: R[a1,a2,i1,i2] += t[a1,a3,i1,i2] v[a2,a3]\n"
                    "c: R[a1,a2,i1,i2] += t[a1,a3,i1,i2] v[a2,a3]\n"
                    "d: R[a1,a2,i1,i2] += t[a3,a2,i1,i2] v[a1,a3]\n"),
            "");
  EXPECT_NE(refusal("b: R[a1,a2,i1,i2] += u[a1,a2,i1,i2]\n"), "");
}

TEST(ExchangeSymmetry, LeavesSpinOrbitalsAlone) {
  const Program program = parse_program(
      "space p = virtual\ntensor v[p|p]\nresult R[p|p]\na: A[p1,p2] += v[p1,p2]\nr: R[p1,p2] += A[p1,p2]\n",
      "test");
  for (const ProgramTensor& tensor : tensors_of(program)) EXPECT_TRUE(tensor.rules.mirror.empty());
}

}  // namespace
}  // namespace foretile::exchange_symmetry_test
