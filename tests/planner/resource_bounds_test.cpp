#include "planner/plan/graph/resource_bounds.hpp"

#include <gtest/gtest.h>

#include "tests/planner/unequal_tiles.hpp"

namespace foretile {
namespace {

void expect_bound(const UnequalTiles& example, double seconds, const std::string& resource) {
  const ResourceBound found = largest_resource_bound(example.plan, example.problem, example.machine);
  EXPECT_NEAR(found.seconds, seconds, 1e-9 * seconds);
  EXPECT_EQ(found.resource, resource);
}

/// B once; with C += A B both tiles of C too. Streamed tiles may be on the device still.
TEST(ResourceBounds, Loads) {
  UnequalTiles example;
  example.machine.platform.links.host_to_device = {0, 1e3};
  expect_bound(example, 4.8, "loads of rank 0, device 0");
  example.problem.beta = 1;
  expect_bound(example, 9.6, "loads of rank 0, device 0");
  example.plan.operands.b = {};
  expect_bound(example, 4.8, "loads of rank 0, device 0");
}

TEST(ResourceBounds, Stores) {
  UnequalTiles example;
  example.machine.platform.links.device_to_host = {0, 1e3};
  expect_bound(example, 4.8, "stores of rank 0, device 0");
}

/// Four cores; or the device itself.
TEST(ResourceBounds, Generation) {
  UnequalTiles example;
  example.machine.platform.generation_bytes_per_s_per_core = 1e3;
  expect_bound(example, 1.2, "generation on the cores of rank 0");
  example.machine.platform.generation_bytes_per_s_on_device = 2e3;
  expect_bound(example, 2.4, "generation on rank 0, device 0");
}

/// Each product has 2 * 10 * 30 * 20 = 12,000 flop, at 1e4 flop/s 1.2 s: 2.4 s on four cores.
TEST(ResourceBounds, ProductsWhereDevicesAreCores) {
  UnequalTiles example;
  example.machine.platform.device.kind = DeviceKind::core;
  example.machine.platform.device.kernel.rate_flops_per_s = 1e4;
  example.machine.platform.links.device_to_host = {0, 1e3};  // C is in host memory already
  expect_bound(example, 2.4 / 4 + 4800 / 1e9 / 4, "the cores of rank 0");
}

/// Two tiles of A, one of B, two of C; C comes in too for C += A B. On cores only C has a way home. A device
/// that makes its B needs no copy for it.
TEST(ResourceBounds, SoftwareOfCopies) {
  UnequalTiles example;
  example.machine.platform.runtime.copy_overhead_s = 1;
  expect_bound(example, 5, "software cost of copies of rank 0, device 0");
  example.problem.beta = 1;
  expect_bound(example, 7, "software cost of copies of rank 0, device 0");
  example.machine.platform.device.kind = DeviceKind::core;
  expect_bound(example, 2, "software cost of copies of rank 0, device 0");
  UnequalTiles making;
  making.machine.platform.runtime.copy_overhead_s = 1;
  making.machine.platform.generation_bytes_per_s_on_device = 1e12;
  expect_bound(making, 4, "software cost of copies of rank 0, device 0");
}

TEST(ResourceBounds, Messages) {
  UnequalTiles example;
  example.machine.platform.network.message = {0, 1e3};
  expect_bound(example, 1.6, "messages of rank 1 to other nodes");
  example.machine.platform.runtime.message_overhead_s = 2;
  expect_bound(example, 2, "software cost of messages of rank 0");
}

}  // namespace
}  // namespace foretile
