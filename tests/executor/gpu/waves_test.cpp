#include "executor/gpu/waves.hpp"

#include <gtest/gtest.h>

namespace foretile {
namespace {

TEST(Waves, TheNthProductOnATileIsInWaveN) {
  std::byte x{}, y{}, z{};
  const auto product = [](std::byte* c, std::int64_t m) {
    return TileProduct{m, 1, 1, nullptr, nullptr, c, false};
  };
  const std::vector<TileProduct> products{product(&x, 1), product(&y, 2), product(&x, 3),
                                          product(&z, 4), product(&x, 5), product(&y, 6)};
  const auto waves = waves_of(products);
  const auto order = [&](std::size_t wave) {
    std::vector<std::int64_t> numbers;
    for (const TileProduct& p : waves[wave]) numbers.push_back(p.m);
    return numbers;
  };
  ASSERT_EQ(waves.size(), 3U);
  EXPECT_EQ(order(0), (std::vector<std::int64_t>{1, 2, 4}));
  EXPECT_EQ(order(1), (std::vector<std::int64_t>{3, 6}));
  EXPECT_EQ(order(2), (std::vector<std::int64_t>{5}));
  EXPECT_TRUE(waves_of({}).empty());
}

}  // namespace
}  // namespace foretile
