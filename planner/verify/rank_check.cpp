#include "planner/verify/rank_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/verify/errors.hpp"
#include "planner/verify/product_count.hpp"

namespace foretile {

namespace {

double imbalance(const std::vector<double>& flops) {
  double sum = 0;
  double most = 0;
  for (const double f : flops) sum += f, most = std::max(most, f);
  return sum > 0 ? most * static_cast<double>(flops.size()) / sum : 1.0;
}

Spread spread(const std::vector<std::int64_t>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  return {static_cast<double>(*least), static_cast<double>(sum) / static_cast<double>(values.size()),
          static_cast<double>(*most)};
}

}  // namespace

RankCheck::RankCheck(const Plan& plan, const Contraction& contraction, const CountFunction& progress)
    : plan_(plan),
      p_(contraction),
      walk_(contraction, progress),
      owners_(plan, contraction),
      messages_(plan, contraction, owners_),
      deliveries_(plan, contraction, owners_, messages_),
      device_memory_(plan, contraction),
      c_owned_(contraction.c.nonzeros(), 0),
      generated_by_(plan.operands.b.made() ? contraction.b.nonzeros() : 0, -1) {}

void RankCheck::run(int rank) {
  rank_ = rank;
  tiles_ = {};
  const std::int64_t gemms_before = summary_.gemms;
  deliveries_.open(rank);
  const RankPlan& mine = plan_.ranks[rank];
  for (std::size_t d = 0; d < mine.devices.size(); ++d) {
    device_ = fmt::format("rank {} device {}", rank, d);
    device(mine.devices[d]);
  }
  summary_.rank_gemms.push_back(summary_.gemms - gemms_before);
  deliveries_.require_all_used();
  count_received();
  const Received worst = worst_received(plan_, p_, messages_.to(rank));
  check_staging(plan_, rank, tiles_);
  const HostNeed need = host_need(plan_, rank, owners_, worst, tiles_);
  if (need.bytes() > most_needed_.bytes()) most_needed_ = need;
}

PlanSummary RankCheck::finish() {
  check_host_memory(plan_, most_needed_);
  summary_.peak_host_bytes = most_needed_.bytes();
  require_all_products(plan_, p_, summary_.gemms);
  summary_.imbalance = imbalance(device_flops_);
  summary_.device_loads = spread(device_loads_);
  return summary_;
}

void RankCheck::device(const DevicePlan& device) {
  check_steps(device);
  std::vector<WalkedBlock> walked;
  double flops = 0;
  for (std::size_t b = 0; b < device.blocks.size(); ++b) {
    walked.push_back(block(device.blocks[b], fmt::format("{} block {}", device_, b)));
    flops += walked.back().tiles.flops;
  }
  device_flops_.push_back(flops);
  count_loads(walked);
  summary_.peak_device_bytes = std::max(summary_.peak_device_bytes, device_memory_.check(device_, walked));
}

/// Without barriers steps say nothing.
void RankCheck::check_steps(const DevicePlan& device) const {
  if (plan_.barriers == Barriers::none) return;
  int least = 0;
  for (std::size_t b = 0; b < device.blocks.size(); ++b) {
    for (const Chunk& chunk : device.blocks[b].chunks) {
      if (chunk.step < least || chunk.step == kEver) {
        throw broken_plan(fmt::format("{} block {}", device_, b),
                          fmt::format("a chunk of step {}", chunk.step),
                          fmt::format("increasing steps, here at least {} and below {}", least, kEver));
      }
      least = chunk.step + 1;
    }
  }
}

WalkedBlock RankCheck::block(const Block& block, const std::string& where) {
  WalkedBlock walked{&block, walk_.walk(block, plan_.operands.b.on_device, where)};
  if (plan_.operands.b.made()) generate(walked.tiles, where);
  compute(walked.tiles, where);
  use_sources(walked);
  ++summary_.blocks;
  summary_.chunks += static_cast<std::int64_t>(block.chunks.size());
  summary_.gemms += walked.tiles.gemms;
  return walked;
}

void RankCheck::generate(const BlockTiles& tiles, const std::string& where) {
  for (const auto& chunk : tiles.b) {
    for (const TileId b : chunk) {
      if (generated_by_[b] == rank_)
        throw broken_plan(where, fmt::format("B tile {} generated again", b), "at most once per rank");
      generated_by_[b] = rank_;
      const std::int64_t bytes = p_.b_bytes(b);
      tiles_.largest_b = std::max(tiles_.largest_b, bytes);
      tiles_.b_bytes += bytes;
      summary_.generated_bytes += bytes;
    }
  }
}

void RankCheck::compute(const BlockTiles& tiles, const std::string& where) {
  for (const TileId c : tiles.c) {
    if (c_owned_[c])
      throw broken_plan(where, fmt::format("C tile {} in a second block", c), "each C tile in one block");
    c_owned_[c] = 1;
    const std::int64_t bytes = p_.c_bytes(c);
    tiles_.c_bytes += bytes;
    summary_.d2h_bytes += bytes;
    if (p_.accumulate) summary_.c_loaded_bytes += bytes;
  }
}

void RankCheck::use_sources(const WalkedBlock& walked) {
  for (std::size_t z = 0; z < walked.block->chunks.size(); ++z) {
    const Chunk& chunk = walked.block->chunks[z];
    for (const TileId a : chunk.a) deliveries_.use({Matrix::a, a}, chunk.step);
    if (plan_.operands.b.made()) continue;
    for (const TileId b : walked.tiles.b[z]) deliveries_.use({Matrix::b, b}, chunk.step);
  }
}

void RankCheck::count_loads(const std::vector<WalkedBlock>& blocks) {
  std::size_t loads = 0;
  for (const auto& [block, tiles] : blocks) {
    for (std::size_t z = 0; z < tiles.b.size(); ++z) {
      for (const TileId a : block->chunks[z].a) summary_.h2d_bytes += p_.a_bytes(a);
      for (const TileId b : tiles.b[z]) summary_.h2d_bytes += p_.b_bytes(b);
      loads += block->chunks[z].a.size() + tiles.b[z].size();
    }
    if (!p_.accumulate) continue;
    for (const TileId c : tiles.c) summary_.h2d_bytes += p_.c_bytes(c);
    loads += tiles.c.size();
  }
  device_loads_.push_back(static_cast<std::int64_t>(loads));
}

void RankCheck::count_received() {
  std::int64_t received = 0;
  for (const Delivery& delivery : deliveries_.all()) {
    const std::int64_t bytes = bytes_of(p_, delivery.tile);
    (delivery.tile.matrix == Matrix::a ? summary_.a_sent_bytes : summary_.b_sent_bytes) += bytes;
    received += bytes;
  }
  summary_.network_bytes += received;
  summary_.most_received_bytes = std::max(summary_.most_received_bytes, received);
}

}  // namespace foretile
