// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/random.hpp"

namespace foretile::arena_test {
namespace {

constexpr std::int64_t kUnit = Arena::kAlignment;

TEST(Arena, RoundsUpAndCountsWhatIsFree) {
  Arena arena(4 * kUnit + 17);
  EXPECT_EQ(arena.size(), 4 * kUnit);
  EXPECT_EQ(arena.take(1), 0);
  EXPECT_EQ(arena.take(kUnit + 1), kUnit);
  EXPECT_EQ(arena.free_bytes(), kUnit);
  EXPECT_FALSE(arena.take(kUnit + 1).has_value());
  EXPECT_EQ(arena.take(0), 3 * kUnit);  // even nothing has a place of its own
  EXPECT_EQ(arena.free_bytes(), 0);
}

TEST(Arena, TakesTheSmallestHoleFromTheEndAskedFor) {
  Arena arena(10 * kUnit);
  const auto a = arena.take(3 * kUnit), b = arena.take(kUnit), c = arena.take(2 * kUnit),
             d = arena.take(kUnit);
  ASSERT_TRUE(a && b && c && d);  // holes after giving a and c: 3 units at 0, 2 at 4, 3 at 7
  arena.give(*a);
  arena.give(*c);
  EXPECT_EQ(arena.take(2 * kUnit), 4 * kUnit);
  EXPECT_EQ(arena.take(kUnit, Arena::End::high), 2 * kUnit);
  EXPECT_EQ(arena.take(2 * kUnit), 0);
}

TEST(Arena, JoinsHolesOnBothSides) {
  Arena arena(3 * kUnit);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(arena.take(kUnit));
  arena.give(0);
  arena.give(2 * kUnit);
  EXPECT_FALSE(arena.take(2 * kUnit).has_value());
  arena.give(kUnit);
  EXPECT_EQ(arena.take(3 * kUnit), 0);
}

TEST(Arena, CompactingMovesAsLittleAsItCan) {
  Arena arena(10 * kUnit);
  for (const int units : {1, 1, 4, 1, 1, 1, 1}) ASSERT_TRUE(arena.take(units * kUnit));
  arena.give(kUnit);
  arena.give(6 * kUnit);
  arena.give(8 * kUnit);  // holes: one unit at 1, at 6 and at 8
  const auto moves = arena.compact(2 * kUnit);
  ASSERT_EQ(moves.size(), 1U);  // the one unit at 7, not the four at 2
  EXPECT_EQ(moves[0].from, 7 * kUnit);
  EXPECT_EQ(moves[0].to, 6 * kUnit);
  EXPECT_EQ(arena.take(2 * kUnit), 7 * kUnit);
  arena.give(7 * kUnit);
  const auto more = arena.compact(3 * kUnit);
  ASSERT_EQ(more.size(), 2U);
  EXPECT_EQ(more[0].from, 2 * kUnit);
  EXPECT_EQ(more[0].to, kUnit);
  EXPECT_EQ(arena.take(3 * kUnit), 6 * kUnit);
}

/// Bytes carry the number of the place they belong to.
struct Content {
  std::vector<int> units;
  std::map<std::int64_t, std::pair<std::int64_t, int>> places;  // offset to bytes and number
};

void expect_content(const Content& content) {
  for (const auto& [offset, place] : content.places) {
    for (std::int64_t u = 0; u < Arena::rounded(place.first) / kUnit; ++u) {
      ASSERT_EQ(content.units[offset / kUnit + u], place.second);
    }
  }
}

TEST(Arena, RandomPlacesNeverOverlapAndCompactingKeepsTheirContent) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    constexpr std::int64_t kUnits = 200;
    Arena arena(kUnits * kUnit);
    Content content{std::vector<int>(kUnits, 0), {}};
    for (int round = 1; round <= 2000; ++round) {
      const std::int64_t bytes = random.integer(1, 20 * kUnit);
      if (random.real() < 0.6 && Arena::rounded(bytes) <= arena.free_bytes()) {
        auto offset = arena.take(bytes, random.real() < 0.5 ? Arena::End::low : Arena::End::high);
        if (!offset) {
          std::map<std::int64_t, std::pair<std::int64_t, int>> moved = content.places;
          for (const Arena::Move& move : arena.compact(bytes)) {
            ASSERT_LT(move.to, move.from);
            const auto from = content.units.begin() + move.from / kUnit;
            std::copy(from, from + move.bytes / kUnit, content.units.begin() + move.to / kUnit);
            moved[move.to] = content.places.at(move.from);
            content.places.erase(move.from);
            content.places[move.to] = moved[move.to];
          }
          offset = arena.take(bytes);
        }
        ASSERT_TRUE(offset.has_value());
        ASSERT_EQ(*offset % kUnit, 0);
        for (std::int64_t u = 0; u < Arena::rounded(bytes) / kUnit; ++u)
          content.units[*offset / kUnit + u] = round;
        ASSERT_TRUE(content.places.emplace(*offset, std::pair(bytes, round)).second);
      } else if (!content.places.empty()) {
        auto place = content.places.begin();
        std::advance(place, random.integer(0, std::ssize(content.places) - 1));
        arena.give(place->first);
        content.places.erase(place);
      }
      expect_content(content);
      std::int64_t taken = 0;
      for (const auto& [offset, place] : content.places) taken += Arena::rounded(place.first);
      ASSERT_EQ(arena.free_bytes(), kUnits * kUnit - taken);
    }
  }
}

}  // namespace
}  // namespace foretile::arena_test
