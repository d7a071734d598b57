// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/owners.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/planner/random_case.hpp"

namespace foretile::owners_test {
namespace {

using Ints = std::vector<int>;

/// Reference: which grid columns have a product with the tile, straight from the definition.
std::set<int> users(const Contraction& p, const ProcessGrid& grid, const Ints& column_owner, TileId a) {
  std::set<int> ranks;
  const std::int32_t i = p.a.row_of(a);
  for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
    if (p.b.contains(p.a.column_of(a), j) && p.c.contains(i, j))
      ranks.insert(grid.rank(i % grid.p, column_owner[j]));
  }
  return ranks;
}

std::vector<Transfer> broadcasts_of_a(const Contraction& p, const ProcessGrid& grid, const Ints& column_owner,
                                      Rank rank, std::int64_t message_bytes) {
  return broadcasts_of(p, grid, rank, {{Matrix::a, column_owner, {}, {}}}, Sending::once_for_ever, 1,
                       message_bytes);
}

TEST(Broadcasts, SendEachTileOnceToTheRanksThatUseIt) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Contraction p = random_small_contraction(random);
    const ProcessGrid grid{static_cast<int>(random.integer(1, 3)), static_cast<int>(random.integer(1, 5))};
    Ints column_owner;
    for (std::int32_t j = 0; j < p.n.tiles(); ++j)
      column_owner.push_back(static_cast<int>(random.integer(0, grid.q - 1)));
    const std::int64_t message_bytes = random.integer(1, 4000);
    std::vector<std::set<int>> got(p.a.nonzeros());
    for (Rank rank = 0; rank < grid.size(); ++rank) {
      std::int32_t last_k = 0;
      for (const Transfer& b : broadcasts_of_a(p, grid, column_owner, rank, message_bytes)) {
        ASSERT_FALSE(b.tiles.empty());
        ASSERT_FALSE(b.others.empty());
        std::int64_t bytes = 0;
        for (const TileId a : b.tiles) {
          EXPECT_EQ(owner_of(p, grid, Distribution{}, {Matrix::a, a}), rank);
          EXPECT_LE(last_k, p.a.column_of(a));
          last_k = p.a.column_of(a);
          bytes += p.a_bytes(a);
          for (const int to : b.others) EXPECT_TRUE(got[a].insert(to).second);
        }
        EXPECT_TRUE(b.tiles.size() == 1 || bytes <= message_bytes);
      }
    }
    for (TileId a = 0; a < p.a.nonzeros(); ++a) {
      std::set<int> expected = users(p, grid, column_owner, a);
      expected.erase(owner_of(p, grid, Distribution{}, {Matrix::a, a}));
      EXPECT_EQ(got[a], expected);
    }
  }
}

/// Each rank gets a tile in one message, in the group of its first use, and messages follow each other by
/// group, then by turn.
TEST(Broadcasts, OnceEachGoByFirstUse) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Contraction p = random_small_contraction(random);
    const ProcessGrid grid{1, static_cast<int>(random.integer(1, 5))};
    Routes routes{Matrix::a, {}, {}, {}};
    for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
      routes.position.push_back(static_cast<int>(random.integer(0, grid.q - 1)));
      routes.group.push_back(static_cast<int>(random.integer(0, 3)));
    }
    for (TileId a = 0; a < p.a.nonzeros(); ++a)
      routes.turn.push_back(static_cast<std::int32_t>(random.integer(0, 9)));
    const auto first_use = [&](TileId a, int rank) {
      int first = 99;
      for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
        if (routes.position[j] == rank && p.b.contains(p.a.column_of(a), j) && p.c.contains(p.a.row_of(a), j))
          first = std::min(first, routes.group[j]);
      }
      return first;
    };
    std::vector<std::set<int>> got(p.a.nonzeros());
    for (Rank rank = 0; rank < grid.size(); ++rank) {
      std::pair<int, std::int32_t> last{};
      for (const Transfer& b : broadcasts_of(p, grid, rank, {routes}, Sending::once_each, 1, 1000)) {
        EXPECT_EQ(b.last_step, kEver);
        for (const TileId a : b.tiles) {
          for (const int to : b.others) {
            EXPECT_TRUE(got[a].insert(to).second);
            const std::pair now{first_use(a, to), routes.turn[a]};
            EXPECT_LE(last, now);
            last = now;
          }
        }
      }
    }
    for (TileId a = 0; a < p.a.nonzeros(); ++a) {
      std::set<int> expected = users(p, grid, routes.position, a);
      expected.erase(owner_of(p, grid, Distribution{}, {Matrix::a, a}));
      EXPECT_EQ(got[a], expected);
    }
  }
}

/// Both tiles of A (32 bytes each) live at rank 0 and go to rank 1: 64 bytes hold them, 63 do not.
TEST(Broadcasts, FillMessagesToTheLastByte) {
  const Tiling two = Tiling::uniform(4, 2);
  const Contraction p{
      "", two, two, Tiling::uniform(2, 2), Shape::dense(2, 1), Shape::dense(1, 2), Shape::dense(2, 2), 0};
  EXPECT_EQ(broadcasts_of_a(p, {1, 2}, {0, 1}, 0, 64).size(), 1U);
  EXPECT_EQ(broadcasts_of_a(p, {1, 2}, {0, 1}, 0, 63).size(), 2U);
}

/// Grid 1 x 3, three tiles of A in one row (k = 0, 1, 2), B and C dense. Tile k lives at rank k; rank 1 sends
/// to 2 first, then around to 0.
TEST(Broadcasts, DestinationsStartBehindTheOwner) {
  const Tiling three = Tiling::uniform(6, 2);
  const Contraction p{
      "", Tiling::uniform(2, 2), three, three, Shape::dense(1, 3), Shape::dense(3, 3), Shape::dense(1, 3), 0};
  const auto sent = broadcasts_of_a(p, {1, 3}, {0, 1, 2}, 1, 1000);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].tiles, (std::vector<TileId>{1}));
  EXPECT_EQ(sent[0].others, (std::vector<Rank>{2, 0}));
}

}  // namespace
}  // namespace foretile::owners_test
