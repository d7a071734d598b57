// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/distribute_blocks.hpp"

#include <algorithm>
#include <utility>

#include "planner/plan/products.hpp"

namespace foretile {

std::size_t EarliestFinish::assign(double work) {
  const auto done = [&](std::size_t device) { return (load_[device] + work) / speeds_[device]; };
  std::size_t best = 0;
  for (std::size_t device = 1; device < speeds_.size(); ++device) {
    if (done(device) < done(best)) best = device;
  }
  load_[best] += work;
  return best;
}

double EarliestFinish::seconds() const {
  double last = 0;
  for (std::size_t device = 0; device < speeds_.size(); ++device) {
    if (load_[device] > 0) last = std::max(last, load_[device] / speeds_[device]);
  }
  return last;
}

double seconds_of_equal(std::int64_t blocks, const std::vector<double>& rates) {
  EarliestFinish earliest(rates);
  for (std::int64_t block = 0; block < blocks; ++block) earliest.assign(1);
  return earliest.seconds();
}

std::vector<std::vector<Block>> distribute_blocks(const Contraction& p, std::vector<Block> blocks,
                                                  const std::vector<double>& speeds) {
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t b = 0; b < blocks.size(); ++b) order.emplace_back(-block_flops(p, blocks[b]), b);
  std::ranges::sort(order);
  std::vector<std::size_t> device_of(blocks.size());
  EarliestFinish earliest(speeds);
  for (const auto& [less, block] : order) device_of[block] = earliest.assign(-less);
  std::vector<std::vector<Block>> distributed(speeds.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) distributed[device_of[b]].push_back(std::move(blocks[b]));
  return distributed;
}

}  // namespace foretile
