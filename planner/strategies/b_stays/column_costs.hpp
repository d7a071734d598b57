// SPDX-License-Identifier: BSD-3-Clause
// What columns of C cost the devices and ranks that compute them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// For each column of B the tile rows k that it has, compressed.
class ColumnRows {
 public:
  void add_column(std::span<const std::int32_t> rows) {
    rows_.insert(rows_.end(), rows.begin(), rows.end());
    start_.push_back(rows_.size());
  }
  std::int32_t columns() const { return static_cast<std::int32_t>(start_.size()) - 1; }
  std::span<const std::int32_t> of(std::int32_t column) const {
    return {rows_.data() + start_[column], start_[column + 1] - start_[column]};
  }

 private:
  std::vector<std::size_t> start_{0};
  std::vector<std::int32_t> rows_;
};

/// Seconds, without regard to what else goes on. A column's part on a rank is what a rank of one of the p
/// rows of the grid has to do for it in the mean.
struct ColumnCosts {
  ColumnRows rows;                ///< of B, where they have a product; a column of A for each row
  std::vector<double> copy_s;     ///< by column: B to the device, C from it
  std::vector<double> product_s;  ///< by column: the device computes
  std::vector<double> make_s;     ///< by column: all cores of the rank make B
  std::vector<double> bytes;      ///< by column: of B and C on the device
  double block_bytes = 0;         ///< room for the columns that are on a device together
  /// By row: what each device that has it spends on copies of its tiles of A, from wherever they come.
  std::vector<double> row_s;
  /// By row: what one device of each rank that has it spends in addition, because the tiles come from the
  /// host.
  std::vector<double> shared_row_s;
};

/// O(products). `frame` has the grid and the batch.
ColumnCosts column_costs(const Contraction& contraction, const Machine& machine, const PlanFrame& frame,
                         std::int64_t block_bytes);

}  // namespace foretile
