// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/stationary_b/stationary_b.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

#include "planner/plan/owners.hpp"
#include "planner/strategies/b_stays.hpp"
#include "planner/strategies/column_costs.hpp"
#include "planner/strategies/stationary_b/even_fit.hpp"
#include "planner/strategies/strategy.hpp"

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

std::vector<int> deal_mirrored(const std::vector<double>& weights, int q) {
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

constexpr const char* kStationaryBName = "stationary-b";
constexpr const char* kBalance = "balance";
constexpr const char* kTime = "time";

class StationaryBPlanner final : public BStaysPlanner {
 public:
  StationaryBPlanner(const Contraction& contraction, const Machine& machine, const Settings& settings)
      : BStaysPlanner(kStationaryBName, contraction, machine, settings),
        column_owner_(deal_mirrored(column_flops(problem_), frame_.grid.q)),
        by_time_(settings.at(kBalance) == kTime) {
    if (by_time_) costs_ = column_costs(contraction, machine, frame_, block_bytes_);
  }

  RankPlan plan_rank(Rank rank) const override {
    RankPlan plan;
    plan.devices.resize(machine_.devices_per_rank);
    const auto columns = columns_of(frame_.grid.column(rank));
    const auto bins = bins_of(columns, rank);
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      if (bins[bin].empty()) continue;
      Block block;
      for (const std::int32_t position : bins[bin]) block.columns.push_back(columns[position]);
      std::sort(block.columns.begin(), block.columns.end());
      block.chunks = cyclic_chunks(tiles_of_a(block, rank), chunk_bytes_,
                                   [this](TileId a) { return problem_.a_bytes(a); });
      if (!block.chunks.empty()) plan.devices[bin % plan.devices.size()].blocks.push_back(std::move(block));
    }
    plan.transfers = broadcasts_of(problem_, frame_.grid, rank, {{Matrix::a, column_owner_, {}, {}}},
                                   Sending::once_for_ever, frame_.lookahead, message_bytes_);
    return plan;
  }

 private:
  std::vector<std::int32_t> columns_of(int grid_column) const {
    std::vector<std::int32_t> columns;
    for (std::int32_t j = 0; j < problem_.n.tiles(); ++j) {
      if (column_owner_[j] == grid_column) columns.push_back(j);
    }
    return columns;
  }

  /// Positions in `columns`.
  std::vector<std::vector<std::int32_t>> bins_of(const std::vector<std::int32_t>& columns, Rank rank) const {
    const auto bytes = column_bytes(columns, rank);
    const int devices = machine_.devices_per_rank;
    return by_time_ ? even_fit(columns, bytes, block_bytes_, devices, costs_)
                    : worst_fit(bytes, block_bytes_, devices);
  }

  std::vector<int> column_owner_;
  bool by_time_;
  ColumnCosts costs_;  // empty unless by_time_
};

class StationaryB final : public Strategy {
 public:
  std::string name() const override { return kStationaryBName; }

  /// A is sent, B is made where it stays.
  Sources sources_for(const Sources& asked) const override { return {Source::given, made_or_read(asked.b)}; }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list = b_stays_parameters({"0.5", {"0.3", "0.4", "0.5", "0.6", "0.7"}},
                                                         {"0.25", {"0.1", "0.15", "0.2", "0.25"}});
    list.push_back({kBalance, kTime,
                    "what a rank's devices get evenly: time; bytes: blocks as RR-9365 3.2.2 fills them",
                    one_of({kTime, "bytes"})});
    return list;
  }

  Dealing dealing(const Contraction& /*contraction*/, const Machine& machine,
                  const Settings& settings) const override {
    return b_stays_dealing(machine, settings);
  }

  Settings plan_key(const Contraction& contraction, const Machine& machine,
                    const Settings& settings) const override {
    refuse_b_stays(contraction, machine, settings);
    return settings;
  }

  std::vector<Settings> with_less_per_rank(const Contraction& contraction, const Machine& machine,
                                           const Settings& settings) const override {
    return b_stays_with_less_per_rank(contraction, machine, settings);
  }

  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings,
                                       const PlanContext& /*context*/) const override {
    return std::make_unique<StationaryBPlanner>(contraction, machine, settings);
  }
};

}  // namespace

std::unique_ptr<Strategy> stationary_b() {
  return std::make_unique<StationaryB>();
}

}  // namespace foretile
