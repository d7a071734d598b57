// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/local_b/column_groups.hpp"

#include <algorithm>

namespace foretile {

namespace {

/// The columns that have each row.
ColumnRows transposed(const ColumnRows& rows, std::span<const std::int32_t> columns, std::size_t count) {
  std::vector<std::vector<std::int32_t>> columns_of(count);
  for (const std::int32_t column : columns) {
    for (const std::int32_t row : rows.of(column)) columns_of[row].push_back(column);
  }
  ColumnRows result;
  for (const auto& list : columns_of) result.add_column(list);
  return result;
}

class Growth {
 public:
  Growth(const ColumnRows& rows, std::span<const std::int32_t> columns, std::span<const double> row_weight,
         std::span<const double> load)
      : rows_(rows),
        weight_(row_weight),
        load_(load),
        columns_of_(transposed(rows, columns, row_weight.size())),
        left_(columns.begin(), columns.end()),
        weight_of_(rows.columns(), 0.0),
        group_of_(row_weight.size(), -1) {
    for (const std::int32_t column : columns) {
      for (const std::int32_t row : rows.of(column)) weight_of_[column] += weight_[row];
      load_left_ += load_[column];
    }
    new_to_all_ = weight_of_;
  }

  std::vector<std::int32_t> grow(int groups_left) {
    ++group_;
    std::vector<std::int32_t> group;
    const double share = load_left_ / groups_left;
    double filled = 0;
    new_to_group_ = weight_of_;
    while (!left_.empty()) {
      const auto next = least(group.empty() ? new_to_all_ : new_to_group_);
      const double with_it = filled + load_[*next];
      if (groups_left > 1 && !group.empty() && with_it - share > share - filled) break;
      filled = with_it;
      group.push_back(*next);
      left_.erase(next);
      note_rows(group.back());
    }
    load_left_ -= filled;
    return group;
  }

 private:
  std::vector<std::int32_t>::iterator least(const std::vector<double>& weight) {
    return std::min_element(left_.begin(), left_.end(),
                            [&weight](std::int32_t l, std::int32_t r) { return weight[l] < weight[r]; });
  }

  void note_rows(std::int32_t column) {
    for (const std::int32_t row : rows_.of(column)) {
      if (group_of_[row] == group_) continue;
      const bool new_to_all = group_of_[row] < 0;
      group_of_[row] = group_;
      for (const std::int32_t other : columns_of_.of(row)) {
        new_to_group_[other] -= weight_[row];
        if (new_to_all) new_to_all_[other] -= weight_[row];
      }
    }
  }

  const ColumnRows& rows_;
  std::span<const double> weight_, load_;
  ColumnRows columns_of_;
  std::vector<std::int32_t> left_;  // increasing
  double load_left_ = 0;
  std::vector<double> weight_of_, new_to_all_, new_to_group_;  // by column
  std::vector<int> group_of_;                                  // by row: the last group that has it
  int group_ = -1;
};

}  // namespace

std::vector<std::vector<std::int32_t>> grow_groups(const ColumnRows& rows,
                                                   std::span<const std::int32_t> columns,
                                                   std::span<const double> row_weight,
                                                   std::span<const double> load, int groups) {
  Growth growth(rows, columns, row_weight, load);
  std::vector<std::vector<std::int32_t>> grown;
  for (int left = groups; left > 0; --left) grown.push_back(growth.grow(left));
  return grown;
}

}  // namespace foretile
