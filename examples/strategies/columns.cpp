// SPDX-License-Identifier: BSD-3-Clause
// Each rank computes whole tile columns of C: the strategy that docs/tutorials/strategy.md explains.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/parse.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"
#include "planner/strategies/frame.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

constexpr const char* kColumnsName = "columns";

class ColumnsPlanner final : public RankPlanner {
 public:
  ColumnsPlanner(const Contraction& contraction, const Machine& machine, const Settings& settings)
      : problem_(contraction),
        devices_(machine.devices_per_rank),
        message_bytes_(message_bytes(settings)),
        frame_(common_frame(kColumnsName, machine, settings, 1)) {
    frame_.lookahead = static_cast<int>(integer_setting(settings, "lookahead"));
    frame_.advice.device_memory = "lower lookahead, or tile the problem finer";
  }

  PlanFrame frame() const override { return frame_; }

  RankPlan plan_rank(Rank rank) const override {
    RankPlan plan;
    plan.devices.resize(static_cast<std::size_t>(devices_));
    std::size_t device = 0;
    for (std::int32_t j = rank; j < problem_.n.tiles(); j += frame_.grid.q) {
      Block block = block_of(j);
      if (block.chunks.empty()) continue;
      plan.devices[device].blocks.push_back(std::move(block));
      device = (device + 1) % plan.devices.size();
    }
    plan.transfers = messages_of(rank);
    return plan;
  }

 private:
  /// Column j of C stays on the device. A chunk has the tiles of one column k of A; B_kj streams beside them.
  Block block_of(std::int32_t j) const {
    Block block{{j}, {}};
    const BlockProducts products(problem_, block.columns);
    for (const std::int32_t k : problem_.b.column(j)) {
      Chunk chunk;
      for (const TileId a : problem_.a.column_ids(k)) {
        if (products.any(a)) chunk.a.push_back(a);
      }
      if (!chunk.a.empty()) block.chunks.push_back(std::move(chunk));
    }
    return block;
  }

  /// A tile of A goes once to each other rank that multiplies it. B_kj is where column j of C is computed.
  std::vector<Transfer> messages_of(Rank rank) const {
    Routes of_a;
    of_a.matrix = Matrix::a;
    of_a.position = distribute_cyclic(problem_.n.tiles(), frame_.grid.q);
    return broadcasts_of(problem_, frame_.grid, rank, {of_a}, Sending::once_for_ever, frame_.lookahead,
                         message_bytes_);
  }

  const Contraction& problem_;
  int devices_;
  std::int64_t message_bytes_;
  PlanFrame frame_;
};

class ColumnsStrategy final : public Strategy {
 public:
  std::string name() const override { return kColumnsName; }

  Sources sources_for(const Sources&) const override { return {Source::given, Source::given}; }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list{{.key = "lookahead",
                                     .default_value = "1",
                                     .meaning = "chunks that are loaded ahead of the one worked on",
                                     .spelling = whole_number(0, kMostAhead),
                                     .tries = {"0", "1", "2", "4"}}};
    for (ParameterInfo& shared : common_parameters()) list.push_back(std::move(shared));
    return list;
  }

  /// The tuner's lower bounds use it: one row of ranks, so that each has whole columns.
  DistributionOfC distribution_of_c(const Contraction&, const Machine& machine,
                                    const Settings&) const override {
    return {.rows = 1, .columns = machine.ranks};
  }

  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings, const PlanContext&) const override {
    return std::make_unique<ColumnsPlanner>(contraction, machine, settings);
  }
};

}  // namespace

std::unique_ptr<Strategy> columns() {
  return std::make_unique<ColumnsStrategy>();
}

}  // namespace foretile
