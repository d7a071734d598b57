// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/ready_order.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/parse.hpp"

namespace foretile {

namespace {

constexpr const char* kWindow = "order_window";
constexpr const char* kSeed = "order_seed";
constexpr std::int64_t kMostWindow = 1'000'000'000;

}  // namespace

std::vector<ParameterInfo> ready_order_parameters() {
  return {{kWindow, "1",
           "blocks of a device among which the next one is drawn, as if tasks became ready in that order; 1: "
           "plan order",
           whole_number(1, kMostWindow)},
          {kSeed, "0", "of the draws, where order_window is more than 1", whole_number(0, kMostWindow)}};
}

void shuffle_blocks(std::vector<Block>& blocks, std::size_t window, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  std::vector<Block> taken;
  taken.reserve(blocks.size());
  std::vector<std::size_t> open;  // numbers of blocks
  std::size_t next = 0;
  while (taken.size() < blocks.size()) {
    while (open.size() < window && next < blocks.size()) open.push_back(next++);
    const auto drawn = open.begin() + static_cast<std::ptrdiff_t>(draw() % open.size());
    taken.push_back(std::move(blocks[*drawn]));
    *drawn = open.back();
    open.pop_back();
  }
  blocks = std::move(taken);
}

void set_ready_order(Plan& plan, const Settings& parameters) {
  const std::int64_t window = integer_setting(parameters, kWindow);
  if (window == 1) return;
  if (plan.barriers != Barriers::none)
    throw input_error(kWindow, parameters.at(kWindow), "1 beside barriers, which order the blocks of devices",
                      "set barriers=none");
  std::uint64_t device_number = 0;
  for (RankPlan& rank : plan.ranks) {
    for (DevicePlan& device : rank.devices) {
      std::seed_seq mixed{static_cast<std::uint64_t>(integer_setting(parameters, kSeed)), ++device_number};
      std::array<std::uint32_t, 2> seed{};
      mixed.generate(seed.begin(), seed.end());
      shuffle_blocks(device.blocks, static_cast<std::size_t>(window),
                     (std::uint64_t{seed[0]} << 32) + seed[1]);
    }
  }
}

}  // namespace foretile
