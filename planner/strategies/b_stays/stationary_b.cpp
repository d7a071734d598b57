// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/stationary_b.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "planner/plan/owners.hpp"
#include "planner/strategies/b_stays/b_stays.hpp"

namespace foretile {

std::vector<double> column_flops(const Contraction& p) {
  std::vector<double> rows_meeting(p.k.tiles(), 0.0);  // elements of M with a nonzero tile in A's column k
  for (TileId a = 0; a < p.a.nonzeros(); ++a) {
    rows_meeting[p.a.column_of(a)] += static_cast<double>(p.m.size(p.a.row_of(a)));
  }
  std::vector<double> flops(p.n.tiles(), 0.0);
  for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
    for (const std::int32_t k : p.b.column(j)) {
      flops[j] += 2.0 * rows_meeting[k] * static_cast<double>(p.k.size(k)) * static_cast<double>(p.n.size(j));
    }
  }
  return flops;
}

std::vector<int> distribute_mirrored(const std::vector<double>& weights, int q) {
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t l, std::size_t r) { return weights[l] < weights[r]; });
  std::vector<int> owner(weights.size());
  for (std::size_t place = 0; place < order.size(); ++place) {
    const int pass = static_cast<int>(place / q % 2);
    const int within = static_cast<int>(place % q);
    owner[order[place]] = pass == 0 ? within : q - 1 - within;
  }
  return owner;
}

std::vector<std::vector<std::int32_t>> worst_fit(const std::vector<std::int64_t>& sizes,
                                                 std::int64_t capacity, int devices) {
  std::vector<std::int32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t l, std::int32_t r) { return sizes[l] > sizes[r]; });
  struct Bin {
    std::int64_t space;
    std::size_t index;
    bool operator<(const Bin& o) const { return space != o.space ? space < o.space : index > o.index; }
  };
  std::priority_queue<Bin> bins;
  std::vector<std::vector<std::int32_t>> filled;
  const auto open_bin = [&] {
    bins.push({capacity, filled.size()});
    filled.emplace_back();
  };
  for (int d = 0; d < devices; ++d) open_bin();
  for (const std::int32_t item : order) {
    if (sizes[item] > bins.top().space) open_bin();
    Bin bin = bins.top();
    bins.pop();
    filled[bin.index].push_back(item);
    bins.push({bin.space - sizes[item], bin.index});
  }
  return filled;
}

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

namespace {

constexpr const char* kStationaryBName = "stationary-b";
constexpr const char* kBalance = "balance";
constexpr const char* kTime = "time";

class StationaryBPlanner final : public BStaysPlanner {
 public:
  StationaryBPlanner(const Contraction& contraction, const Machine& machine, const Settings& settings)
      : BStaysPlanner(kStationaryBName, contraction, machine, settings),
        column_owner_(distribute_mirrored(column_flops(problem_), frame_.grid.q)),
        by_time_(settings.at(kBalance) == kTime) {
    if (by_time_) costs_ = column_costs(contraction, machine, frame_, block_bytes_);
  }

 private:
  std::vector<std::vector<Columns>> blocks_of(Rank rank) const override {
    const Columns columns = columns_of(frame_.grid.column(rank));
    const std::vector<Columns> bins = bins_of(columns, rank);
    std::vector<std::vector<Columns>> blocks(static_cast<std::size_t>(machine_.devices_per_rank));
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      if (bins[bin].empty()) continue;
      Columns& block = blocks[bin % blocks.size()].emplace_back();
      for (const std::int32_t position : bins[bin]) block.push_back(columns[position]);
      std::sort(block.begin(), block.end());
    }
    return blocks;
  }

  std::vector<Transfer> transfers_of(Rank rank) const override {
    return broadcasts_of(problem_, frame_.grid, rank, {{Matrix::a, column_owner_, {}, {}}},
                         Sending::once_for_ever, frame_.lookahead, message_bytes_);
  }

  Columns columns_of(int grid_column) const {
    Columns columns;
    for (std::int32_t j = 0; j < problem_.n.tiles(); ++j) {
      if (column_owner_[j] == grid_column) columns.push_back(j);
    }
    return columns;
  }

  /// Positions in `columns`.
  std::vector<std::vector<std::int32_t>> bins_of(const Columns& columns, Rank rank) const {
    const auto bytes = column_bytes(columns, rank);
    const int devices = machine_.devices_per_rank;
    return by_time_ ? even_fit(columns, bytes, block_bytes_, devices, costs_)
                    : worst_fit(bytes, block_bytes_, devices);
  }

  std::vector<int> column_owner_;
  bool by_time_;
  ColumnCosts costs_;  // empty unless by_time_
};

}  // namespace

std::unique_ptr<Strategy> stationary_b() {
  return b_stays({.name = kStationaryBName,
                  .block = {"0.5", {"0.3", "0.4", "0.5", "0.6", "0.7"}},
                  .chunk = {"0.25", {"0.1", "0.15", "0.2", "0.25"}},
                  .parameters = {{kBalance, kTime,
                                  "what a rank's devices get evenly: time; bytes: blocks as RR-9365 3.2.2 "
                                  "fills them",
                                  one_of({kTime, "bytes"})}},
                  .prepare = prepared<StationaryBPlanner>});
}

}  // namespace foretile
