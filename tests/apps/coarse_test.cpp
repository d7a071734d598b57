// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/coarse.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::coarse_test {
namespace {

TraceEvent products(double start_s, double end_s, std::int32_t count) {
  TraceEvent event;
  event.start_s = start_s;
  event.end_s = end_s;
  event.products = count;
  return event;
}

/// By 3 s: all 4 of the first, 3 / 4 of the second's 8, none of the third. Copies have no products.
TEST(Coarse, ProductsInFlightCountByTheirShare) {
  ProductTimes handed_on;
  ProductTimes done(&handed_on);
  for (const TraceEvent& event :
       {products(0, 2, 4), products(0, 4, 8), products(3, 4, 16), products(0, 9, 0)})
    done.record(event);
  EXPECT_DOUBLE_EQ(done.done_by(3), 10);
  EXPECT_DOUBLE_EQ(handed_on.done_by(10), 28);
  EXPECT_EQ(done.end_of(4), 2);
  EXPECT_EQ(done.end_of(5), 4);
  EXPECT_EQ(done.end_of(99), 4);
  EXPECT_EQ(ProductTimes().end_of(1), 0);
}

/// In tiles of 8.
Contraction small_dense(std::int64_t m, std::int64_t n, std::int64_t k) {
  DenseParameters parameters;
  parameters.m = m;
  parameters.n = n;
  parameters.k = k;
  parameters.tile = 8;
  return dense_contraction(parameters);
}

/// Half as many products in the same time take twice as long.
TEST(Coarse, DifferenceIsOfTheTimeForTheSameProducts) {
  EXPECT_DOUBLE_EQ(coarse_difference({4, 100, 1000}, 50, 60), 1);
  EXPECT_DOUBLE_EQ(coarse_difference({4, 1000, 1000}, 900, 5), 0.25);  // the whole: the makespan counts
  EXPECT_EQ(coarse_difference({0, 0, 0}, 0, 0), 0);                    // no products
  EXPECT_EQ(coarse_difference({4, 100, 1000}, 0, 60), 0);
}

TEST(Coarse, TextSaysWhatWasCompared) {
  EXPECT_EQ(coarse_text({4, 1000, 1000}, 0.25), "coarse: 25.00% more time than 4 s in full\n");
  EXPECT_EQ(
      coarse_text({4, 99.9, 1000}, -0.001),
      "coarse: 0.10% less time than in full for the first 100 of 1,000 products, which need not tell of the "
      "end\n");
}

std::vector<double> simulated(const PlannedWork& work, double seconds, const CoarseGroups& groups) {
  return run_isolated([&] {
    ProductTimes done;
    SimulationOptions options;
    options.trace = &done;
    options.groups = groups;
    const double makespan_s = simulate(work.plan, work.contraction, work.machine, options).makespan_s;
    return std::vector<double>{makespan_s, done.done_by(seconds)};
  });
}

constexpr double kLong_s = 600;

TEST(Coarse, NothingIsComparedThatTakesTooLong) {
  const PlannedWork work = plan_work(small_dense(1024, 1024, 512), small_machine(2, 2, 1 << 20, 1 << 30), {});
  EXPECT_FALSE(FullStartRun(work, {}).result(0).has_value());
}

TEST(Coarse, SmallCasesAreComparedAsAWhole) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 10; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase c = random_case(seed);
    c.machine.platform.device.memory_bytes = 1 << 20;
    std::optional<PlannedWork> work;
    try {
      work = plan_work(std::move(c.problem), std::move(c.machine), c.settings);
    } catch (const InputError&) {
      continue;
    }
    ++compared;
    const FullStart full = FullStartRun(*work, {}).result(kLong_s).value();
    EXPECT_TRUE(full.is_whole());
    EXPECT_EQ(full.seconds, simulated(*work, 0, {}).at(0));
  }
}

/// Of 131,072 products the first 50,000 are simulated alone: as in the whole simulation.
TEST(Coarse, OfALargeCaseTheBeginningIsCompared) {
  const PlannedWork work = plan_work(small_dense(512, 512, 256), small_machine(2, 2, 1 << 20, 1 << 30), {});
  const FullStart full = FullStartRun(work, {}, 50'000).result(kLong_s).value();
  EXPECT_FALSE(full.is_whole());
  EXPECT_EQ(full.of, 131'072);
  EXPECT_NEAR(full.products, 50'000, 10);
  const auto again = simulated(work, full.seconds, {});
  EXPECT_NEAR(again.at(1), full.products, 1e-6);
  EXPECT_NEAR(coarse_difference(full, again.at(1), again.at(0)), 0, 1e-9);
  const auto coarse = simulated(work, full.seconds, coarse_groups(work));
  EXPECT_LT(std::abs(coarse_difference(full, coarse.at(1), coarse.at(0))), 0.1);
}

}  // namespace
}  // namespace foretile::coarse_test
