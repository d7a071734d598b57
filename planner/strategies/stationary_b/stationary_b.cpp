#include "planner/strategies/stationary_b/stationary_b.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"
#include "planner/strategies/frame.hpp"
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

constexpr const char* kName = "stationary-b";

struct Limits {
  std::int64_t block_bytes;
  std::int64_t chunk_bytes;
  std::int64_t message_bytes;
};

class Planner final : public RankPlanner {
 public:
  Planner(const Contraction& contraction, const Machine& machine, const Settings& settings)
      : problem_(contraction), machine_(machine), frame_(make_frame(machine, settings)) {
    const auto budget = static_cast<double>(frame_.device_classes.front().memory_bytes);
    limits_ = {static_cast<std::int64_t>(real_setting(settings, "block_fraction") * budget),
               static_cast<std::int64_t>(real_setting(settings, "chunk_fraction") * budget),
               message_bytes(settings)};
    const std::int64_t in_use = limits_.block_bytes + (1 + frame_.lookahead) * limits_.chunk_bytes;
    if (in_use > frame_.device_classes.front().memory_bytes) {
      throw input_error("block_fraction + (1 + lookahead) * chunk_fraction",
                        fmt::format("{:.4g}", static_cast<double>(in_use) / budget), "at most 1",
                        "lower block_fraction, chunk_fraction or lookahead");
    }
    column_owner_ = deal_mirrored(column_flops(problem_), frame_.grid.q);
  }

  PlanFrame frame() const override { return frame_; }

  RankPlan plan_rank(Rank rank) const override {
    const int grid_row = frame_.grid.row(rank);
    RankPlan plan;
    plan.devices.resize(machine_.devices_per_rank);
    const auto columns = columns_of(frame_.grid.column(rank));
    const auto bins =
        worst_fit(column_bytes(columns, grid_row, rank), limits_.block_bytes, machine_.devices_per_rank);
    for (std::size_t bin = 0; bin < bins.size(); ++bin) {
      if (bins[bin].empty()) continue;
      Block block;
      for (const std::int32_t position : bins[bin]) block.columns.push_back(columns[position]);
      std::sort(block.columns.begin(), block.columns.end());
      block.chunks = chunks_of(block, grid_row, rank);
      if (!block.chunks.empty()) plan.devices[bin % plan.devices.size()].blocks.push_back(std::move(block));
    }
    plan.transfers = broadcasts_of(problem_, frame_.grid, rank, {{Matrix::a, column_owner_, {}, {}}},
                                   Sending::once_for_ever, frame_.lookahead, limits_.message_bytes);
    return plan;
  }

 private:
  static PlanFrame make_frame(const Machine& machine, const Settings& settings) {
    const int p = static_cast<int>(integer_setting(settings, "grid.p", 1, machine.ranks));
    PlanFrame frame = common_frame(kName, machine, settings, p);
    frame.operands.b = kMadeAndStays;
    frame.advice = {"lower block_fraction, chunk_fraction or lookahead",
                    "use more ranks, raise grid.p (fewer tiles of A per rank) or lower staging_fraction",
                    "raise staging_fraction", "lower staging_fraction",
                    "platform.device.memory and staging_fraction"};
    frame.lookahead = static_cast<int>(integer_setting(settings, "lookahead"));
    frame.staging_bytes = std::min(static_cast<std::int64_t>(real_setting(settings, "staging_fraction") *
                                                             static_cast<double>(frame.host_budget_bytes)),
                                   machine.devices_per_rank * frame.device_classes.front().memory_bytes);
    return frame;
  }

  std::vector<std::int32_t> columns_of(int grid_column) const {
    std::vector<std::int32_t> columns;
    for (std::int32_t j = 0; j < problem_.n.tiles(); ++j) {
      if (column_owner_[j] == grid_column) columns.push_back(j);
    }
    return columns;
  }

  /// Bytes of B's tiles that meet A's slice, and of C's tiles in the slice, per column.
  std::vector<std::int64_t> column_bytes(const std::vector<std::int32_t>& columns, int grid_row,
                                         Rank rank) const {
    std::vector<char> met(problem_.k.tiles(), 0);
    for (std::int32_t i = grid_row; i < problem_.m.tiles(); i += frame_.grid.p) {
      for (const std::int32_t k : problem_.a.row(i)) met[k] = 1;
    }
    std::vector<std::int64_t> bytes;
    bytes.reserve(columns.size());
    for (const std::int32_t j : columns) {
      std::int64_t elements = 0;
      for (const std::int32_t k : problem_.b.column(j)) elements += met[k] ? problem_.k.size(k) : 0;
      for (const std::int32_t i : problem_.c.column(j)) {
        if (i % frame_.grid.p == grid_row) elements += problem_.m.size(i);
      }
      bytes.push_back(problem_.element_bytes() * elements * problem_.n.size(j));
      if (bytes.back() > limits_.block_bytes)
        refuse(rank, "column of B and C", j, bytes.back(), limits_.block_bytes, "block_fraction");
    }
    return bytes;
  }

  /// Rows of A are walked cyclically, each by increasing k.
  std::vector<Chunk> chunks_of(const Block& block, int grid_row, Rank rank) const {
    const BlockProducts products(problem_, block.columns);
    std::vector<std::vector<TileId>> rows;
    for (std::int32_t i = grid_row; i < problem_.m.tiles(); i += frame_.grid.p) {
      std::vector<TileId> used;
      const TileId first = problem_.a.first(i);
      for (TileId a = first; a < first + static_cast<TileId>(problem_.a.row(i).size()); ++a) {
        if (!products.any(a)) continue;
        if (problem_.a_bytes(a) > limits_.chunk_bytes) {
          refuse(rank, "tile of A", a, problem_.a_bytes(a), limits_.chunk_bytes, "chunk_fraction");
        }
        used.push_back(a);
      }
      rows.push_back(std::move(used));
    }
    return cyclic_chunks(rows, limits_.chunk_bytes, [&](TileId a) { return problem_.a_bytes(a); });
  }

  [[noreturn]] void refuse(Rank rank, const char* what, std::int64_t index, std::int64_t needed,
                           std::int64_t limit, const char* parameter) const {
    throw input_error(
        fmt::format("plan of rank {}", rank), fmt::format("{} {} of {} bytes", what, index, needed),
        fmt::format("at most {} bytes ({} {} of {} bytes of device memory)", limit, parameter,
                    frame_.parameters.at(parameter), frame_.device_classes.front().memory_bytes),
        fmt::format("{} bytes are missing: raise {}, or tile the problem finer, or give devices more memory",
                    needed - limit, parameter));
  }

  const Contraction& problem_;
  Machine machine_;
  PlanFrame frame_;
  Limits limits_{};
  std::vector<int> column_owner_;
};

class StationaryB final : public Strategy {
 public:
  std::string name() const override { return kName; }

  /// A is sent, B is made where it stays.
  Sources sources_for(const Sources&) const override { return {Source::given, Source::made}; }

  std::vector<ParameterInfo> parameters() const override {
    std::vector<ParameterInfo> list{
        with_divisors({"grid.p", "1", "rows of the process grid; B is replicated this many times",
                       whole_number(1, kMostCounted)}),
        in_reports({"block_fraction",
                    "0.5",
                    "share of device memory for a block of B and C",
                    real_number(0.001, 1),
                    {"0.3", "0.4", "0.5", "0.6", "0.7"}}),
        in_reports({"chunk_fraction",
                    "0.25",
                    "share of device memory for a chunk of A",
                    real_number(0.0001, 1),
                    {"0.1", "0.15", "0.2", "0.25"}}),
        in_reports({"lookahead",
                    "1",
                    "chunks loaded ahead of the one worked on",
                    whole_number(0, kMostAhead),
                    {"1", "2"}}),
        {"staging_fraction", "0.25", "share of a rank's host memory for generated tiles of B on their way",
         real_number(0, 1)}};
    for (ParameterInfo& shared : common_parameters()) list.push_back(std::move(shared));
    return list;
  }

  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings) const override {
    return std::make_unique<Planner>(contraction, machine, settings);
  }
};

}  // namespace

std::unique_ptr<Strategy> stationary_b() {
  return std::make_unique<StationaryB>();
}

}  // namespace foretile
