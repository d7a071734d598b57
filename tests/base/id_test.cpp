// SPDX-License-Identifier: BSD-3-Clause
#include "base/id.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <type_traits>

namespace foretile::id_test {
namespace {

static_assert(!std::is_convertible_v<Device, Rank> && !std::is_constructible_v<Rank, Device>);
static_assert(!std::is_assignable_v<Rank&, Device>);
static_assert(sizeof(Rank) == sizeof(int));

/// A rank is not made from a device, not even by of(), which takes integers only.
template <class Number>
concept MakesARank = requires(Number number) {
  Rank::of(number);
};
static_assert(MakesARank<int> && MakesARank<std::size_t> && !MakesARank<Device> && !MakesARank<double>);

TEST(Id, CountsPrintsAndCompares) {
  int sum = 0;
  for (Rank rank = 0; rank < 4; ++rank) sum += rank;
  EXPECT_EQ(sum, 6);
  EXPECT_EQ(fmt::format("{:>3}|{}", Rank(7), Step(-1)), "  7|-1");
  EXPECT_LT(Step::of(std::size_t{41}), kEver);
  EXPECT_EQ(nlohmann::json(Device(2)).dump(), "2");
}

}  // namespace
}  // namespace foretile::id_test
