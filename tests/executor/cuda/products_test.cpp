// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/products.hpp"

#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/random.hpp"

namespace foretile::products_test {
namespace {

std::vector<const TileProduct*> list(std::span<const TileProduct* const> products) {
  return {products.begin(), products.end()};
}

TEST(ProductSorter, EmptyOnesAreLeftOutOrMadeZero) {
  const std::vector<TileProduct> products{{0, 2, 2, {}, {}, {}, true},
                                          {2, 2, 0, {}, {}, {}, true},
                                          {2, 2, 0, {}, {}, {}, false},
                                          {2, 2, 2, {}, {}, {}, false}};
  ProductSorter sorter;
  sorter.sort(products);
  EXPECT_EQ(list(sorter.to_zero()), std::vector{&products[1]});
  ASSERT_EQ(sorter.groups().size(), 1U);
  EXPECT_EQ(list(sorter.groups()[0].products), std::vector{&products[3]});
  sorter.sort({});
  EXPECT_TRUE(sorter.to_zero().empty());
  EXPECT_TRUE(sorter.groups().empty());
}

TEST(ProductSorter, RefusesExtentsThatCuBlasCannotCount) {
  const TileProduct product{std::int64_t{1} << 31, 1, 1, {}, {}, {}, false};
  ProductSorter sorter;
  EXPECT_THROW(sorter.sort({&product, 1}), InputError);
}

/// The same sorter each time: what it kept from the launch before must not show.
TEST(ProductSorter, GroupsAreThoseOfAMapInTheOrderGiven) {
  ProductSorter sorter;
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<TileProduct> products(static_cast<std::size_t>(random.integer(0, 30)));
    const std::int64_t most = random.integer(1, 3);
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>, std::vector<const TileProduct*>>
        groups;
    for (TileProduct& x : products) {
      x = {random.integer(1, most),  random.integer(1, most), random.integer(1, most), {}, {}, {},
           random.integer(0, 1) == 1};
      groups[{x.m, x.n, x.k, x.first}].push_back(&x);
    }
    sorter.sort(products);
    ASSERT_EQ(sorter.groups().size(), groups.size());
    std::size_t at = 0;
    for (const auto& [shape, members] : groups) {
      const ProductGroup& group = sorter.groups()[at++];
      EXPECT_EQ(std::tuple(group.m, group.n, group.k, group.first), shape);
      EXPECT_EQ(list(group.products), members);
    }
  }
}

}  // namespace
}  // namespace foretile::products_test
