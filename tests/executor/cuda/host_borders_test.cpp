// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/host_borders.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "rig.hpp"

namespace foretile::host_borders_test {
namespace {

TEST(HostBorders, LieBehind) {
  const std::array<std::byte, 100> memory{};
  const std::byte* const at = memory.data();
  HostBorders borders;
  borders.add(at + 20, 10);
  borders.add(at + 30, 20);  // directly behind
  borders.add(at + 80, 10);
  EXPECT_EQ(borders.bytes_to_next(at), 20);
  EXPECT_EQ(borders.bytes_to_next(at + 20), 10);
  EXPECT_EQ(borders.bytes_to_next(at + 29), 1);
  EXPECT_EQ(borders.bytes_to_next(at + 30), 20);
  EXPECT_EQ(borders.bytes_to_next(at + 50), 30);
  EXPECT_EQ(borders.bytes_to_next(at + 90), std::numeric_limits<std::int64_t>::max());
  borders.remove(at + 30);
  EXPECT_EQ(borders.bytes_to_next(at + 30), 50);
}

/// Ordinary memory of which the fake locks parts.
class HostBordersTest : public CudaTest {
 protected:
  void SetUp() override {
    fake_cuda::Options options;
    options.ordinary_memory = true;
    fake_cuda::reset(options);
    std::iota(here_.begin(), here_.end(), 1.0);
  }
  std::byte* here(std::size_t element) { return reinterpret_cast<std::byte*>(here_.data() + element); }

  std::vector<double> here_ = std::vector<double>(64);
};

/// A tile whose first number is on the page of a neighbour, and one that is in two ranges and between
/// them.
TEST_F(HostBordersTest, TilesThatAreLockedInPartArriveWhole) {
  CudaGpus gpus;
  const auto gpu = gpus.open(0, 1);
  ASSERT_TRUE(gpus.register_host(here(4), 32, false));
  ASSERT_TRUE(gpus.register_host(here(10), 16, false));
  ASSERT_TRUE(gpus.register_host(here(12), 16, false));
  std::byte* const there = gpu->allocate(512);
  const std::vector<CopyPiece> in{{there, here(7), 24}, {there + 24, here(2), 96}};
  gpu->copy(kInLane, in);
  wait_for(*gpu, kInLane);
  EXPECT_EQ(get<double>(gpus, *gpu, there, 15),
            (std::vector<double>{8, 9, 10, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}));
  const CopyPiece out{here(3), there, 96};
  gpu->copy(kOutLane, {&out, 1});
  wait_for(*gpu, kOutLane);
  EXPECT_EQ(std::vector<double>(here_.begin() + 2, here_.begin() + 16),
            (std::vector<double>{3, 8, 9, 10, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16}));
  for (const std::size_t begin : {4U, 10U, 12U}) gpus.unregister_host(here(begin));
}

/// Eight rows of 3 numbers, 4 apart; the range begins within the third and ends between two others.
TEST_F(HostBordersTest, RowsAreCutWhereABorderIs) {
  CudaGpus gpus;
  const auto gpu = gpus.open(0, 1);
  ASSERT_TRUE(gpus.register_host(here(9), 8 * 10, false));
  std::byte* const there = gpu->allocate(512);
  const CopyPiece rows{there, here(0), 24, 8, 24, 32};
  gpu->copy(kInLane, {&rows, 1});
  wait_for(*gpu, kInLane);
  std::vector<double> wanted;
  for (int row = 0; row < 8; ++row) {
    for (int element = 1; element <= 3; ++element) wanted.push_back(4 * row + element);
  }
  EXPECT_EQ(get<double>(gpus, *gpu, there, 24), wanted);
  EXPECT_EQ(fake_cuda::calls("cudaMemcpy2DAsync"), 3);  // 2 rows, 2 that are locked, 3; the others in parts
  gpus.unregister_host(here(9));
}

TEST_F(HostBordersTest, GoWithTheMemory) {
  CudaGpus gpus;
  const auto gpu = gpus.open(0, 1);
  std::byte* const there = gpu->allocate(512);
  ASSERT_TRUE(gpus.register_host(here(4), 32, false));
  gpus.unregister_host(here(4));
  const CopyPiece piece{there, here(0), 512};
  gpu->copy(kInLane, {&piece, 1});
  wait_for(*gpu, kInLane);
  EXPECT_EQ(fake_cuda::calls("cudaMemcpyAsync"), 1);
}

}  // namespace
}  // namespace foretile::host_borders_test
