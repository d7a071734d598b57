// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/distribute_columns.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

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

namespace {

struct DeviceLoad {
  double copy_s = 0, rows_s = 0, product_s = 0, bytes = 0;
};

struct RankLoad {
  double shared_rows_s = 0, make_s = 0;
};

double fourth_power(double x) {
  return x * x * (x * x);
}

class ColumnsToDevices {
 public:
  ColumnsToDevices(const ColumnCosts& costs, int ranks, int devices_per_rank)
      : costs_(costs),
        per_rank_(devices_per_rank),
        device_of_(costs.rows.columns(), 0),
        devices_(static_cast<std::size_t>(ranks) * devices_per_rank),
        ranks_(ranks),
        users_(costs.row_s.size()),
        known_s_(devices_.size(), 0.0),
        shared_known_s_(ranks, 0.0) {}

  void give(std::int32_t column, int device) {
    device_of_[column] = device;
    change(column, device, 1);
  }

  /// Each column in turn goes where it adds least. Whether any has moved.
  bool improve() {
    set_scale();
    bool any = false;
    for (std::int32_t column = 0; column < costs_.rows.columns(); ++column) any |= move(column);
    return any;
  }

  std::vector<std::int32_t> take() { return std::move(device_of_); }

 private:
  /// A device with columns that have the row.
  struct User {
    int device;
    int columns;
  };

  int rank_of(int device) const { return device / per_rank_; }

  static std::vector<User>::const_iterator first_from(const std::vector<User>& users, int device) {
    return std::partition_point(users.begin(), users.end(), [=](const User& u) { return u.device < device; });
  }

  bool used_by_rank(std::int32_t row, int rank) const {
    const auto user = first_from(users_[row], rank * per_rank_);
    return user != users_[row].end() && rank_of(user->device) == rank;
  }

  /// Adds the column to the device, or takes it away (`by` = -1).
  void change(std::int32_t column, int device, int by) {
    DeviceLoad& load = devices_[device];
    RankLoad& of_rank = ranks_[rank_of(device)];
    load.copy_s += by * costs_.copy_s[column];
    load.product_s += by * costs_.product_s[column];
    load.bytes += by * costs_.bytes[column];
    of_rank.make_s += by * costs_.make_s[column];
    for (const std::int32_t row : costs_.rows.of(column)) {
      const bool before = used_by_rank(row, rank_of(device));
      change_user(users_[row], row, device, by);
      if (used_by_rank(row, rank_of(device)) != before)
        of_rank.shared_rows_s += by * costs_.shared_row_s[row];
    }
  }

  void change_user(std::vector<User>& users, std::int32_t row, int device, int by) {
    auto user = users.begin() + (first_from(users, device) - users.begin());
    if (user == users.end() || user->device != device) {
      user = users.insert(user, {device, 0});
      devices_[device].rows_s += costs_.row_s[row];
    }
    user->columns += by;
    if (user->columns > 0) return;
    users.erase(user);
    devices_[device].rows_s -= costs_.row_s[row];
  }

  double copy_s(const DeviceLoad& load, const RankLoad& of_rank) const {
    const double times = load.bytes > costs_.block_bytes ? 2 : 1;
    return load.copy_s + times * (load.rows_s + of_rank.shared_rows_s / per_rank_);
  }

  double power(const DeviceLoad& load, const RankLoad& of_rank) const {
    return fourth_power(fourth_power(copy_s(load, of_rank) / scale_s_) +
                        fourth_power(load.product_s / scale_s_) + fourth_power(of_rank.make_s / scale_s_));
  }

  /// Of a rank whose device `changed` has this load instead.
  double power(int rank, const RankLoad& of_rank, int changed, const DeviceLoad& load) const {
    double sum = 0;
    for (int device = rank * per_rank_; device < (rank + 1) * per_rank_; ++device)
      sum += power(device == changed ? load : devices_[device], of_rank);
    return sum;
  }

  double power(int rank) const { return power(rank, ranks_[rank], -1, {}); }

  /// Keeps the powers in the range of a double.
  void set_scale() {
    scale_s_ = 0;
    for (int device = 0; device < static_cast<int>(devices_.size()); ++device) {
      const RankLoad& of_rank = ranks_[rank_of(device)];
      scale_s_ =
          std::max({scale_s_, copy_s(devices_[device], of_rank), devices_[device].product_s, of_rank.make_s});
    }
    if (scale_s_ <= 0) scale_s_ = 1;
  }

  /// What devices and ranks spend on the column's rows already.
  void note_known(std::int32_t column) {
    std::fill(known_s_.begin(), known_s_.end(), 0.0);
    std::fill(shared_known_s_.begin(), shared_known_s_.end(), 0.0);
    rows_s_ = shared_rows_s_ = 0;
    for (const std::int32_t row : costs_.rows.of(column)) {
      rows_s_ += costs_.row_s[row];
      shared_rows_s_ += costs_.shared_row_s[row];
      int last_rank = -1;
      for (const User& user : users_[row]) {
        known_s_[user.device] += costs_.row_s[row];
        const int rank = rank_of(user.device);
        if (rank != last_rank) shared_known_s_[rank] += costs_.shared_row_s[row];
        last_rank = rank;
      }
    }
  }

  /// What the column noted last, on no device now, would add there. Stops early above `limit`.
  double added(std::int32_t column, int device, double limit) const {
    const int rank = rank_of(device);
    DeviceLoad load = devices_[device];
    load.copy_s += costs_.copy_s[column];
    load.rows_s += rows_s_ - known_s_[device];
    load.product_s += costs_.product_s[column];
    load.bytes += costs_.bytes[column];
    RankLoad of_rank = ranks_[rank];
    of_rank.shared_rows_s += shared_rows_s_ - shared_known_s_[rank];
    of_rank.make_s += costs_.make_s[column];
    const double alone = power(load, of_rank) - power(devices_[device], ranks_[rank]);
    return alone > limit ? alone : power(rank, of_rank, device, load) - power(rank);
  }

  bool move(std::int32_t column) {
    constexpr double kRounding = 1 - 1e-9;  // no moves there and back
    const int from = device_of_[column];
    change(column, from, -1);
    note_known(column);
    int best = from;
    double least = kRounding * added(column, from, std::numeric_limits<double>::infinity());
    for (int device = 0; device < static_cast<int>(devices_.size()); ++device) {
      if (device == from) continue;
      const double sum = added(column, device, least);
      if (sum >= least) continue;
      least = sum;
      best = device;
    }
    give(column, best);
    return best != from;
  }

  const ColumnCosts& costs_;
  int per_rank_;
  std::vector<std::int32_t> device_of_;
  std::vector<DeviceLoad> devices_;
  std::vector<RankLoad> ranks_;
  std::vector<std::vector<User>> users_;  // by row; by increasing device
  double scale_s_ = 1;
  // Of the column noted last:
  double rows_s_ = 0, shared_rows_s_ = 0;
  std::vector<double> known_s_, shared_known_s_;  // by device, by rank
};

}  // namespace

std::vector<std::int32_t> distribute_columns(const ColumnCosts& costs, int ranks, int devices_per_rank) {
  constexpr std::size_t kMostSweeps = 12;
  constexpr std::size_t kMostTrials = 50'000'000;  // of a column on a device: some seconds
  std::vector<std::int32_t> all(costs.rows.columns());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> weight(costs.row_s);
  for (std::size_t row = 0; row < weight.size(); ++row) weight[row] += costs.shared_row_s[row];
  std::vector<double> load(costs.copy_s);
  for (std::size_t column = 0; column < load.size(); ++column)
    load[column] = std::max(load[column], costs.product_s[column]);
  ColumnsToDevices columns(costs, ranks, devices_per_rank);
  int device = 0;
  for (auto& of_rank : grow_groups(costs.rows, all, weight, load, ranks)) {
    std::sort(of_rank.begin(), of_rank.end());
    for (const auto& of_device : grow_groups(costs.rows, of_rank, weight, load, devices_per_rank)) {
      for (const std::int32_t column : of_device) columns.give(column, device);
      ++device;
    }
  }
  const std::size_t trials = std::max<std::size_t>(1, all.size() * ranks * devices_per_rank);
  for (std::size_t left = std::min(kMostSweeps, kMostTrials / trials); left > 0 && columns.improve();
       --left) {
  }
  return columns.take();
}

}  // namespace foretile
