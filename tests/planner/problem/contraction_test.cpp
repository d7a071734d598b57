// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/contraction.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile::contraction_test {
namespace {

// A is 1 x 2 tiles with norms 1 and 0.1, B is 2 x 2 with norms
//   1    .
//   1   0.5
// C_00 gets 1*1 and 0.1*1, C_01 gets 0.1*0.5 only.
struct SmallProduct : testing::Test {
  Shape a{1, 2, {{0, 0, 1.0F}, {0, 1, 0.1F}}};
  Shape b{2, 2, {{0, 0, 1.0F}, {1, 0, 1.0F}, {1, 1, 0.5F}}};
};

TEST_F(SmallProduct, ThresholdDropsTilesWhoseEveryProductIsSmall) {
  EXPECT_EQ(symbolic_product(a, b, 0.0).nonzeros(), 2);
  const Shape c = symbolic_product(a, b, 0.06);
  EXPECT_EQ(c.nonzeros(), 1);
  EXPECT_FLOAT_EQ(c.norm(0), 1.1F);
}

// A is 2 x 3 and 2 x 4 doubles, B 3 x 5, 4 x 5 and 4 x 6; a full B 7 x 11.
TEST_F(SmallProduct, BytesOfAllTiles) {
  Contraction p{"small", Tiling({0, 2}),           Tiling({0, 5, 11}), Tiling({0, 3, 7}), a,
                b,       symbolic_product(a, b, 0)};
  EXPECT_EQ(bytes_of_all(p, Matrix::a), 8 * (6 + 8));
  EXPECT_EQ(bytes_of_all(p, Matrix::b), 8 * (15 + 20 + 24));
  p.b = Shape::dense(2, 2);
  EXPECT_EQ(bytes_of_all(p, Matrix::b), 8 * 7 * 11);
}

TEST_F(SmallProduct, GivenShapeRestrictsC) {
  const Shape allowed(1, 2, {{0, 1, 1.0F}});
  const Shape c = symbolic_product(a, b, 0.0, &allowed);
  EXPECT_EQ(c.nonzeros(), 1);
  EXPECT_TRUE(c.contains(0, 1));
}

// m = {2}, k = {3, 4}, n = {5, 6}: products 2*2*5*3 + 2*2*5*4 + 2*2*6*4 = 60 + 80 + 96 flops.
TEST_F(SmallProduct, TraitsCountNonzeroProducts) {
  const Contraction p{"small", Tiling({0, 2}),           Tiling({0, 5, 11}), Tiling({0, 3, 7}), a,
                      b,       symbolic_product(a, b, 0)};
  const Traits t = traits(p);
  EXPECT_EQ(t.gemms, 3);
  EXPECT_DOUBLE_EQ(t.flops, 236);
  EXPECT_EQ(t.a_bytes, 8 * 14);
  EXPECT_EQ(t.b_bytes, 8 * (15 + 20 + 24));
  EXPECT_EQ(t.c_bytes, 8 * 22);
  EXPECT_DOUBLE_EQ(t.b_density, 59.0 / 77.0);
}

TEST_F(SmallProduct, SinglePrecisionTakesFourBytesPerElement) {
  Contraction p{"small", Tiling({0, 2}),           Tiling({0, 5, 11}), Tiling({0, 3, 7}), a,
                b,       symbolic_product(a, b, 0)};
  const Traits wide = traits(p);
  p.precision = Precision::f32;
  const Traits t = traits(p);
  EXPECT_EQ(t.a_bytes, 4 * 14);
  EXPECT_EQ(t.b_bytes, 4 * (15 + 20 + 24));
  EXPECT_EQ(t.c_bytes, 4 * 22);
  EXPECT_EQ(p.a_bytes(1), 4 * 8);
  EXPECT_EQ(p.b_bytes(2), 4 * 24);
  EXPECT_EQ(p.c_bytes(1), 4 * 12);
  EXPECT_EQ(t.b_density, wide.b_density);
  EXPECT_EQ(t.flops, wide.flops);
  EXPECT_EQ(t.intensity, 2 * wide.intensity);
}

// Twice the bytes; 4 multiplications and 4 additions instead of one and one.
TEST_F(SmallProduct, ComplexElements) {
  Contraction p{"small", Tiling({0, 2}),           Tiling({0, 5, 11}), Tiling({0, 3, 7}), a,
                b,       symbolic_product(a, b, 0)};
  p.complex_elements = true;
  const Traits t = traits(p);
  EXPECT_EQ(t.a_bytes, 16 * 14);
  EXPECT_EQ(t.c_bytes, 16 * 22);
  EXPECT_EQ(p.b_bytes(2), 16 * 24);
  EXPECT_DOUBLE_EQ(t.flops, 4 * 236);
  p.precision = Precision::f32;
  EXPECT_EQ(p.b_bytes(2), 8 * 24);
}

/// C = A^T B of 2 x 7 and 7 x 11; C^T = B^T A then: what were A and B change places, shapes and extents turn.
TEST_F(SmallProduct, TransposedTwiceIsTheSame) {
  Contraction p{"small", Tiling({0, 2}),           Tiling({0, 5, 11}), Tiling({0, 3, 7}), a,
                b,       symbolic_product(a, b, 0)};
  p.a_op = Op::transpose;
  p.sources = {Source::given, Source::generated};
  p.alpha = {2, 1};
  const Contraction t = transposed(p);
  EXPECT_TRUE(t.is_transposed);
  EXPECT_EQ(t.m.extent(), 11);
  EXPECT_EQ(t.n.extent(), 2);
  EXPECT_EQ(t.sources, (Sources{Source::generated, Source::given}));
  EXPECT_EQ(t.a_op, Op::transpose);
  EXPECT_EQ(t.b_op, Op::none);
  EXPECT_EQ(t.alpha, p.alpha);
  ASSERT_EQ(t.b.nonzeros(), a.nonzeros());
  for (TileId id = 0; id < a.nonzeros(); ++id) {
    const auto turned = t.b.find(a.column_of(id), a.row_of(id));
    ASSERT_TRUE(turned.has_value());
    EXPECT_EQ(t.b.norm(*turned), a.norm(id));
    EXPECT_EQ(t.b_bytes(*turned), p.a_bytes(id));
  }
  EXPECT_EQ(traits(t).flops, traits(p).flops);
  const Contraction again = transposed(t);
  EXPECT_FALSE(again.is_transposed);
  EXPECT_EQ(again.a_op, p.a_op);
  EXPECT_EQ(again.b_op, p.b_op);
  EXPECT_EQ(again.m.cuts(), p.m.cuts());
  EXPECT_EQ(again.c.nonzeros(), p.c.nonzeros());
}

TEST_F(SmallProduct, AConjugateCannotStandAlone) {
  Contraction p{"small", Tiling({0, 2}),           Tiling({0, 5, 11}), Tiling({0, 3, 7}), a,
                b,       symbolic_product(a, b, 0)};
  p.b_op = Op::conjugate_transpose;
  EXPECT_EQ(transposed(p).a_op, Op::none);  // real numbers
  p.complex_elements = true;
  EXPECT_THROW(transposed(p), InputError);
}

std::string refused(const Contraction& p) {
  try {
    require_runnable(p);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST_F(SmallProduct, RunnableOrNamed) {
  const Contraction plain{"small", Tiling({0, 2}),           Tiling({0, 5, 11}), Tiling({0, 3, 7}), a,
                          b,       symbolic_product(a, b, 0)};
  Contraction p = plain;
  p.beta = {1, 2};
  p.a_op = Op::transpose;
  EXPECT_EQ(refused(p), "");
  p.sources.b = Source::in_file;
  EXPECT_EQ(refused(p), "");
  p = plain;
  p.sources.a = Source::in_file;
  EXPECT_EQ(refused(p),
            "contraction, source of A: found in a file, expected given or generated; only plans can be made "
            "of this "
            "contraction so far");
}

}  // namespace
}  // namespace foretile::contraction_test
