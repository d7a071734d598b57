// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/plan_digest.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

namespace foretile::plan_digest_test {
namespace {

Plan example() {
  Plan plan;
  plan.operands.b = kGeneratedAndStays;
  plan.grid = {1, 2};
  plan.ranks.resize(2);
  plan.ranks[0].devices = {{{{{0, 1}, {{{0}}, {{1}}}}}}};
  plan.ranks[1].devices.resize(1);
  plan.ranks[1].transfers = {{{1}, {0}}};
  return plan;
}

TEST(PlanDigest, IsThatOfWhatThePlanDoes) {
  Plan plan = example();
  const std::string digest = plan_digest(plan);
  EXPECT_EQ(digest.size(), 16U);
  plan.parameters["block_fraction"] = "0.3";
  plan.advice.host_memory = "think";
  EXPECT_EQ(plan_digest(plan), digest);
}

TEST(PlanDigest, TellsPlansApart) {
  const std::vector<std::function<void(Plan&)>> changes{
      [](Plan&) {},
      [](Plan& p) { p.lookahead = 2; },
      [](Plan& p) { p.batch = 2; },
      [](Plan& p) { p.copy_batch_bytes = 2; },
      [](Plan& p) { p.staging_bytes = 2; },
      [](Plan& p) { p.prefetch_c = true; },
      [](Plan& p) { p.store = Store::lru; },
      [](Plan& p) { p.pool = Pool::open; },
      [](Plan& p) { p.barriers = Barriers::local; },
      [](Plan& p) { p.operands.b = {}; },
      [](Plan& p) {
        p.operands.a.distribution = {DistributionKind::table, {0, 1}};
      },
      [](Plan& p) { p.operands.a.in_place = {true}; },
      [](Plan& p) { p.device_classes[0].memory_bytes = 2; },
      [](Plan& p) { p.ranks[0].devices[0].blocks[0].columns = {0}; },
      [](Plan& p) {
        p.ranks[0].devices[0].blocks[0].chunks = {{{0, 1}}};
      },
      [](Plan& p) { p.ranks[0].devices[0].blocks[0].chunks[1].step = 1; },
      [](Plan& p) { p.ranks[1].transfers[0].tree = Tree::chain; },
      [](Plan& p) { p.ranks[1].transfers[0].tiles = {0}; },
      [](Plan& p) { p.ranks.pop_back(); },
      [](Plan& p) { std::swap(p.ranks[0].devices[0].blocks, p.ranks[1].devices[0].blocks); }};
  std::set<std::string> digests;
  for (const auto& change : changes) {
    Plan plan = example();
    change(plan);
    EXPECT_TRUE(digests.insert(plan_digest(plan)).second) << digests.size();
  }
}

}  // namespace
}  // namespace foretile::plan_digest_test
