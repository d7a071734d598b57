// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/products_once.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "planner/plan/products_of_tile.hpp"
#include "planner/tensor/program_text.hpp"

namespace foretile::products_once_test {
namespace {

using Products = std::vector<std::pair<TileId, TileId>>;

/// R has 2 x 2 tiles of alpha, each of two products.
FusedProgram one_product() {
  return {parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                        "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                        "test"),
          {1, 4, 2},
          "test"};
}

Products products_of(const FusedProgram& program, TileId c) {
  Products all;
  for_each_product_of(program.terms()[0].product->contraction(), c,
                      [&](TileId a, TileId b) { all.emplace_back(a, b); });
  return all;
}

std::string refused(const std::function<void()>& check) {
  try {
    check();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ProductsOnce, AreTogetherThoseOfTheTerm) {
  const FusedProgram program = one_product();
  ProductsOnce once(program);
  for (TileId c = 0; c < 4; ++c) {
    const Products all = products_of(program, c);
    ASSERT_EQ(all.size(), 2U);
    EXPECT_NE(refused([&] { once.check(); }).find("missing"), std::string::npos);
    once.note(0, c, {all[1]});  // pieces in any order
    EXPECT_NE(refused([&] { once.check(); }).find("missing"), std::string::npos);
    once.note(0, c, {all[0]});
  }
  EXPECT_NO_THROW(once.check());
  EXPECT_NE(refused([&] { once.note(0, 0, {products_of(program, 0)[1]}); }).find("twice"), std::string::npos);
}

TEST(ProductsOnce, RefuseOtherProducts) {
  const FusedProgram program = one_product();
  ProductsOnce once(program);
  const Products of_0 = products_of(program, 0), of_3 = products_of(program, 3);
  for (const Products& wrong :
       {of_3, Products{of_0[1], of_0[0]}, Products{{of_0[0].first, of_3[0].second}}, Products{{-1, -1}}})
    EXPECT_NE(refused([&] { ProductsOnce(program).note(0, 0, wrong); }).find("does not have"),
              std::string::npos);
  for (const TileId lacking : {-1, 4})
    EXPECT_NE(refused([&] { once.note(0, lacking, {}); }).find("lacks"), std::string::npos);
}

}  // namespace
}  // namespace foretile::products_once_test
