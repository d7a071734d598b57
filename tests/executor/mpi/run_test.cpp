// SPDX-License-Identifier: BSD-3-Clause
#include "executor/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "executor/mpi/device_memory.hpp"
#include "executor/mpi/session.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::run_test {
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
          {"message_bytes", std::to_string(random.integer(1, 20'000))},
          {"strategy", random.integer(0, 1) == 0 ? "stationary-b" : "local-b"}};
}

/// The same bits as on cores or, from CUDA, each time. The pinned pool is too small now and then. Returns
/// what happened.
GpuNotes expect_the_same_on_gpus(const Plan& plan, const Contraction& contraction, const Machine& machine,
                                 const RunOutcome& on_cores, Random& random) {
  const std::unique_ptr<Gpus> gpus = test_gpus(contraction);
  Plan batched = plan;
  batched.batch = static_cast<int>(random.integer(0, 1) * random.integer(1, 20) + 1);
  const Machine gpu_machine = with_gpus(machine, random);
  const auto once = [&] {
    return execute_on(*gpus, batched, contraction, gpu_machine, random.integer(0, 2) * 200'000);
  };
  const RunOutcome outcome = once();
  EXPECT_TRUE(outcome.check.passed()) << outcome.check.relative_error;
  const std::string wanted = on_cuda() ? once().check.c_digest : on_cores.check.c_digest;
  EXPECT_EQ(outcome.check.c_digest, wanted) << "batch " << batched.batch;
  for (const DeviceStatistics& device : outcome.run.statistics.devices) {
    EXPECT_LE(device.peak_bytes, plan.device_classes[0].memory_bytes);
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
    contraction.beta = random.integer(0, 1) == 1 ? 1 : 0;
    contraction.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
    const int devices = static_cast<int>(random.integer(1, 8));
    const Machine machine = machine_here(random.integer(20'000, 400'000), devices);
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
    EXPECT_TRUE(in_place.check.passed()) << in_place.check.relative_error;
    EXPECT_TRUE(copied.check.passed()) << copied.check.relative_error;
    EXPECT_EQ(in_place.check.c_digest, copied.check.c_digest);
    const GpuNotes gpu = expect_the_same_on_gpus(plan, contraction, machine, in_place, random);
    notes.compactions += gpu.compactions;
    notes.unpinned_bytes += gpu.unpinned_bytes;
    for (const DeviceStatistics& device : copied.run.statistics.devices) {
      EXPECT_LE(device.peak_bytes, plan.device_classes[0].memory_bytes);
    }
  }
  EXPECT_GE(ran, cases(15));
}

/// Tiles that ranks receive in memory of their devices are the same bits, and are forwarded from there.
TEST(Run, MessagesToDevicesBringTheSameBits) {
  int ran = 0, with_messages = 0;
  for (int seed = 1; seed <= cases(40); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed);
    Contraction contraction = random_contraction(random_problem(random, seed));
    contraction.sources = {Source::given, Source::given};
    const auto memory = random.integer(100'000, 1'000'000);
    Machine machine = with_gpus(machine_here(memory, static_cast<int>(random.integer(1, 4))), random);
    const Settings settings{{"strategy", random.integer(0, 1) == 0 ? "stationary-c" : "grid-3d"},
                            {"message_bytes", std::to_string(random.integer(1, 20'000))},
                            {"lookahead", std::to_string(random.integer(0, 2))}};
    Plan on_host, on_devices;
    try {
      on_host = make_plan(contraction, machine, settings);
      verify(on_host, contraction);
      machine.platform.messages = "device";
      on_devices = make_plan(contraction, machine, settings);
      verify(on_devices, contraction);
    } catch (const InputError&) {
      continue;
    }
    ++ran;
    with_messages += on_devices.messages_on_devices() ? 1 : 0;
    const std::unique_ptr<Gpus> gpus = test_gpus(contraction);
    // The same order of sums, whatever the memory.
    Plan same = on_devices;
    same.device_message_bytes = 0;
    const RunOutcome host = execute_on(*gpus, same, contraction, machine, 0);
    const RunOutcome devices = execute_on(*gpus, on_devices, contraction, machine, 0);
    EXPECT_TRUE(devices.check.passed()) << devices.check.relative_error;
    EXPECT_EQ(devices.check.c_digest, host.check.c_digest);
    EXPECT_EQ(host.run.gpu.host_message_bytes, 0);
    for (const DeviceStatistics& device : devices.run.statistics.devices)
      EXPECT_LE(device.peak_bytes, on_devices.device_classes[0].memory_bytes);
  }
  EXPECT_GE(ran, cases(10));
  EXPECT_GE(with_messages, world_size() > 1 ? cases(8) : 0);
}

/// Stand-ins with the manners of GPUs: their memory is not the host's.
class ApartGpus final : public Gpus {
 public:
  int count() const override { return gpus_.count(); }
  GpuFacts facts(int physical) override { return gpus_.facts(physical); }
  std::unique_ptr<Gpu> open(int physical, int lanes) override { return gpus_.open(physical, lanes); }
  bool direct(int from, int to) override { return gpus_.direct(from, to); }
  std::byte* allocate_host(std::int64_t bytes) override { return gpus_.allocate_host(bytes); }
  void free_host(std::byte* memory) override { gpus_.free_host(memory); }
  void pause(double seconds) override { gpus_.pause(seconds); }

 private:
  StandInGpus gpus_{{.count = 2}};
};

/// MPI is asked before anything runs.
TEST(Run, MessagesToDevicesNeedAnMpiThatCan) {
  if (world_size() == 1 || mpi_takes_device_memory()) GTEST_SKIP();
  Random random(1);
  const Tiling tiles = Tiling::uniform(80, 10);
  const Contraction p{"", tiles, tiles, tiles, Shape::dense(8, 8), Shape::dense(8, 8), Shape::dense(8, 8), 0};
  Machine machine = with_gpus(machine_here(10'000'000, 1), random);
  machine.platform.messages = "device";
  const Plan plan = make_plan(p, machine, {{"strategy", "stationary-c"}});
  ASSERT_TRUE(plan.messages_on_devices());
  ApartGpus gpus;
  try {
    with_agreed_errors([&] { execute_on(gpus, plan, p, machine, 0); });
    FAIL() << "it ran";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("platform.messages=host"), std::string::npos) << error.what();
  } catch (const OtherRankFailed&) {
    EXPECT_NE(world_rank(), 0);  // the first one says it
  }
}

/// Stand-ins that note through which one host memory was taken, before any was opened.
class NotedGpus final : public Gpus {
 public:
  int count() const override { return gpus_.count(); }
  GpuFacts facts(int physical) override { return gpus_.facts(physical); }
  std::unique_ptr<Gpu> open(int physical, int kernel_lanes) override {
    opened = true;
    return gpus_.open(physical, kernel_lanes);
  }
  bool direct(int from, int to) override { return gpus_.direct(from, to); }
  void use_for_host(int physical) override { for_host_ = physical; }
  std::byte* allocate_host(std::int64_t bytes) override {
    if (!opened) taken_through.push_back(for_host_);
    return gpus_.allocate_host(bytes);
  }
  void free_host(std::byte* memory) override { gpus_.free_host(memory); }
  void pause(double seconds) override { gpus_.pause(seconds); }

  bool opened = false;
  std::vector<int> taken_through;

 private:
  StandInGpus gpus_{{.count = 16}};
  int for_host_ = -1;
};

TEST(Run, HostMemoryIsTakenThroughTheFirstDeviceOfTheRank) {
  if (on_cuda()) GTEST_SKIP() << "stand-ins play more devices";
  Random random(1);
  const Contraction contraction = random_contraction(random_problem(random, 1));
  const int devices = 2;
  const Machine machine = with_gpus(machine_here(400'000, devices), random);
  const Plan plan = make_plan(contraction, machine, {{"strategy", "stationary-b"}});
  NotedGpus gpus;
  execute_on(gpus, plan, contraction, machine, 200'000);
  EXPECT_EQ(gpus.taken_through, std::vector<int>{world_rank() * machine.devices_per_rank});
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
    contraction.beta = random.integer(0, 1) == 1 ? 1 : 0;
    contraction.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
    const int devices = static_cast<int>(random.integer(1, 8));
    const Machine machine = machine_here(random.integer(5'000, 200'000), devices);
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
    EXPECT_TRUE(in_place.check.passed()) << in_place.check.relative_error;
    EXPECT_TRUE(copied.check.passed()) << copied.check.relative_error;
    EXPECT_EQ(in_place.check.c_digest, copied.check.c_digest);
    const GpuNotes gpu = expect_the_same_on_gpus(plan, contraction, machine, in_place, random);
    notes.compactions += gpu.compactions;
    notes.unpinned_bytes += gpu.unpinned_bytes;
    for (const DeviceStatistics& device : copied.run.statistics.devices) {
      EXPECT_LE(device.peak_bytes, plan.device_classes[0].memory_bytes);
    }
  }
  EXPECT_GE(ran, cases(20));
}

Settings random_grid(Random& random, int devices) {
  Settings settings = random_streaming(random);
  settings.erase("grid.p");
  settings["strategy"] = "grid-3d";
  const auto r = random.integer(1, world_size());
  const auto p = random.integer(1, world_size() / r);
  settings["grid"] = fmt::format("{}x{}x{}", p, random.integer(1, world_size() / r / p), r);
  settings["tree"] = random.integer(0, 1) == 0 ? "chain" : "binomial";
  settings["sum_bytes"] = std::to_string(random.integer(1, 100'000));
  settings["device_layers"] = std::to_string(devices % 2 == 0 ? random.integer(1, 2) : 1);
  return settings;
}

/// Grids with layers of ranks and devices, B given or made: the right product or a refusal, the same bits in
/// place, with copies and on GPUs, and however the ranks are in pretended nodes of two.
TEST(Run, GridsWithSumsGiveTheRightProduct) {
  int given = 0, made = 0;
  for (int seed = 1; seed <= cases(60); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << world_size() << " ranks");
    Random random(seed);
    RandomParameters problem = random_problem(random, seed);
    problem.tile_max = std::min<std::int64_t>(problem.tile_max, 40);
    problem.tile_min = std::min(problem.tile_min, problem.tile_max);
    if (random.integer(0, 1) == 1) problem.a_density = problem.b_density = 1;
    Contraction contraction = random_contraction(problem);
    contraction.beta = random.integer(0, 1) == 1 ? 1 : 0;
    contraction.precision = random.integer(0, 1) == 1 ? Precision::f64 : Precision::f32;
    const int devices = static_cast<int>(random.integer(1, 8));
    Machine machine = machine_here(random.integer(5'000, 200'000), devices);
    Settings settings = random_grid(random, devices);
    if (seed % 2 == 0) {
      contraction.sources.b = Source::given;
    } else {
      for (const char* key : {"b", "prefetch_c"}) settings.erase(key);
    }
    Plan plan;
    try {
      plan = make_plan(contraction, machine, settings);
      verify(plan, contraction);
    } catch (const InputError&) {
      continue;
    }
    ++(seed % 2 == 0 ? given : made);
    const RunOutcome in_place = execute(plan, contraction, machine, false);
    EXPECT_TRUE(in_place.check.passed()) << in_place.check.relative_error;
    EXPECT_EQ(execute(plan, contraction, machine, true).check.c_digest, in_place.check.c_digest);
    expect_the_same_on_gpus(plan, contraction, machine, in_place, random);
    machine.ranks_per_node = std::min(2, world_size());
    settings["grid.node"] = "auto";
    EXPECT_EQ(execute(make_plan(contraction, machine, settings), contraction, machine, false).check.c_digest,
              in_place.check.c_digest);
  }
  EXPECT_GE(given, cases(10));
  EXPECT_GE(made, cases(10));
}

}  // namespace
}  // namespace foretile::run_test
