#include "executor/run.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "executor/initial_tile.hpp"
#include "planner/problems/random.hpp"
#include "planner/strategy.hpp"
#include "planner/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile {
namespace {

RandomParameters random_problem(Random& random, std::uint64_t seed) {
  RandomParameters p;
  p.m = random.integer(1, 150);
  p.n = random.integer(1, 300);
  p.k = random.integer(1, 300);
  p.tile_min = random.integer(1, 30);
  p.tile_max = p.tile_min + random.integer(0, 40);
  p.a_density = 0.05 + 0.95 * random.real();
  p.b_density = 0.05 + 0.95 * random.real();
  p.seed = seed;
  return p;
}

Settings random_settings(Random& random) {
  return {{"grid.p", std::to_string(random.integer(1, world_size()))},
          {"lookahead", std::to_string(random.integer(0, 2))},
          {"block_fraction", "0.4"},
          {"chunk_fraction", "0.2"},
          {"message_bytes", std::to_string(random.integer(1, 20'000))}};
}

/// More than the rounding errors of up to 300 terms, and a tenth of what is allowed.
double rounding(Precision precision) {
  return allowed_error(precision) / 10;
}

/// The same bits as on cores or, from CUDA, each time. The pinned pool is too small now and then. Returns
/// what happened.
GpuNotes expect_the_same_on_gpus(const Plan& plan, const Contraction& contraction, const Machine& machine,
                                 const RunOutcome& on_cores, Random& random) {
  const std::unique_ptr<Gpus> gpus = test_gpus();
  Plan batched = plan;
  batched.batch = static_cast<int>(random.integer(0, 1) * random.integer(1, 20) + 1);
  const Machine gpu_machine = with_gpus(machine, random);
  const auto once = [&] {
    return execute_on(*gpus, batched, contraction, gpu_machine, random.integer(0, 2) * 200'000);
  };
  const RunOutcome outcome = once();
  EXPECT_LT(outcome.check.relative_error, rounding(contraction.precision));
  const std::string wanted = on_cuda() ? once().check.c_digest : on_cores.check.c_digest;
  EXPECT_EQ(outcome.check.c_digest, wanted) << "batch " << batched.batch;
  for (const DeviceStatistics& device : outcome.run.statistics.devices) {
    EXPECT_LE(device.peak_bytes, plan.device_budget_bytes);
  }
  return outcome.run.gpu;
}

/// Every configuration ends with the right product or a refusal at plan time, in place and with copies, with
/// the same bits both times.
TEST(Run, RandomPlansGiveTheRightProduct) {
  int ran = 0;
  GpuNotes notes;
  for (int seed = 1; seed <= cases(40); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed);
    Contraction contraction = random_contraction(random_problem(random, seed));
    contraction.accumulate = random.integer(0, 1) == 1;
    contraction.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
    const Machine machine =
        machine_here(random.integer(20'000, 400'000), static_cast<int>(random.integer(1, 8)));
    const Settings settings = random_settings(random);
    Plan plan;
    try {
      plan = make_plan(contraction, machine, settings);
      verify(plan, contraction);
    } catch (const InputError&) {
      continue;
    }
    ++ran;
    const RunOutcome in_place = execute(plan, contraction, machine, false);
    const RunOutcome copied = execute(plan, contraction, machine, true);
    EXPECT_LT(in_place.check.relative_error, rounding(contraction.precision));
    EXPECT_LT(copied.check.relative_error, rounding(contraction.precision));
    EXPECT_EQ(in_place.check.c_digest, copied.check.c_digest);
    const GpuNotes gpu = expect_the_same_on_gpus(plan, contraction, machine, in_place, random);
    notes.compactions += gpu.compactions;
    notes.unpinned_bytes += gpu.unpinned_bytes;
    for (const DeviceStatistics& device : copied.run.statistics.devices) {
      EXPECT_LE(device.peak_bytes, plan.device_budget_bytes);
    }
  }
  EXPECT_GE(ran, cases(15));
}

/// Dense and sparse, b x c x d of any size or left to the strategy, with all kinds of barriers.
Settings random_streaming(Random& random) {
  Settings settings{{"strategy", "stationary-c"},
                    {"grid.p", std::to_string(random.integer(1, world_size()))},
                    {"lookahead", std::to_string(random.integer(0, 3))},
                    {"message_bytes", std::to_string(random.integer(1, 20'000))}};
  const std::vector<std::string> kinds{"none", "local", "global"};
  settings["barriers"] = kinds[random.integer(0, 2)];
  settings["prefetch_c"] = std::to_string(random.integer(0, 1));
  if (settings["barriers"] == "global") settings["keep_received"] = std::to_string(random.integer(0, 1));
  for (const char* size : {"b", "c", "d"}) {
    if (random.integer(0, 1) == 1) settings[size] = std::to_string(random.integer(1, 6));
  }
  return settings;
}

/// Devices so small that A, B and C cycle: the right product or a refusal, in place and with copies.
TEST(Run, StreamedPlansGiveTheRightProduct) {
  int ran = 0;
  GpuNotes notes;
  for (int seed = 1; seed <= cases(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed);
    RandomParameters problem = random_problem(random, seed);
    problem.tile_max = std::min<std::int64_t>(problem.tile_max, 40);
    problem.tile_min = std::min(problem.tile_min, problem.tile_max);
    if (random.integer(0, 1) == 1) problem.a_density = problem.b_density = 1;
    Contraction contraction = random_contraction(problem);
    contraction.accumulate = random.integer(0, 1) == 1;
    contraction.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
    const Machine machine =
        machine_here(random.integer(5'000, 200'000), static_cast<int>(random.integer(1, 8)));
    const Settings settings = random_streaming(random);
    Plan plan;
    try {
      plan = make_plan(contraction, machine, settings);
      verify(plan, contraction);
    } catch (const InputError&) {
      continue;
    }
    ++ran;
    const RunOutcome in_place = execute(plan, contraction, machine, false);
    const RunOutcome copied = execute(plan, contraction, machine, true);
    EXPECT_LT(in_place.check.relative_error, rounding(contraction.precision));
    EXPECT_LT(copied.check.relative_error, rounding(contraction.precision));
    EXPECT_EQ(in_place.check.c_digest, copied.check.c_digest);
    const GpuNotes gpu = expect_the_same_on_gpus(plan, contraction, machine, in_place, random);
    notes.compactions += gpu.compactions;
    notes.unpinned_bytes += gpu.unpinned_bytes;
    for (const DeviceStatistics& device : copied.run.statistics.devices) {
      EXPECT_LE(device.peak_bytes, plan.device_budget_bytes);
    }
  }
  EXPECT_GE(ran, cases(20));
}

/// One number wrong in one tile is found, whichever rank holds it.
TEST(Check, FindsOneWrongNumber) {
  const Contraction contraction = random_contraction({.m = 60,
                                                      .n = 90,
                                                      .k = 80,
                                                      .tile_min = 10,
                                                      .tile_max = 20,
                                                      .a_density = 0.7,
                                                      .b_density = 0.7,
                                                      .seed = 3});
  const Machine machine = machine_here(1'000'000);
  const Plan plan = make_plan(contraction, machine, {});
  RunOutcome outcome = execute(plan, contraction, machine, false);
  ASSERT_LT(outcome.check.relative_error, 1e-13);
  if (world_rank() == world_size() - 1) {
    ASSERT_FALSE(outcome.run.host->c.empty());
    outcome.run.host->c.begin()->second.as<double>()[0] += 1e-6;
  }
  // A limit of 0 flops leaves Freivalds' test alone.
  const CheckResult damaged = check_product(contraction, *outcome.run.host, MPI_COMM_WORLD, 0);
  EXPECT_EQ(damaged.method, "freivalds");
  EXPECT_GT(damaged.relative_error, 1e-11);
  EXPECT_NE(damaged.c_digest, outcome.check.c_digest);
  EXPECT_GT(check_product(contraction, *outcome.run.host, MPI_COMM_WORLD).relative_error, 1e-11);
}

/// In single precision rounding hides what it must, and no more.
TEST(Check, FindsOneWrongNumberInSinglePrecision) {
  Contraction contraction = random_contraction({.m = 60,
                                                .n = 90,
                                                .k = 80,
                                                .tile_min = 10,
                                                .tile_max = 20,
                                                .a_density = 0.7,
                                                .b_density = 0.7,
                                                .seed = 3});
  contraction.precision = Precision::f32;
  const Machine machine = machine_here(1'000'000);
  RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  EXPECT_LT(outcome.check.relative_error, 1e-6);
  EXPECT_GT(outcome.check.relative_error, 1e-9);  // it was not computed in double
  if (world_rank() == world_size() - 1) {
    ASSERT_FALSE(outcome.run.host->c.empty());
    outcome.run.host->c.begin()->second.as<float>()[0] += 1e-1F;
  }
  for (const double reference_flops : {0.0, 2e9}) {
    const HostStore& host = *outcome.run.host;
    EXPECT_GT(check_product(contraction, host, MPI_COMM_WORLD, reference_flops).relative_error, 1e-5);
  }
}

/// C = A B with the initial C added afterwards is C += A B, for both tests.
TEST(Check, ExpectsTheInitialCWhereItIsAccumulated) {
  Contraction contraction = random_contraction({.m = 60,
                                                .n = 90,
                                                .k = 80,
                                                .tile_min = 10,
                                                .tile_max = 20,
                                                .a_density = 0.7,
                                                .b_density = 0.7,
                                                .seed = 3});
  const Machine machine = machine_here(1'000'000);
  const RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  contraction.accumulate = true;
  for (const double reference_flops : {0.0, 2e9}) {
    const HostStore& host = *outcome.run.host;
    EXPECT_GT(check_product(contraction, host, MPI_COMM_WORLD, reference_flops).relative_error, 0.1);
  }
  for (auto& [id, buffer] : outcome.run.host->c) {
    const TileBuffer initial = initial_tile(contraction, {Matrix::c, id});
    for (std::size_t e = 0; e < initial.as<double>().size(); ++e)
      buffer.as<double>()[e] += initial.as<double>()[e];
  }
  for (const double reference_flops : {0.0, 2e9}) {
    const HostStore& host = *outcome.run.host;
    EXPECT_LT(check_product(contraction, host, MPI_COMM_WORLD, reference_flops).relative_error, 1e-13);
  }
}

TEST(Check, MissesNoTile) {
  const Contraction contraction = random_contraction({.m = 60,
                                                      .n = 90,
                                                      .k = 80,
                                                      .tile_min = 10,
                                                      .tile_max = 20,
                                                      .a_density = 0.7,
                                                      .b_density = 0.7,
                                                      .seed = 3});
  const Machine machine = machine_here(1'000'000);
  RunOutcome outcome = execute(make_plan(contraction, machine, {}), contraction, machine, false);
  if (world_rank() == 0) outcome.run.host->c.erase(outcome.run.host->c.begin());
  EXPECT_THROW(check_product(contraction, *outcome.run.host, MPI_COMM_WORLD), WorkError);
}

}  // namespace
}  // namespace foretile
