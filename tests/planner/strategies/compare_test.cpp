#include "planner/strategies/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/all_deals.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile {
namespace {

/// Long K and a large B on slow links: where B lies contiguously, moving it takes longer than multiplying
/// there.
RandomCase large_b() {
  RandomCase c{
      Contraction{"", Tiling::uniform(8, 2), Tiling::uniform(80, 2), Tiling::uniform(80, 2), {}, {}, {}, 0},
      small_machine(4, 1, 1 << 20, 1 << 24),
      {{"strategy", "auto"}}};
  c.problem.a = Shape::dense(4, 40);
  c.problem.b = Shape::dense(40, 40);
  c.problem.c = Shape::dense(4, 40);
  c.machine.platform.network.node_injection_bytes_per_s = 1e5;
  c.machine.platform.network.message.bandwidth_bytes_per_s = 1e5;
  return c;
}

TEST(CompareStrategies, ChargesForDealingAnew) {
  RandomCase c = large_b();
  for (const ComparedStrategy& one : compare_strategies(c.problem, c.machine, c.settings)) {
    EXPECT_EQ(one.refusal, "");
    EXPECT_FALSE(one.dealt) << one.strategy;  // nobody said where matrices lie
  }
  c.settings["deal.b"] = "contiguous";
  const auto compared = compare_strategies(c.problem, c.machine, c.settings);
  ASSERT_EQ(compared.size(), 3U);
  for (const ComparedStrategy& one : compared) EXPECT_EQ(one.dealt->bytes > 0, one.strategy != "owner-b");
  EXPECT_EQ(make_plan(c.problem, c.machine, c.settings).strategy, "owner-b");
}

/// Whatever the deals, the one that is taken has the least sum.
TEST(CompareStrategies, TakesTheLeast) {
  int taken = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomCase c = random_deal_case(seed);
    c.machine.platform.device.memory_bytes *= 4;
    c.machine.platform.network.node_injection_bytes_per_s = 1e5;
    std::erase_if(c.settings, [](const auto& setting) { return !setting.first.starts_with("deal."); });
    c.settings["strategy"] = "auto";
    const auto compared = compare_strategies(c.problem, c.machine, c.settings);
    const auto least = std::ranges::min_element(compared, {}, [](const ComparedStrategy& one) {
      return std::pair(!one.refusal.empty(), one.seconds());
    });
    if (!least->refusal.empty()) continue;
    EXPECT_EQ(fastest_settings(compared, c.problem, c.settings).at("strategy"), least->strategy);
    EXPECT_NO_THROW(verify(make_plan(c.problem, c.machine, c.settings), c.problem));
    ++taken;
  }
  EXPECT_GE(taken, 20);
}

/// Whatever the grid of a cyclic deal, owner-b has nothing to move.
TEST(CompareStrategies, KnowsTheGridOfTheMatrices) {
  RandomCase c = large_b();
  for (const char* grid : {"1x4x1", "1x2x2", "1x1x4"}) {
    c.settings = {{"strategy", "auto"},
                  {"deal.a", "cyclic"},
                  {"deal.b", "cyclic"},
                  {"deal.c", "cyclic"},
                  {"grid", grid}};
    for (const ComparedStrategy& one : compare_strategies(c.problem, c.machine, c.settings)) {
      EXPECT_EQ(one.refusal, "");
      if (one.strategy != "owner-b") continue;
      EXPECT_EQ(one.dealt->bytes, 0) << grid;
    }
  }
}

/// Each plan is asked for, but not those whose bound is more than what another has said. What is said
/// decides.
TEST(CompareStrategies, TakesWhatIsSaidToBeFastest) {
  RandomCase c = large_b();
  const auto fastest = [&](const PlanSeconds& seconds) {
    const auto compared = compare_strategies(c.problem, c.machine, c.settings, seconds);
    return fastest_settings(compared, c.problem, c.settings).at("strategy");
  };
  std::vector<std::string> asked;
  std::vector<double> stops;
  EXPECT_EQ(fastest([&](const Plan& plan, double stop_s) {
              asked.push_back(plan.strategy);
              stops.push_back(stop_s);
              return plan.strategy == "stationary-c" ? 1e3 : 1e6;
            }),
            "stationary-c");
  EXPECT_EQ(asked, (std::vector<std::string>{"grid-3d", "stationary-c", "owner-b", "owner-b"}));
  EXPECT_EQ(stops[1], 1e6);
  EXPECT_EQ(stops[2], 1e3);
  asked.clear();
  EXPECT_EQ(fastest([&](const Plan& plan, double) {
              asked.push_back(plan.strategy);
              return 1e-12;
            }),
            "grid-3d");
  EXPECT_EQ(asked, (std::vector<std::string>{"grid-3d"}));
  const auto compared = compare_strategies(c.problem, c.machine, c.settings, [](const Plan&, double) {
    return std::numeric_limits<double>::infinity();
  });
  EXPECT_EQ(compared.size(), 4U);
}

/// Where B lies by rows, sums and moves take long; with whole columns there are none.
TEST(CompareStrategies, TriesColumnsOfBWhereNobodySaysHowItLies) {
  RandomCase c = large_b();
  const auto variants = [&] {
    std::vector<Settings> list;
    for (const ComparedStrategy& one : compare_strategies(c.problem, c.machine, c.settings)) {
      if (one.strategy == "owner-b") list.push_back(one.variant);
    }
    return list;
  };
  const Settings columns{{"deal.a", "cyclic"}, {"deal.b", "cyclic"}, {"deal.c", "cyclic"}};
  EXPECT_EQ(variants(), (std::vector<Settings>{{}, columns}));
  c.settings["deal.a"] = "contiguous";
  EXPECT_EQ(variants(), (std::vector<Settings>{{}}));
}

TEST(CompareStrategies, SaysWhatIsWrongWithADeal) {
  RandomCase c = large_b();
  c.settings["deal.b"] = "rows";
  EXPECT_THROW(make_plan(c.problem, c.machine, c.settings), InputError);
}

}  // namespace
}  // namespace foretile
