// SPDX-License-Identifier: BSD-3-Clause
// Small tiles are bound by the host: products and launches ask the system for no memory of their own. A
// program of its own, since it counts all requests of its process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <string>

#include "executor/backends/gpu_backend.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/loader.hpp"
#include "scheduler/options.hpp"
#include "scheduler/rank_scheduler.hpp"
#include "tests/executor/gpu/instant_gpus.hpp"

namespace {

std::int64_t requests = 0;  // by the thread that drives the run; others are idle meanwhile

}  // namespace

// Not inlined: the compiler would see memory of malloc() that `delete` frees.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++requests;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace foretile::launch_memory_test {
namespace {

struct Counted {
  std::int64_t launches = 0, requests = 0;
};

/// A cube of that many tiles of 16 along each side, whose matrices fit the device.
Counted count(int tiles, int batch) {
  DenseParameters shape;
  shape.m = shape.n = shape.k = std::int64_t{tiles} * 16;
  shape.tile = 16;
  const Contraction problem = dense_contraction(shape);
  const Machine machine =
      make_machine(load_platform("summit", {"platform.sockets_per_node=1", "platform.ranks_per_node=1",
                                            "platform.socket.devices=1"}),
                   {});
  const Plan plan =
      make_plan(problem, machine, {{"strategy", "stationary-c"}, {"batch", std::to_string(batch)}});
  InstantGpus gpus;
  HostStore host(problem, plan, plan.ranks[0], 0);
  GpuBackend backend(problem, plan, plan.ranks[0], host, gpus, {0, 0, 4, 1}, {});
  RankScheduler scheduler(plan, plan.ranks[0], problem, 0, backend,
                          scheduler_options(plan, plan.ranks[0], problem, machine, 0));
  const std::int64_t before = requests;
  scheduler.start();
  while (!scheduler.finished()) {
    for (const auto& [id, time] : backend.ended(0)) scheduler.done(id, time);
  }
  const std::int64_t during = requests - before;
  return {scheduler.statistics().devices[0].launches, during};
}

/// Blocks and copies ask for some, however many launches there are.
TEST(LaunchMemory, LaunchesAskForNone) {
  const Counted single = count(24, 1), batched = count(24, 32);
  EXPECT_EQ(single.launches, 24 * 24 * 24);
  EXPECT_EQ(batched.launches, single.launches / 32);
  EXPECT_LT(single.requests - batched.requests, (single.launches - batched.launches) / 50);
}

}  // namespace
}  // namespace foretile::launch_memory_test
