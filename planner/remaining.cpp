// SPDX-License-Identifier: BSD-3-Clause
#include "planner/remaining.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "planner/plan/distribute_blocks.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"
#include "planner/verify/verify.hpp"

namespace foretile {

namespace {

/// Which tiles of A and B a rank multiplies at which steps.
class Uses {
 public:
  void add(TileRef tile, Step step) {
    uses_[static_cast<std::size_t>(tile.matrix)].emplace_back(tile.id, step);
  }
  /// Before questions. Many products use the same tile at the same step.
  void sort() {
    for (auto& uses : uses_) {
      std::sort(uses.begin(), uses.end());
      uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    }
  }
  bool between(TileRef tile, Step first, Step last) const {
    const auto& uses = uses_[static_cast<std::size_t>(tile.matrix)];
    const auto use = std::lower_bound(uses.begin(), uses.end(), std::pair(tile.id, int{first}));
    return use != uses.end() && use->first == tile.id && use->second <= last;
  }

 private:
  std::array<std::vector<std::pair<TileId, int>>, 2> uses_;
};

class Remainder {
 public:
  Remainder(const PlannedWork& whole, const std::vector<bool>& finished);
  RemainingWork work();

 private:
  Block block_of(const Block& whole, Uses& uses) const;
  RankPlan products_of(const RankPlan& whole, Uses& uses) const;
  void redistribute(const RankPlan& whole, RankPlan& rest) const;
  std::vector<Rank> receivers(const Transfer& whole, TileId tile) const;
  std::vector<Transfer> transfers_of(const RankPlan& whole) const;
  std::vector<Sum> sums_of(const RankPlan& whole) const;
  void distribute_c();

  const PlannedWork& whole_;
  const std::vector<bool>& finished_;
  std::vector<TileId> left_;  // numbers in the whole C
  Contraction problem_;
  Plan plan_;
  std::vector<Uses> uses_;  // by rank
};

Remainder::Remainder(const PlannedWork& whole, const std::vector<bool>& finished)
    : whole_(whole), finished_(finished), problem_(whole.contraction) {
  const Shape& c = whole.contraction.c;
  std::vector<Shape::Entry> entries;
  for (TileId tile = 0; tile < c.nonzeros(); ++tile) {
    if (finished[static_cast<std::size_t>(tile)]) continue;
    left_.push_back(tile);
    entries.push_back({c.row_of(tile), c.column_of(tile), c.norm(tile)});
  }
  problem_.c = Shape(c.rows(), c.columns(), std::move(entries));
  const PlanFrame& frame = whole.plan;
  static_cast<PlanFrame&>(plan_) = frame;
  distribute_c();
}

/// Rules that go by a tile's number would redistribute the remaining tiles.
void Remainder::distribute_c() {
  Distribution& distribution = plan_.operands.c.distribution;
  if (distribution.kind == DistributionKind::cyclic) return;
  std::vector<Rank> owners;
  for (const TileId tile : left_)
    owners.push_back(owner_of(whole_.contraction, whole_.plan, {Matrix::c, tile}));
  distribution = {DistributionKind::table, std::move(owners)};
}

/// Without chunks where nothing is left of the block.
Block Remainder::block_of(const Block& whole, Uses& uses) const {
  const BlockProducts products(problem_, whole.columns);
  const bool b_sent = !whole_.plan.operands.b.generated();
  const bool steps = whole_.plan.barriers != Barriers::none;
  std::vector<bool> used(static_cast<std::size_t>(problem_.n.tiles()), false);
  Block block;
  for (const Chunk& chunk : whole.chunks) {
    Chunk rest{{}, chunk.step};
    const Step step = steps ? chunk.step : Step(0);
    for (const TileId a : chunk.a) {
      if (!products.any(a)) continue;
      rest.a.push_back(a);
      uses.add({Matrix::a, a}, step);
      products.for_each(a, [&](const Product& product) {
        used[static_cast<std::size_t>(product.j)] = true;
        if (b_sent) uses.add({Matrix::b, product.b}, step);
      });
    }
    if (!rest.a.empty()) block.chunks.push_back(std::move(rest));
  }
  for (const std::int32_t j : whole.columns) {
    if (used[static_cast<std::size_t>(j)]) block.columns.push_back(j);
  }
  return block;
}

RankPlan Remainder::products_of(const RankPlan& whole, Uses& uses) const {
  RankPlan rank;
  for (const DevicePlan& device : whole.devices) {
    DevicePlan& rest = rank.devices.emplace_back();
    rest.device_class = device.device_class;
    for (const Block& block : device.blocks) {
      Block left = block_of(block, uses);
      if (!left.chunks.empty()) rest.blocks.push_back(std::move(left));
    }
    uses.sort();
  }
  if (whole_.plan.pool == Pool::open) redistribute(whole, rank);
  return rank;
}

/// One device may have finished all that was listed under it: each gets a share of what is left, as large as
/// it had of the whole.
void Remainder::redistribute(const RankPlan& whole, RankPlan& rest) const {
  std::vector<double> speeds;
  std::vector<Block> blocks;
  for (std::size_t d = 0; d < whole.devices.size(); ++d) {
    double flops = 0;
    for (const Block& block : whole.devices[d].blocks) flops += block_flops(whole_.contraction, block);
    speeds.push_back(flops);
    for (Block& block : rest.devices[d].blocks) blocks.push_back(std::move(block));
  }
  auto distributed = distribute_blocks(problem_, std::move(blocks), speeds);
  for (std::size_t d = 0; d < distributed.size(); ++d) rest.devices[d].blocks = std::move(distributed[d]);
}

std::vector<Rank> Remainder::receivers(const Transfer& whole, TileId tile) const {
  const bool steps = whole_.plan.barriers != Barriers::none;
  std::vector<Rank> receivers;
  for (const Rank rank : whole.others) {
    if (uses_[static_cast<std::size_t>(rank)].between({whole.matrix, tile}, steps ? whole.step : Step(0),
                                                      steps ? whole.last_step : kEver))
      receivers.push_back(rank);
  }
  return receivers;
}

/// Tiles that were sent together stay together where the same ranks still need them.
std::vector<Transfer> Remainder::transfers_of(const RankPlan& whole) const {
  std::vector<Transfer> transfers;
  for (const Transfer& transfer : whole.transfers) {
    bool begun = false;
    for (const TileId tile : transfer.tiles) {
      std::vector<Rank> others = receivers(transfer, tile);
      if (others.empty()) continue;
      if (!begun || transfers.back().others != others) {
        Transfer rest = transfer;
        rest.tiles.clear();
        rest.others = std::move(others);
        transfers.push_back(std::move(rest));
        begun = true;
      }
      transfers.back().tiles.push_back(tile);
    }
  }
  return transfers;
}

std::vector<Sum> Remainder::sums_of(const RankPlan& whole) const {
  std::vector<Sum> sums;
  for (const Sum& sum : whole.sums) {
    Sum rest{{}, sum.devices, sum.from, sum.to};
    for (const TileId tile : sum.tiles) {
      if (finished_[static_cast<std::size_t>(tile)]) continue;
      rest.tiles.push_back(std::lower_bound(left_.begin(), left_.end(), tile) - left_.begin());
    }
    if (!rest.tiles.empty()) sums.push_back(std::move(rest));
  }
  return sums;
}

RemainingWork Remainder::work() {
  const std::vector<RankPlan>& ranks = whole_.plan.ranks;
  for (const RankPlan& rank : ranks) plan_.ranks.push_back(products_of(rank, uses_.emplace_back()));
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    plan_.ranks[rank].transfers = transfers_of(ranks[rank]);
    plan_.ranks[rank].sums = sums_of(ranks[rank]);
  }
  PlanSummary summary = verify(plan_, problem_);
  return {{std::move(problem_), whole_.machine, std::move(plan_), std::move(summary)}, std::move(left_)};
}

}  // namespace

RemainingWork remaining_work(const PlannedWork& whole, const std::vector<bool>& finished) {
  return Remainder(whole, finished).work();
}

}  // namespace foretile
