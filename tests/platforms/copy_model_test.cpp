// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/copy_model.hpp"

#include <gtest/gtest.h>

namespace foretile::copy_model_test {
namespace {

Platform platform() {
  Platform p;
  p.links.host_to_device = {1e-3, 10e9};
  p.runtime.copy_overhead_s = 2e-3;
  p.runtime.unpinned = {1e9, 2e9, 4e9};
  return p;
}

CopyCost copy_in(const Platform& p, HostTile from, std::int64_t bytes) {
  return copy_in_cost(p.runtime, p.links.host_to_device, from, bytes);
}

// 8 MB at 1, 2 and 4 GB/s: 8, 4 and 2 ms in which the manager waits. Tiles in an array are pinned: 8 MB for
// the link.
TEST(CopyModel, TheSourceDecidesHowLongTheManagerWaits) {
  const Platform p = platform();
  EXPECT_DOUBLE_EQ(copy_in(p, HostTile::single, 8'000'000).blocked_s, 8e-3);
  EXPECT_DOUBLE_EQ(copy_in(p, HostTile::received, 8'000'000).blocked_s, 4e-3);
  EXPECT_DOUBLE_EQ(copy_in(p, HostTile::made, 8'000'000).blocked_s, 2e-3);
  EXPECT_EQ(copy_in(p, HostTile::made, 8'000'000).linked_bytes, 0);
  const CopyCost pinned = copy_in(p, HostTile::array, 8'000'000);
  EXPECT_EQ(pinned.blocked_s, 0);
  EXPECT_EQ(pinned.linked_bytes, 8'000'000);
  EXPECT_DOUBLE_EQ(pinned.manager_s(), 2e-3);
}

TEST(CopyModel, UnpinnedCopiesAreNoFasterThanTheLink) {
  Platform p = platform();
  p.runtime.unpinned.made_bytes_per_s = 40e9;
  EXPECT_DOUBLE_EQ(copy_in(p, HostTile::made, 8'000'000).blocked_s, 0.8e-3);
}

TEST(CopyModel, WithoutRatesAllMemoryIsPinned) {
  Platform p = platform();
  p.runtime.unpinned = {};
  for (const HostTile from : {HostTile::array, HostTile::single, HostTile::received, HostTile::made}) {
    EXPECT_EQ(copy_in(p, from, 8'000'000).blocked_s, 0);
    EXPECT_EQ(copy_in(p, from, 8'000'000).linked_bytes, 8'000'000);
  }
}

// Two tiles: twice 2 ms of software, 8 ms blocked, 8 MB in 0.8 ms over the link, latency 1 ms: 13.8 ms.
TEST(CopyModel, SecondsOfACopyOfSeveralTiles) {
  const Platform p = platform();
  CopyCost cost = copy_in(p, HostTile::single, 8'000'000);
  cost += other_copy_cost(p.runtime, 8'000'000);
  EXPECT_DOUBLE_EQ(copy_seconds(cost, p.links.host_to_device), 13.8e-3);
}

}  // namespace
}  // namespace foretile::copy_model_test
