// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/base/some_of.hpp"
#include "tests/planner/all_distributions.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/planner/verify/refused.hpp"

namespace foretile::sums_test {
namespace {

/// C has one tile, K two: each of two ranks computes a part, and rank 1 sends its own to rank 0.
struct Example {
  Contraction problem{"",
                      Tiling::uniform(2, 2),
                      Tiling::uniform(2, 2),
                      Tiling::uniform(4, 2),
                      Shape::dense(1, 2),
                      Shape::dense(2, 1),
                      Shape::dense(1, 1),
                      0};
  Plan plan;

  Example() {
    plan.grid = {1, 1, 2};
    plan.partial_sums = true;
    plan.device_classes[0].memory_bytes = 1000;
    plan.host_budget_bytes = 1000;
    plan.ranks = {{{{{{{0}, {{{0}}}}}}}, {}, {{{0}, {0}, {1}, {}}}},
                  {{{{{{0}, {{{1}}}}}}}, {}, {{{0}, {0}, {}, Rank(0)}}}};
  }
};

/// Tiles have 32 bytes. Rank 0 has A, B, its part and that of rank 1: 128; rank 1 has 96.
TEST(VerifySums, CountsPartsThatWait) {
  Example example;
  const PlanSummary summary = verify(example.plan, example.problem);
  EXPECT_EQ(summary.gemms, 2);
  EXPECT_EQ(summary.c_sent_bytes, 32);
  EXPECT_EQ(summary.network_bytes, 32);
  EXPECT_EQ(summary.peak_host_bytes, 128);
  example.problem.beta = 1;  // the initial C is beside the parts
  EXPECT_EQ(verify(example.plan, example.problem).peak_host_bytes, 160);
  example.plan.host_budget_bytes = 159;
  EXPECT_NE(complaint(example.plan, example.problem).find("1 bytes are missing"), std::string::npos);
}

TEST(VerifySums, NamesWhatIsWrong) {
  const auto expect = [](const std::function<void(Plan&)>& spoil, const std::string& text) {
    Example example;
    spoil(example.plan);
    const std::string found = complaint(example.plan, example.problem);
    EXPECT_NE(found.find(text), std::string::npos) << found;
  };
  const auto sum = [](Plan& plan, int rank) -> Sum& {
    return plan.ranks[static_cast<std::size_t>(rank)].sums[0];
  };
  expect([](Plan& p) { p.partial_sums = false; }, "2 layers");
  expect([](Plan& p) { p.ranks[1].sums.clear(); }, "C tile 0 in no sum");
  expect([](Plan& p) { p.ranks[0].sums.push_back(p.ranks[0].sums[0]); }, "C tile 0 in a second sum");
  expect([&](Plan& p) { sum(p, 0).from.clear(); }, "a sum of C tile 0 that rank 0 does not know");
  expect([&](Plan& p) { sum(p, 0).from = {1, 1}; }, "a sum of C tile 0 that rank 1 does not know");
  expect([&](Plan& p) { sum(p, 0).from = {2}; }, "a sum with rank 2");
  expect([&](Plan& p) { sum(p, 0).from = {0}; }, "a sum with rank 0");
  expect([&](Plan& p) { sum(p, 0).to = Rank(1); }, "C tile 0 sent away");
  expect([&](Plan& p) { sum(p, 1).to = std::nullopt; }, "C tile 0 kept by another rank");
  expect([&](Plan& p) { sum(p, 1).devices.clear(); }, "in a sum with other devices");
  expect([&](Plan& p) { sum(p, 1).devices = {1}; }, "a sum with device 1");
  expect([&](Plan& p) { sum(p, 1).devices = {0, 0}; }, "devices out of order");
  expect([&](Plan& p) { sum(p, 1).tiles = {1}; }, "a sum of C tile 1");
  expect([&](Plan& p) { sum(p, 1).tiles.clear(); }, "a sum without tiles");
  expect([](Plan& p) { p.sum_tree = static_cast<Tree>(5); }, "tree 5");
  expect([](Plan& p) { p.ranks[1].devices[0].blocks[0].chunks[0].a = {0}; }, "");
}

/// A product on both layers, or on none.
TEST(VerifySums, EveryProductOnce) {
  Example twice;
  twice.plan.ranks[1].devices[0].blocks[0].chunks[0].a = {0, 1};
  EXPECT_NE(complaint(twice.plan, twice.problem).find("A(0,0) B(0,0) again"), std::string::npos)
      << complaint(twice.plan, twice.problem);
  Example missing;
  missing.plan.ranks[1].devices[0].blocks.clear();
  missing.plan.ranks[1].sums.clear();
  missing.plan.ranks[0].sums[0].from.clear();
  EXPECT_NE(complaint(missing.plan, missing.problem).find("no task for A(0,1)"), std::string::npos)
      << complaint(missing.plan, missing.problem);
}

template <class List>
bool drop_one(List& list, Random& random) {
  if (list.empty()) return false;
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(random.integer(0, std::ssize(list) - 1)));
  return true;
}

/// Changes one sum so that the result would be wrong; false when it has nothing of the kind.
bool spoil(Sum& sum, int ranks, Random& random) {
  switch (random.integer(0, 4)) {
    case 0:
      return drop_one(sum.tiles, random);
    case 1:
      return drop_one(sum.devices, random);
    case 2:
      return drop_one(sum.from, random);
    case 3:
      sum.from.push_back(Rank::of(random.integer(0, ranks - 1)));
      return true;
    default: {
      const auto before = sum.to;
      sum.to = Rank::of(random.integer(0, ranks - 1));
      return before != sum.to;
    }
  }
}

TEST(VerifySums, RefusesEveryChangeOfRandomPlans) {
  int spoiled = 0;
  const auto seeds = static_cast<std::uint64_t>(some_of(600));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const RandomCase c = seed % 2 == 0 ? random_grid_case(seed) : random_distributed_case(seed);
    Plan plan;
    try {
      plan = make_plan(c.problem, c.machine, c.settings);
      verify(plan, c.problem);
    } catch (const InputError&) {
      continue;
    }
    Random random(seed + 99);
    auto& sums = plan.ranks[static_cast<std::size_t>(random.integer(0, std::ssize(plan.ranks) - 1))].sums;
    if (sums.empty()) continue;
    Sum& sum = sums[static_cast<std::size_t>(random.integer(0, std::ssize(sums) - 1))];
    if (!spoil(sum, static_cast<int>(plan.ranks.size()), random)) continue;
    EXPECT_NE(complaint(plan, c.problem), "");
    ++spoiled;
  }
  EXPECT_GE(spoiled, some_of(200));
}

}  // namespace
}  // namespace foretile::sums_test
