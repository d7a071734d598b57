// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/fluid_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/random.hpp"

namespace foretile::fluid_solver_test {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// Link 0 of 10 per second and link 1 of 4: the flow on both gets 2 of link 1, as its neighbour there, and
/// the flow on link 0 alone the other 8.
TEST(FluidSolver, SharesFairly) {
  FluidSolver solver({10, 4});
  const std::vector<LinkId> both{0, 1}, first{0}, second{1};
  const auto x = solver.start(both, 100, kNoLimit, 0), y = solver.start(second, 100, kNoLimit, 0),
             z = solver.start(first, 100, kNoLimit, 0);
  EXPECT_DOUBLE_EQ(solver.next_end_s(0), 12.5);  // z
  EXPECT_DOUBLE_EQ(solver.rate(x), 2);
  EXPECT_DOUBLE_EQ(solver.rate(y), 2);
  EXPECT_DOUBLE_EQ(solver.rate(z), 8);
}

/// Two flows share 10: 30 of each take 6 s. The third comes at 2 s, when 20 of each are left: 3.33 each; the
/// first two end at 8 s, the third has 10 left then and the link alone: 9 s.
TEST(FluidSolver, FollowsStartsAndEnds) {
  FluidSolver solver({10});
  const std::vector<LinkId> link{0};
  solver.start(link, 30, kNoLimit, 0);
  solver.start(link, 30, kNoLimit, 0);
  EXPECT_DOUBLE_EQ(solver.next_end_s(0), 6);
  const auto third = solver.start(link, 30, kNoLimit, 2);
  EXPECT_DOUBLE_EQ(solver.next_end_s(2), 8);
  std::vector<FluidSolver::FlowId> ended;
  solver.take_ended(8 + 1e-9, 8, ended);
  EXPECT_EQ(ended, (std::vector<FluidSolver::FlowId>{0, 1}));
  EXPECT_DOUBLE_EQ(solver.next_end_s(8), 9);
  ended.clear();
  solver.take_ended(9, 9, ended);
  EXPECT_EQ(ended, std::vector<FluidSolver::FlowId>{third});
  EXPECT_EQ(solver.next_end_s(9), kNoLimit);
}

/// Both links give 10. A is on link 0, B (80) on both: 5 each until A ends, then 10 for B. At 12 s nine
/// others come to link 1: 1 for B. When B ends.
double end_beside(double amount_of_a) {
  FluidSolver solver({10, 10});
  const std::vector<LinkId> first{0}, both{0, 1}, second{1};
  solver.start(first, amount_of_a, kNoLimit, 0);
  solver.start(both, 80, kNoLimit, 0);
  const double a_ends_s = solver.next_end_s(0);
  std::vector<FluidSolver::FlowId> ended;
  solver.take_ended(a_ends_s, a_ends_s, ended);
  EXPECT_EQ(ended, std::vector<FluidSolver::FlowId>{0});
  solver.next_end_s(a_ends_s);
  for (int n = 0; n < 9; ++n) solver.start(second, 1000, kNoLimit, 12);
  return solver.next_end_s(12);
}

/// A ends at 10 s: 10 of B are left at 12 s. Or at 11 s: 15 are left. One second becomes five: fair shares
/// make differences grow, those of rounding too (docs/results/engines.md).
TEST(FluidSolver, DelaysGrow) {
  EXPECT_DOUBLE_EQ(end_beside(50), 12 + 10);
  EXPECT_DOUBLE_EQ(end_beside(55), 12 + 15);
}

/// Both take 1 / 0.3 s, but by then rounding may have served a little less: the second ends at once, too.
TEST(FluidSolver, FlowsAlikeAllEnd) {
  FluidSolver solver({kUnlimited});
  const std::vector<LinkId> link{0};
  for (int n = 1; n < 1000; ++n) {
    const double start_s = 0.1 * n;
    solver.start(link, 1, 0.3, start_s);
    solver.start(link, 1, 0.3, start_s);
    std::vector<FluidSolver::FlowId> ended;
    for (double now_s = start_s; ended.size() < 2; solver.take_ended(now_s, now_s, ended)) {
      now_s = solver.next_end_s(now_s);
      ASSERT_NEAR(now_s, start_s + 1 / 0.3, 1e-9) << n;
    }
  }
}

/// Two cores for three: one of at most half a core leaves 0.75 each to the others.
TEST(FluidSolver, FlowsHaveLimitsOfTheirOwn) {
  FluidSolver solver({2, kUnlimited});
  const std::vector<LinkId> cores{0, 1};
  const auto a = solver.start(cores, 1, 0.5, 0), b = solver.start(cores, 1, 1, 0),
             c = solver.start(cores, 1, kNoLimit, 0);
  solver.next_end_s(0);
  EXPECT_DOUBLE_EQ(solver.rate(a), 0.5);
  EXPECT_DOUBLE_EQ(solver.rate(b), 0.75);
  EXPECT_DOUBLE_EQ(solver.rate(c), 0.75);
}

/// Three flows alike but for their amounts, each at a third of 10 per second: the first has its 10 after 3 s,
/// the second the other 10 of its 20 at 5 per second after 2 s more, the third the other 10 of its 30 after 1
/// s.
TEST(FluidSolver, FlowsAlikeEndByTheirAmounts) {
  FluidSolver solver({10, 100});
  const std::vector<LinkId> links{0, 1};
  const auto third = solver.start(links, 30, kNoLimit, 0), first = solver.start(links, 10, kNoLimit, 0),
             second = solver.start(links, 20, kNoLimit, 0);
  double now_s = 0;
  for (const auto& [flow, end_s] : {std::pair(first, 3.0), {second, 5.0}, {third, 6.0}}) {
    ASSERT_DOUBLE_EQ(solver.next_end_s(now_s), end_s);
    std::vector<FluidSolver::FlowId> ended;
    solver.take_ended(end_s, end_s, ended);
    ASSERT_EQ(ended, std::vector<FluidSolver::FlowId>{flow});
    now_s = end_s;
  }
  EXPECT_EQ(solver.next_end_s(6), kNoLimit);
}

/// Links of 10, 14 and 20. A and B have 5 each of the first; B, C share the second: 9 for C; C, D the third:
/// 11 for D. When A ends, B has nothing to gain alone; with C both have 7, and D behind them could have 13.
std::vector<double> rates_behind(int reach) {
  FluidSolver solver({10, 14, 20}, reach);
  const std::vector<LinkId> of_a{0}, of_b{0, 1}, of_c{1, 2}, of_d{2};
  solver.start(of_a, 5, kNoLimit, 0);
  std::vector<FluidSolver::FlowId> others;
  for (const auto& links : {of_b, of_c, of_d}) others.push_back(solver.start(links, 100, kNoLimit, 0));
  EXPECT_DOUBLE_EQ(solver.next_end_s(0), 1);
  EXPECT_DOUBLE_EQ(solver.rate(others[1]), 9);
  EXPECT_DOUBLE_EQ(solver.rate(others[2]), 11);
  std::vector<FluidSolver::FlowId> ended;
  solver.take_ended(1, 1, ended);
  solver.next_end_s(1);
  std::vector<double> rates;
  for (const FluidSolver::FlowId flow : others) rates.push_back(solver.rate(flow));
  return rates;
}

TEST(FluidSolver, ChangesGoAsFarAsTheyReach) {
  EXPECT_EQ(rates_behind(1), (std::vector<double>{5, 9, 11}));
  EXPECT_EQ(rates_behind(2), (std::vector<double>{7, 7, 11}));
  EXPECT_EQ(rates_behind(3), (std::vector<double>{7, 7, 13}));
  EXPECT_EQ(rates_behind(FluidSolver::kEverywhere), (std::vector<double>{7, 7, 13}));
}

struct Reference {
  std::vector<LinkId> links;
  double most;
  double rate = -1;
};

/// Progressive filling of all flows from nothing, step by step.
void fill(const std::vector<double>& capacities, std::map<FluidSolver::FlowId, Reference>& flows) {
  for (auto& [id, flow] : flows) flow.rate = -1;
  std::vector<double> free = capacities;
  for (;;) {
    double least = kNoLimit;
    for (const auto& [id, flow] : flows) {
      if (flow.rate >= 0) continue;
      least = std::min(least, flow.most);
      for (const LinkId link : flow.links) {
        const auto open = std::ranges::count_if(flows, [&](const auto& other) {
          return other.second.rate < 0 && std::ranges::count(other.second.links, link) > 0;
        });
        least = std::min(least, free[static_cast<std::size_t>(link)] / static_cast<double>(open));
      }
    }
    if (least == kNoLimit) return;
    std::vector<FluidSolver::FlowId> found;
    for (const auto& [id, flow] : flows) {
      if (flow.rate >= 0) continue;
      const bool limited =
          flow.most <= least || std::ranges::any_of(flow.links, [&](LinkId link) {
            const auto open = std::ranges::count_if(flows, [&](const auto& other) {
              return other.second.rate < 0 && std::ranges::count(other.second.links, link) > 0;
            });
            return free[static_cast<std::size_t>(link)] / static_cast<double>(open) <= least * (1 + 1e-9);
          });
      if (limited) found.push_back(id);
    }
    for (const FluidSolver::FlowId id : found) {
      flows.at(id).rate = least;
      for (const LinkId link : flows.at(id).links) free[static_cast<std::size_t>(link)] -= least;
    }
  }
}

using Flows = std::map<FluidSolver::FlowId, Reference>;

/// Flows come and go; `check` gets the capacities, the solver and the flows after each change.
template <typename Check>
void for_random_changes(int reach, const Check& check) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<double> capacities;
    const std::int64_t links = random.integer(1, 8);
    for (std::int64_t link = 0; link < links; ++link)
      capacities.push_back(static_cast<double>(random.integer(1, 5)) *
                           (random.integer(0, 1) == 1 ? 1 : 0.37));
    FluidSolver solver(capacities, reach);
    Flows flows;
    double now = 0;
    for (int step = 0; step < 60; ++step) {
      const double next = solver.next_end_s(now);
      if (flows.empty() || random.integer(0, 2) > 0) {
        now = std::min(next, now + 0.1 * random.real());
        for (std::int64_t n = random.integer(1, 3); n > 0; --n) {
          Reference flow;
          for (LinkId link = 0; link < links; ++link) {
            if (random.integer(0, 2) == 0) flow.links.push_back(link);
          }
          if (flow.links.empty()) flow.links.push_back(0);
          flow.most = random.integer(0, 2) == 0 ? 2 * random.real() + 0.01 : 1e18;
          flows[solver.start(flow.links, 0.1 + random.real(), flow.most, now)] = flow;
        }
      } else {
        now = next;
        std::vector<FluidSolver::FlowId> ended;
        solver.take_ended(now, now, ended);
        ASSERT_FALSE(ended.empty());
        for (const FluidSolver::FlowId id : ended) flows.erase(id);
      }
      solver.next_end_s(now);
      check(capacities, solver, flows);
      if (testing::Test::HasFailure()) FAIL() << "step " << step;
    }
  }
}

TEST(FluidSolver, RatesAreThoseOfASolutionFromNothing) {
  for_random_changes(FluidSolver::kEverywhere,
                     [](const std::vector<double>& capacities, FluidSolver& solver, Flows& flows) {
                       fill(capacities, flows);
                       for (const auto& [id, flow] : flows)
                         EXPECT_NEAR(solver.rate(id), flow.rate, 1e-9 * flow.rate);
                     });
}

/// Whatever the reach, no link carries more than it can, and no flow stands still.
TEST(FluidSolver, NoReachOverloadsALink) {
  for (const int reach : {1, 2, 3}) {
    for_random_changes(reach, [](const std::vector<double>& capacities, FluidSolver& solver, Flows& flows) {
      std::vector<double> carried(capacities.size(), 0.0);
      for (const auto& [id, flow] : flows) {
        EXPECT_GT(solver.rate(id), 0);
        for (const LinkId link : flow.links) carried[static_cast<std::size_t>(link)] += solver.rate(id);
      }
      for (std::size_t link = 0; link < carried.size(); ++link)
        EXPECT_LE(carried[link], capacities[link] * (1 + 1e-9));
    });
  }
}

}  // namespace
}  // namespace foretile::fluid_solver_test
