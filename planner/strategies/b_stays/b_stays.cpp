// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/b_stays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/missing_memory.hpp"
#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "planner/plan/products.hpp"
#include "planner/strategies/frame.hpp"

namespace foretile {

namespace {

PlanFrame make_frame(std::string_view strategy, const Contraction& contraction, const Machine& machine,
                     const Settings& settings) {
  const int p = static_cast<int>(integer_setting(settings, "grid.p", 1, machine.ranks));
  PlanFrame frame = common_frame(strategy, machine, settings, p);
  frame.operands.b = stays_as(contraction.sources.b);
  frame.advice = {"lower block_fraction, chunk_fraction or lookahead",
                  "use more ranks, raise grid.p (fewer tiles of A per rank) or lower staging_fraction",
                  "raise staging_fraction", "lower staging_fraction",
                  "platform.device.memory and staging_fraction"};
  frame.lookahead = static_cast<int>(integer_setting(settings, "lookahead"));
  frame.staging_bytes = staging_bytes(frame, machine, settings);
  return frame;
}

/// What a device may hold.
struct Limits {
  std::int64_t block_bytes = 0, chunk_bytes = 0;
};

/// Throws InputError where a block and the chunks beside it do not fit a device.
Limits limits_of(const PlanFrame& frame, const Settings& settings) {
  const std::int64_t memory_bytes = frame.device_classes.front().memory_bytes;
  const auto budget = static_cast<double>(memory_bytes);
  const Limits limits{static_cast<std::int64_t>(real_setting(settings, "block_fraction") * budget),
                      static_cast<std::int64_t>(real_setting(settings, "chunk_fraction") * budget)};
  const std::int64_t in_use = limits.block_bytes + (1 + frame.lookahead) * limits.chunk_bytes;
  if (in_use <= memory_bytes) return limits;
  throw input_error("block_fraction + (1 + lookahead) * chunk_fraction",
                    fmt::format("{:.4g}", static_cast<double>(in_use) / budget), "at most 1",
                    "lower block_fraction, chunk_fraction or lookahead");
}

/// Whether A_ik has a product.
bool is_used(const Contraction& problem, std::int32_t i, std::int32_t k) {
  const auto columns = problem.b.row(k);
  const auto kept = problem.c.row(i);
  auto c = kept.begin();
  for (const std::int32_t j : columns) {
    while (c != kept.end() && *c < j) ++c;
    if (c == kept.end()) return false;
    if (*c == j) return true;
  }
  return false;
}

/// Of the row of a grid with p rows that has most.
std::int64_t most_bytes_of_a(const Contraction& contraction, int p) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(p), 0);
  for (TileId a = 0; a < contraction.a.nonzeros(); ++a)
    bytes[static_cast<std::size_t>(contraction.a.row_of(a) % p)] += contraction.a_bytes(a);
  return *std::ranges::max_element(bytes);
}

}  // namespace

BStaysPlanner::BStaysPlanner(std::string_view strategy, const Contraction& contraction,
                             const Machine& machine, const Settings& settings)
    : problem_(contraction), machine_(machine), frame_(make_frame(strategy, contraction, machine, settings)) {
  const Limits limits = limits_of(frame_, settings);
  block_bytes_ = limits.block_bytes;
  chunk_bytes_ = limits.chunk_bytes;
  message_bytes_ = message_bytes(settings);
}

RankPlan BStaysPlanner::plan_rank(Rank rank) const {
  RankPlan plan;
  std::vector<std::vector<Columns>> blocks = blocks_of(rank);
  for (std::size_t d = 0; d < blocks.size(); ++d) {
    DevicePlan& device = plan.devices.emplace_back();
    const std::vector<LoadLists> loads = loads_of(rank, Device::of(d), blocks[d]);
    for (std::size_t b = 0; b < loads.size(); ++b) {
      std::vector<Chunk> chunks =
          cyclic_chunks(loads[b], chunk_bytes_, [this](TileId a) { return problem_.a_bytes(a); });
      if (!chunks.empty()) device.blocks.push_back({std::move(blocks[d][b]), std::move(chunks)});
    }
  }
  plan.transfers = transfers_of(rank);
  return plan;
}

std::vector<LoadLists> BStaysPlanner::loads_of(Rank rank, Device /*device*/,
                                               const std::vector<Columns>& blocks) const {
  std::vector<LoadLists> loads;
  for (const Columns& block : blocks) loads.push_back(tiles_of_a(block, rank));
  return loads;
}

std::vector<std::int64_t> BStaysPlanner::column_bytes(const Columns& columns, Rank rank) const {
  const int grid_row = frame_.grid.row(rank);
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
    if (bytes.back() > block_bytes_)
      refuse(rank, "column of B and C", j, bytes.back(), block_bytes_, "block_fraction");
  }
  return bytes;
}

LoadLists BStaysPlanner::tiles_of_a(const Columns& block, Rank rank) const {
  const BlockProducts products(problem_, block);
  LoadLists rows;
  for (std::int32_t i = frame_.grid.row(rank); i < problem_.m.tiles(); i += frame_.grid.p) {
    std::vector<TileId> used;
    const TileId first = problem_.a.first(i);
    for (TileId a = first; a < first + static_cast<TileId>(problem_.a.row(i).size()); ++a) {
      if (!products.any(a)) continue;
      if (problem_.a_bytes(a) > chunk_bytes_)
        refuse(rank, "tile of A", a, problem_.a_bytes(a), chunk_bytes_, "chunk_fraction");
      used.push_back(a);
    }
    rows.push_back(std::move(used));
  }
  return rows;
}

void BStaysPlanner::refuse(Rank rank, const char* what, std::int64_t index, std::int64_t needed,
                           std::int64_t limit, const char* parameter) const {
  throw missing_memory(
      fmt::format("plan of rank {}", rank), fmt::format("{} {} of {}", what, index, spelled_bytes(needed)),
      fmt::format("at most {}, {} {} of {} of device memory", spelled_bytes(limit), parameter,
                  frame_.parameters.at(parameter), spelled_bytes(frame_.device_classes.front().memory_bytes)),
      needed - limit,
      fmt::format("raise {}, or tile the problem finer, or give devices more memory", parameter));
}

namespace {

class BStays final : public Strategy {
 public:
  explicit BStays(BStaysPreset preset) : preset_(std::move(preset)) {}

  std::string name() const override { return preset_.name; }

  /// A is sent, B is generated where it stays.
  Sources sources_for(const Sources& asked) const override { return {Source::given, made_or_read(asked.b)}; }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list{
        distributes_c(
            with_divisors({"grid.p", "1", "rows of the process grid; B is replicated this many times",
                           whole_number(1, kMostCounted)})),
        in_reports({"block_fraction", preset_.block.default_value,
                    "share of device memory for a block of B and C", real_number(0.001, 1),
                    preset_.block.tries}),
        in_reports({"chunk_fraction", preset_.chunk.default_value, "share of device memory for a chunk of A",
                    real_number(0.0001, 1), preset_.chunk.tries}),
        in_reports({"lookahead",
                    "1",
                    "chunks loaded ahead of the one worked on",
                    whole_number(0, kMostAhead),
                    {"1", "2"}}),
        staging_parameter()};
    for (ParameterInfo& shared : common_parameters()) list.push_back(std::move(shared));
    list.insert(list.end(), preset_.parameters.begin(), preset_.parameters.end());
    return list;
  }

  /// Which columns a rank gets is open.
  DistributionOfC distribution_of_c(const Contraction& /*contraction*/, const Machine& machine,
                                    const Settings& settings) const override {
    DistributionOfC distribution;
    if (settings.contains("grid.p"))
      distribution.rows = static_cast<int>(integer_setting(settings, "grid.p", 1, machine.ranks));
    return distribution;
  }

  /// Refuses a block and chunks that do not fit a device, and a tile of A that fits no chunk. O(nonzeros of
  /// A).
  Settings plan_key(const Contraction& contraction, const Machine& machine,
                    const Settings& settings) const override {
    const Limits limits = limits_of(make_frame("", contraction, machine, settings), settings);
    for (std::int32_t i = 0; i < contraction.m.tiles(); ++i) {
      TileId a = contraction.a.first(i);
      for (const std::int32_t k : contraction.a.row(i)) {
        const std::int64_t bytes = contraction.a_bytes(a++);
        if (bytes <= limits.chunk_bytes || !is_used(contraction, i, k)) continue;
        throw missing_memory("chunk_fraction", fmt::format("a tile of A of {}", spelled_bytes(bytes)),
                             fmt::format("at most {} in a chunk", spelled_bytes(limits.chunk_bytes)),
                             bytes - limits.chunk_bytes, "raise chunk_fraction, or tile the problem finer");
      }
    }
    return settings;
  }

  /// More rows of the grid.
  std::vector<Settings> with_less_per_rank(const Contraction& contraction, const Machine& machine,
                                           const Settings& settings) const override {
    const PlanFrame frame = make_frame("", contraction, machine, settings);
    const std::int64_t beside_a =
        static_cast<std::int64_t>(bytes_of_all(contraction, Matrix::c)) / machine.ranks + frame.staging_bytes;
    std::vector<Settings> changes;
    const int least = frame.grid.p, most = std::min(machine.ranks, contraction.m.tiles());
    for (int p = least; p <= most; ++p) {
      if (p != least && machine.ranks % p != 0) continue;
      if (most_bytes_of_a(contraction, p) + beside_a > frame.host_budget_bytes) continue;
      changes.push_back(p == least ? Settings() : Settings{{"grid.p", fmt::to_string(p)}});
    }
    return changes;
  }

  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings,
                                       const PlanContext& /*context*/) const override {
    return preset_.prepare(contraction, machine, settings);
  }

 private:
  BStaysPreset preset_;
};

}  // namespace

std::unique_ptr<Strategy> b_stays(BStaysPreset preset) {
  return std::make_unique<BStays>(std::move(preset));
}

}  // namespace foretile
