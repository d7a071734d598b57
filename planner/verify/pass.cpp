// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/pass.hpp"

#include <fmt/format.h>

#include <vector>

namespace foretile {

namespace {

void walk_device(const VerifyView& view, const DevicePlan& device, const std::string& name, BlockWalk& walk,
                 const EachPass& each) {
  std::vector<WalkedBlock> walked;
  walked.reserve(device.blocks.size());
  for (std::size_t b = 0; b < device.blocks.size(); ++b) {
    const std::string where = fmt::format("{} block {}", name, b);
    walked.push_back({&device.blocks[b], walk.walk(device.blocks[b], view.plan.operands.b.on_device, where)});
    each([&](VerifyPass& pass) { pass.block(walked.back(), where); });
  }
  each([&](VerifyPass& pass) {
    pass.device({name, device.device_class, view.plan.memory_of(device), walked});
  });
}

}  // namespace

void walk_plan(const VerifyView& view, const EachPass& each, const CountFunction& progress) {
  BlockWalk walk(view.problem, progress);
  for (std::size_t r = 0; r < view.plan.ranks.size(); ++r) {
    const Rank rank = Rank::of(r);
    each([&](VerifyPass& pass) { pass.open(rank); });
    const auto& devices = view.plan.ranks[r].devices;
    for (std::size_t d = 0; d < devices.size(); ++d)
      walk_device(view, devices[d], fmt::format("rank {} device {}", rank, d), walk, each);
    each([&](VerifyPass& pass) { pass.close(rank); });
  }
}

}  // namespace foretile
