// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/distribute_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.hpp"

namespace foretile::distribute_columns_test {
namespace {

using Columns = std::vector<std::int32_t>;

/// Of one kind: copies only, plenty of room.
ColumnCosts copies(const std::vector<Columns>& rows, std::vector<double> copy_s, double row_s,
                   std::int32_t row_count) {
  ColumnCosts costs;
  for (const Columns& column : rows) costs.rows.add_column(column);
  costs.product_s.assign(rows.size(), 0);
  costs.make_s.assign(rows.size(), 0);
  costs.bytes.assign(rows.size(), 1);
  costs.block_bytes = 1e9;
  costs.copy_s = std::move(copy_s);
  costs.row_s.assign(row_count, row_s);
  costs.shared_row_s.assign(row_count, 0);
  return costs;
}

/// Rows are dear: columns with the same rows are together, although they come in turn.
TEST(DistributeColumns, KeepsColumnsTogetherThatShareRows) {
  const ColumnCosts costs = copies({{0, 1}, {2, 3}, {0, 1}, {2, 3}}, {1, 1, 1, 1}, 1, 4);
  const auto device = distribute_columns(costs, 2, 1);
  EXPECT_EQ(device[0], device[2]);
  EXPECT_EQ(device[1], device[3]);
  EXPECT_NE(device[0], device[1]);
}

/// Rows cost nothing. Grown are 1 1 | 3 1; the last column moves.
TEST(DistributeColumns, EvensOutTheLoad) {
  const ColumnCosts costs = copies({{0}, {0}, {0}, {0}}, {1, 1, 3, 1}, 0, 1);
  std::vector<double> load(2, 0.0);
  const auto device = distribute_columns(costs, 1, 2);
  for (std::size_t c = 0; c < device.size(); ++c) load[device[c]] += costs.copy_s[c];
  EXPECT_EQ(load, (std::vector<double>{3, 3}));
}

/// The second pair of columns would fit the first device's time, but not its memory: its row of A, which
/// costs 3 s, would be loaded twice.
TEST(DistributeColumns, MindsTheRoomForABlock) {
  ColumnCosts costs = copies({{0}, {0}, {0}, {0}}, {1, 1, 1, 1}, 3, 1);
  costs.block_bytes = 2;
  const auto device = distribute_columns(costs, 1, 2);
  EXPECT_EQ(std::count(device.begin(), device.end(), 0), 2);
}

/// The value that distribute_columns() makes small, from the definition and without a scale.
double power_sum(const ColumnCosts& costs, const std::vector<std::int32_t>& device_of, int ranks,
                 int devices_per_rank) {
  double sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    double make_s = 0, shared_s = 0;
    std::set<std::int32_t> rank_rows;
    for (std::size_t c = 0; c < device_of.size(); ++c) {
      if (device_of[c] / devices_per_rank != rank) continue;
      make_s += costs.make_s[c];
      for (const std::int32_t row : costs.rows.of(static_cast<std::int32_t>(c))) rank_rows.insert(row);
    }
    for (const std::int32_t row : rank_rows) shared_s += costs.shared_row_s[row];
    for (int device = rank * devices_per_rank; device < (rank + 1) * devices_per_rank; ++device) {
      double copy_s = 0, product_s = 0, bytes = 0, rows_s = shared_s / devices_per_rank;
      std::set<std::int32_t> rows;
      for (std::size_t c = 0; c < device_of.size(); ++c) {
        if (device_of[c] != device) continue;
        copy_s += costs.copy_s[c];
        product_s += costs.product_s[c];
        bytes += costs.bytes[c];
        for (const std::int32_t row : costs.rows.of(static_cast<std::int32_t>(c))) rows.insert(row);
      }
      for (const std::int32_t row : rows) rows_s += costs.row_s[row];
      copy_s += (bytes > costs.block_bytes ? 2 : 1) * rows_s;
      sum += std::pow(std::pow(copy_s, 4) + std::pow(product_s, 4) + std::pow(make_s, 4), 4);
    }
  }
  return sum;
}

/// Moving any one column elsewhere makes the value no smaller, where the sweeps came to an end.
TEST(DistributeColumns, NoSingleMoveIsBetter) {
  int ended = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto row_count = static_cast<std::int32_t>(random.integer(1, 10));
    std::vector<Columns> rows(random.integer(1, 20));
    ColumnCosts costs;
    const auto draw = [&random] { return random.real() + 0.01; };
    for (Columns& column : rows) {
      for (std::int32_t row = 0; row < row_count; ++row) {
        if (random.integer(0, 2) == 0) column.push_back(row);
      }
      costs.rows.add_column(column);
      costs.copy_s.push_back(draw());
      costs.product_s.push_back(draw());
      costs.make_s.push_back(draw() / 2);
      costs.bytes.push_back(draw());
    }
    costs.block_bytes = 3;
    for (std::int32_t row = 0; row < row_count; ++row) {
      costs.row_s.push_back(draw());
      costs.shared_row_s.push_back(draw());
    }
    const int ranks = static_cast<int>(random.integer(1, 3)),
              devices = static_cast<int>(random.integer(1, 3));
    auto device_of = distribute_columns(costs, ranks, devices);
    ASSERT_EQ(device_of.size(), rows.size());
    const double reached = power_sum(costs, device_of, ranks, devices);
    double best = reached;
    for (std::int32_t& device : device_of) {
      const std::int32_t distributed = device;
      ASSERT_TRUE(distributed >= 0 && distributed < ranks * devices);
      for (device = 0; device < ranks * devices; ++device)
        best = std::min(best, power_sum(costs, device_of, ranks, devices));
      device = distributed;
    }
    if (best >= reached * (1 - 1e-6)) ++ended;
  }
  EXPECT_EQ(ended, 100);
}

ColumnRows rows_of(const std::vector<Columns>& columns) {
  ColumnRows rows;
  for (const Columns& column : columns) rows.add_column(column);
  return rows;
}

Columns all(std::int32_t columns) {
  Columns numbers(columns);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

/// Columns 0 and 3 have rows 0 and 1, columns 1, 2 and 4 rows 2 and 3, and column 4 row 1 too; every row
/// weighs 1, every column has load 1. Two groups of 2.5:
///   the first begins with column 0 (weight 2, as 1, 2 and 3); 3 brings nothing, 4 two rows, 1 and 2 two. The
///   third would make it 3 of 2.5, as far away as 2: it is taken, and of the three the lowest number, 1.
///   The second begins with 2, of which all rows are known, then 4.
TEST(GrowGroups, ByHand) {
  const ColumnRows rows = rows_of({{0, 1}, {2, 3}, {2, 3}, {0, 1}, {1, 2, 3}});
  const std::vector<double> ones(5, 1.0);
  EXPECT_EQ(grow_groups(rows, all(5), std::span(ones).first(4), ones, 2),
            (std::vector<Columns>{{0, 3, 1}, {2, 4}}));
}

/// Heavy rows decide: column 1 shares row 0, which weighs 5, with column 0, column 2 shares row 1.
TEST(GrowGroups, RowsHaveWeights) {
  const ColumnRows rows = rows_of({{0, 1}, {0, 2}, {1, 2}});
  const std::vector<double> ones(3, 1.0);
  const std::vector<double> weight{5, 1, 1};
  EXPECT_EQ(grow_groups(rows, all(3), weight, ones, 1), (std::vector<Columns>{{2, 0, 1}}));
}

/// Reference: every choice from the definition.
std::vector<Columns> slow_groups(const std::vector<Columns>& rows, const std::vector<double>& weight,
                                 const std::vector<double>& load, int groups) {
  std::set<std::int32_t> left, in_any;
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(rows.size()); ++c) left.insert(c);
  std::vector<Columns> grown;
  for (int g = 0; g < groups; ++g) {
    std::set<std::int32_t> in_group;
    Columns group;
    double share = 0, filled = 0;
    for (const std::int32_t c : left) share += load[c];
    share /= groups - g;
    while (!left.empty()) {
      const std::set<std::int32_t>& known = group.empty() ? in_any : in_group;
      std::int32_t best = -1;
      double least = 0;
      for (const std::int32_t c : left) {
        double brings = 0;
        for (const std::int32_t row : rows[c]) brings += known.contains(row) ? 0 : weight[row];
        if (best >= 0 && brings >= least) continue;
        best = c;
        least = brings;
      }
      if (g + 1 < groups && !group.empty() && filled + load[best] - share > share - filled) break;
      filled += load[best];
      group.push_back(best);
      left.erase(best);
      in_group.insert(rows[best].begin(), rows[best].end());
      in_any.insert(rows[best].begin(), rows[best].end());
    }
    grown.push_back(group);
  }
  return grown;
}

/// Whole numbers as weights and loads, so that sums in any order are equal.
TEST(GrowGroups, EqualTheReference) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto row_count = random.integer(1, 12);
    std::vector<Columns> rows(random.integer(0, 25));
    std::vector<double> load;
    for (Columns& column : rows) {
      for (std::int32_t row = 0; row < row_count; ++row) {
        if (random.integer(0, 2) == 0) column.push_back(row);
      }
      load.push_back(static_cast<double>(random.integer(0, 9)));
    }
    std::vector<double> weight(row_count);
    for (double& w : weight) w = static_cast<double>(random.integer(0, 9));
    const int groups = static_cast<int>(random.integer(1, 6));
    EXPECT_EQ(grow_groups(rows_of(rows), all(static_cast<std::int32_t>(rows.size())), weight, load, groups),
              slow_groups(rows, weight, load, groups));
  }
}

}  // namespace
}  // namespace foretile::distribute_columns_test
