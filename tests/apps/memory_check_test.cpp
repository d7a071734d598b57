// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/memory_check.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "executor/cpu/blas.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::memory_check_test {
namespace {

/// Two ranks of 4 cores and 2 devices on a node. Each holds 1000 bytes in host memory and 100 on a device, 10
/// of them of messages.
PlannedWork work(DeviceKind kind) {
  const Tiling one = Tiling::uniform(4, 4);
  PlannedWork work{{"", one, one, one, Shape::dense(1, 1), Shape::dense(1, 1), Shape::dense(1, 1)},
                   small_machine(2, 2, 1000, 10000, 2),
                   {},
                   {}};
  work.machine.platform.device.kind = kind;
  work.summary.peak_host_bytes = 1000;
  work.summary.peak_device_bytes = 90;
  work.summary.peak_device_message_bytes = 10;
  return work;
}

void expect_least(const PlannedWork& work, bool devices_too, std::int64_t bytes) {
  EXPECT_NO_THROW(require_memory(work, 2, devices_too, bytes));
  EXPECT_THROW(require_memory(work, 2, devices_too, bytes - 1), InputError);
}

TEST(MemoryCheck, CountsBuffersOfCores) {
  const std::int64_t buffers = 4 * kBlasBufferBytes;
  EXPECT_EQ(blas_bytes(work(DeviceKind::core)), buffers);
  expect_least(work(DeviceKind::core), true, 2 * (1000 + 2 * 100 + buffers));
  expect_least(work(DeviceKind::core), false, 2 * (1000 + buffers));
}

TEST(MemoryCheck, GpusNeedNoBuffers) {
  EXPECT_EQ(blas_bytes(work(DeviceKind::gpu)), 0);
  expect_least(work(DeviceKind::gpu), true, 2 * (1000 + 2 * 100));
  expect_least(work(DeviceKind::gpu), false, 2 * 1000);
}

}  // namespace
}  // namespace foretile::memory_check_test
