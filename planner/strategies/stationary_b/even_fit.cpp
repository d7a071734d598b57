// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/stationary_b/even_fit.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace foretile {

namespace {

class Packing {
 public:
  Packing(std::int64_t capacity, int devices, std::int64_t bins_each, const ColumnCosts& costs)
      : costs_(costs),
        times_(devices),
        bins_(devices * bins_each, Bin{capacity, {}, std::vector<char>(costs.row_s.size(), 0)}) {}

  /// Whether the column fits anywhere; if so, it is placed.
  bool place(std::int32_t position, std::int32_t column, std::int64_t bytes) {
    std::size_t best = bins_.size();
    Times best_times;
    for (std::size_t b = 0; b < bins_.size(); ++b) {
      if (bins_[b].space < bytes) continue;
      const Times times = times_with(b, column);
      if (best < bins_.size() && times.longest() >= best_times.longest()) continue;
      best = b;
      best_times = times;
    }
    if (best == bins_.size()) return false;
    times_[best % times_.size()] = best_times;
    bins_[best].space -= bytes;
    bins_[best].positions.push_back(position);
    for (const std::int32_t k : costs_.rows.of(column)) bins_[best].has_row[k] = 1;
    return true;
  }

  std::vector<std::vector<std::int32_t>> positions() && {
    std::vector<std::vector<std::int32_t>> lists;
    for (Bin& bin : bins_) lists.push_back(std::move(bin.positions));
    return lists;
  }

 private:
  struct Times {
    double copy_s = 0, product_s = 0;
    double longest() const { return std::max(copy_s, product_s); }
  };
  struct Bin {
    std::int64_t space;
    std::vector<std::int32_t> positions;
    std::vector<char> has_row;  // by tile row of B: whether its tiles of A are needed
  };

  /// Of the bin's device, with the column in it.
  Times times_with(std::size_t bin, std::int32_t column) const {
    Times times = times_[bin % times_.size()];
    times.copy_s += costs_.copy_s[column];
    times.product_s += costs_.product_s[column];
    for (const std::int32_t k : costs_.rows.of(column)) {
      if (!bins_[bin].has_row[k]) times.copy_s += costs_.row_s[k] + costs_.shared_row_s[k];
    }
    return times;
  }

  const ColumnCosts& costs_;
  std::vector<Times> times_;  // by device
  std::vector<Bin> bins_;
};

}  // namespace

std::vector<std::vector<std::int32_t>> even_fit(std::span<const std::int32_t> columns,
                                                std::span<const std::int64_t> bytes, std::int64_t capacity,
                                                int devices, const ColumnCosts& costs) {
  std::vector<std::int32_t> order(columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t l, std::int32_t r) { return bytes[l] > bytes[r]; });
  const std::int64_t sum = std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
  const std::int64_t room = std::max<std::int64_t>(capacity, 1);
  for (std::int64_t each = std::max<std::int64_t>(1, (sum + room * devices - 1) / (room * devices));;
       ++each) {
    Packing packing(capacity, devices, each, costs);
    const bool all_placed = std::all_of(order.begin(), order.end(), [&](std::int32_t position) {
      return packing.place(position, columns[position], bytes[position]);
    });
    if (all_placed) return std::move(packing).positions();
  }
}

}  // namespace foretile
