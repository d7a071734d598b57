// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/local_b/column_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.hpp"

namespace foretile::column_groups_test {
namespace {

using Columns = std::vector<std::int32_t>;

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
}  // namespace foretile::column_groups_test
