// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/tile_table.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <unordered_map>

namespace foretile::tile_table_test {
namespace {

TEST(TileTable, MatricesAndPagesAreApart) {
  TileTable<int> table;
  table[{Matrix::a, 63}] = 1;  // the last of its page
  table[{Matrix::a, 64}] = 2;
  table[{Matrix::c, 63}] = 3;
  EXPECT_EQ(table.at({Matrix::a, 63}), 1);
  EXPECT_EQ(table.at({Matrix::a, 64}), 2);
  EXPECT_EQ(table.at({Matrix::c, 63}), 3);
  for (const TileRef absent : {TileRef{Matrix::b, 63}, TileRef{Matrix::a, 62}, TileRef{Matrix::a, 1'000'000}})
    EXPECT_EQ(table.find(absent), nullptr);
  EXPECT_THROW(table.at({Matrix::b, 63}), std::out_of_range);
  EXPECT_THROW(table.erase({Matrix::a, 62}), std::out_of_range);
}

TEST(TileTable, AnErasedEntryIsNewWhenItComesAgain) {
  TileTable<std::unique_ptr<int>> table;
  const TileRef tile{Matrix::b, 5};
  table[tile] = std::make_unique<int>(7);
  EXPECT_EQ(*table.extract(tile), 7);
  EXPECT_FALSE(table.contains(tile));
  EXPECT_EQ(table[tile], nullptr);
}

TEST(TileTable, ReferencesStayValidWhileOthersComeAndGo) {
  TileTable<int> table;
  int& first = table[{Matrix::a, 0}];
  first = 42;
  for (TileId id = 1; id < 10'000; ++id) table[{Matrix::a, id}] = 0;
  for (TileId id = 1; id < 10'000; ++id) table.erase({Matrix::a, id});
  EXPECT_EQ(&table.at({Matrix::a, 0}), &first);
  EXPECT_EQ(first, 42);
}

TEST(TileTable, AgreesWithAHashMap) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 draw(seed);
    TileTable<int> table;
    std::unordered_map<TileRef, int, TileRefHash> reference;
    for (int step = 0; step < 5000; ++step) {
      const TileRef tile{static_cast<Matrix>(draw() % 3), static_cast<TileId>(draw() % 300)};
      const auto known = reference.find(tile);
      const int* const found = table.find(tile);
      ASSERT_EQ(found != nullptr, known != reference.end()) << "seed " << seed << " step " << step;
      if (found) {
        ASSERT_EQ(*found, known->second) << "seed " << seed << " step " << step;
      }
      if (found && draw() % 2 == 0) {
        table.erase(tile);
        reference.erase(known);
      } else {
        table[tile] = reference[tile] = step;
      }
    }
    std::multiset<int> visited, expected;
    table.for_each([&](int entry) { visited.insert(entry); });
    for (const auto& [tile, entry] : reference) expected.insert(entry);
    EXPECT_EQ(visited, expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace foretile::tile_table_test
