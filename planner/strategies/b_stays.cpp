#include "planner/strategies/b_stays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/plan/products.hpp"
#include "planner/strategies/frame.hpp"

namespace foretile {

std::vector<ParameterInfo> b_stays_parameters(const Fraction& block, const Fraction& chunk) {
  std::vector<ParameterInfo> list{
      with_divisors({"grid.p", "1", "rows of the process grid; B is replicated this many times",
                     whole_number(1, kMostCounted)}),
      in_reports({"block_fraction", block.default_value, "share of device memory for a block of B and C",
                  real_number(0.001, 1), block.tries}),
      in_reports({"chunk_fraction", chunk.default_value, "share of device memory for a chunk of A",
                  real_number(0.0001, 1), chunk.tries}),
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

namespace {

PlanFrame make_frame(std::string_view strategy, const Machine& machine, const Settings& settings) {
  const int p = static_cast<int>(integer_setting(settings, "grid.p", 1, machine.ranks));
  PlanFrame frame = common_frame(strategy, machine, settings, p);
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

}  // namespace

Dealing b_stays_dealing(const Settings& settings) {
  Dealing dealing;
  if (settings.contains("grid.p"))
    dealing.rows = static_cast<int>(integer_setting(settings, "grid.p", 1, kMostCounted));
  return dealing;
}

BStaysPlanner::BStaysPlanner(std::string_view strategy, const Contraction& contraction,
                             const Machine& machine, const Settings& settings)
    : problem_(contraction), machine_(machine), frame_(make_frame(strategy, machine, settings)) {
  const std::int64_t memory_bytes = frame_.device_classes.front().memory_bytes;
  const auto budget = static_cast<double>(memory_bytes);
  block_bytes_ = static_cast<std::int64_t>(real_setting(settings, "block_fraction") * budget);
  chunk_bytes_ = static_cast<std::int64_t>(real_setting(settings, "chunk_fraction") * budget);
  message_bytes_ = message_bytes(settings);
  const std::int64_t in_use = block_bytes_ + (1 + frame_.lookahead) * chunk_bytes_;
  if (in_use > memory_bytes) {
    throw input_error("block_fraction + (1 + lookahead) * chunk_fraction",
                      fmt::format("{:.4g}", static_cast<double>(in_use) / budget), "at most 1",
                      "lower block_fraction, chunk_fraction or lookahead");
  }
}

std::vector<std::int64_t> BStaysPlanner::column_bytes(const std::vector<std::int32_t>& columns,
                                                      Rank rank) const {
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

std::vector<std::vector<TileId>> BStaysPlanner::tiles_of_a(const Block& block, Rank rank) const {
  const BlockProducts products(problem_, block.columns);
  std::vector<std::vector<TileId>> rows;
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
  throw input_error(
      fmt::format("plan of rank {}", rank), fmt::format("{} {} of {} bytes", what, index, needed),
      fmt::format("at most {} bytes ({} {} of {} bytes of device memory)", limit, parameter,
                  frame_.parameters.at(parameter), frame_.device_classes.front().memory_bytes),
      fmt::format("{} bytes are missing: raise {}, or tile the problem finer, or give devices more memory",
                  needed - limit, parameter));
}

}  // namespace foretile
