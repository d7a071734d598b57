// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/generation.hpp"

#include <gtest/gtest.h>

namespace foretile::generation_test {
namespace {

/// One part for each megabyte, but no more than cores.
TEST(PartsOfTile, HaveAMegabyteAtLeast) {
  EXPECT_EQ(parts_of_tile(8, 7), 1);
  EXPECT_EQ(parts_of_tile(1'999'999, 7), 1);
  EXPECT_EQ(parts_of_tile(2'000'000, 7), 2);
  EXPECT_EQ(parts_of_tile(6'999'999, 7), 6);
  EXPECT_EQ(parts_of_tile(1'000'000'000, 7), 7);
  EXPECT_EQ(parts_of_tile(1'000'000'000, 1), 1);
  EXPECT_EQ(parts_of_tile(1000, 7, 300), 3);
}

/// 4 MB in three parts: 166,667 doubles, or 333,334 floats.
TEST(PartsOfTile, TheLargestDecides) {
  EXPECT_EQ(largest_part_bytes(4'000'000, 8, 3), 1'333'336);
  EXPECT_EQ(largest_part_bytes(4'000'000, 4, 3), 1'333'336);
  EXPECT_EQ(largest_part_bytes(4'000'000, 8, 1), 4'000'000);
  EXPECT_EQ(largest_part_bytes(800, 8, 3), 800);
}

/// A core computes 2 GB/s and reads 3, a node reads 8; a GPU computes 100.
Machine machine(DeviceKind kind) {
  Machine m;
  m.platform.device.kind = kind;
  m.platform.cores_per_socket = 4;
  m.platform.generation_bytes_per_s_per_core = 2e9;
  m.platform.generation_bytes_per_s_on_device = 100e9;
  m.platform.file_bytes_per_s_per_core = 3e9;
  m.platform.file_bytes_per_s_per_node = 8e9;
  return m;
}

/// 8 MB: four cores make 2 MB each in 1 ms, one makes all in 4 ms.
TEST(GenerationTimes, ATileHasSoManyCoresAtMost) {
  Machine m = machine(DeviceKind::gpu);
  EXPECT_DOUBLE_EQ(GenerationTimes(m, false).tile_s(8'000'000, 8), 1e-3);
  m.platform.most_cores_per_generated_tile = 1;
  EXPECT_DOUBLE_EQ(GenerationTimes(m, false).tile_s(8'000'000, 8), 4e-3);
}

TEST(GenerationTimes, GpusComputeAndCoresRead) {
  const Machine gpus = machine(DeviceKind::gpu), cores = machine(DeviceKind::core);
  EXPECT_TRUE(GenerationTimes(gpus, false).on_device());
  EXPECT_FALSE(GenerationTimes(gpus, true).on_device());
  EXPECT_FALSE(GenerationTimes(cores, false).on_device());
  Machine slow = gpus;
  slow.platform.generation_bytes_per_s_on_device = 0;
  EXPECT_FALSE(GenerationTimes(slow, false).on_device());
}

/// 24 GB.
TEST(GenerationTimes, Computes) {
  const Machine m = machine(DeviceKind::gpu);
  const GenerationTimes generation(m, false);
  EXPECT_DOUBLE_EQ(generation.core_s(24e9), 12);
  EXPECT_DOUBLE_EQ(generation.core_s(24e9, 4), 3);
  EXPECT_DOUBLE_EQ(generation.device_s(24e9, 2), 0.12);
  EXPECT_EQ(generation.file_s(24e9), 0);
}

/// A core reads no faster than it or its node can; without figures nothing limits it.
TEST(GenerationTimes, Reads) {
  Machine m = machine(DeviceKind::core);
  const GenerationTimes generation(m, true);
  EXPECT_DOUBLE_EQ(generation.core_s(24e9), 8);
  EXPECT_DOUBLE_EQ(generation.file_s(24e9), 3);
  EXPECT_DOUBLE_EQ(generation.file_s(24e9, 2), 1.5);
  m.platform.file_bytes_per_s_per_core = 0;
  EXPECT_DOUBLE_EQ(generation.core_s(24e9), 3);
  m.platform.file_bytes_per_s_per_core = 12e9;
  EXPECT_DOUBLE_EQ(generation.core_s(24e9), 3);
  m.platform.file_bytes_per_s_per_core = m.platform.file_bytes_per_s_per_node = 0;
  EXPECT_EQ(generation.core_s(24e9), 0);
}

/// 8 MB by four cores, each 2 MB at 2 GB/s; cores that compute alone are twice as fast.
TEST(GenerationTimes, CoresMakeATileTogether) {
  Machine m = machine(DeviceKind::gpu);
  EXPECT_DOUBLE_EQ(GenerationTimes(m, false).tile_s(8'000'000, 8), 1e-3);
  m.platform.solo_speedup = 2;
  EXPECT_DOUBLE_EQ(GenerationTimes(m, false).tile_s(8'000'000, 8), 1e-3);
  m.platform.device.kind = DeviceKind::core;
  EXPECT_DOUBLE_EQ(GenerationTimes(m, false).tile_s(8'000'000, 8), 0.5e-3);
}

}  // namespace
}  // namespace foretile::generation_test
