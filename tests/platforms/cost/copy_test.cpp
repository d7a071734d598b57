// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/copy.hpp"

#include <gtest/gtest.h>

namespace foretile::copy_test {
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
  EXPECT_DOUBLE_EQ(copy_in(p, HostTile::generated, 8'000'000).blocked_s, 2e-3);
  EXPECT_EQ(copy_in(p, HostTile::generated, 8'000'000).linked_bytes, 0);
  const CopyCost pinned = copy_in(p, HostTile::array, 8'000'000);
  EXPECT_EQ(pinned.blocked_s, 0);
  EXPECT_EQ(pinned.linked_bytes, 8'000'000);
  EXPECT_DOUBLE_EQ(pinned.manager_s(), 2e-3);
}

// Where a runtime allocates tiles of one size one by one: 8 MB at 5 GB/s.
TEST(CopyModel, TilesOfOneSizeAreUnpinnedWhereARateSaysSo) {
  Platform p = platform();
  p.runtime.unpinned = {};
  p.runtime.unpinned.array_bytes_per_s = 5e9;
  EXPECT_TRUE(p.runtime.unpinned.any());
  EXPECT_DOUBLE_EQ(copy_in(p, HostTile::array, 8'000'000).blocked_s, 1.6e-3);
  EXPECT_EQ(copy_in(p, HostTile::array, 8'000'000).linked_bytes, 0);
  EXPECT_EQ(copy_in(p, HostTile::received, 8'000'000).blocked_s, 0);
}

TEST(CopyModel, UnpinnedCopiesAreNoFasterThanTheLink) {
  Platform p = platform();
  p.runtime.unpinned.generated_bytes_per_s = 40e9;
  EXPECT_DOUBLE_EQ(copy_in(p, HostTile::generated, 8'000'000).blocked_s, 0.8e-3);
}

TEST(CopyModel, WithoutRatesAllMemoryIsPinned) {
  Platform p = platform();
  p.runtime.unpinned = {};
  for (const HostTile from : {HostTile::array, HostTile::single, HostTile::received, HostTile::generated}) {
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

// 2 ms of software; from a GPU 3 ms of latency and 8 MB at 4 GB/s more.
TEST(CopyModel, TilesOfCAreWrittenBackByGpusAlone) {
  Platform p = platform();
  p.links.device_to_host = {3e-3, 4e9};
  EXPECT_DOUBLE_EQ(store_seconds(p, false, 8'000'000), 2e-3);
  EXPECT_DOUBLE_EQ(store_seconds(p, true, 8'000'000), 2e-3 + 3e-3 + 2e-3);
}

// 60 GB over two devices' links of 10 GB/s in and 5 out, three sockets' of 20 and memories of 100 GB/s; into
// one device with two peers at 5 GB/s: 10 + 2 x 5.
TEST(CopyModel, WhatCopiesShare) {
  Platform p = platform();
  EXPECT_EQ(device_to_host_s(p, 60e9), 0);  // no figure: it never limits
  EXPECT_EQ(device_loads_s(p, 60e9, 2), 0);
  p.links.device_to_host.bandwidth_bytes_per_s = 5e9;
  p.links.socket_host_to_device_bytes_per_s = 20e9;
  p.links.peer.bandwidth_bytes_per_s = 5e9;
  p.memory_bandwidth_bytes_per_s = 100e9;
  EXPECT_DOUBLE_EQ(host_to_device_s(p, 60e9), 6);
  EXPECT_DOUBLE_EQ(host_to_device_s(p, 60e9, 2), 3);
  EXPECT_DOUBLE_EQ(device_to_host_s(p, 60e9, 2), 6);
  EXPECT_DOUBLE_EQ(socket_copies_s(p, 60e9, 3), 1);
  EXPECT_DOUBLE_EQ(host_memory_s(p, 60e9, 3), 0.2);
  EXPECT_DOUBLE_EQ(device_loads_s(p, 60e9, 2), 3);
  EXPECT_DOUBLE_EQ(device_loads_s(p, 60e9, 0), 6);
}

}  // namespace
}  // namespace foretile::copy_test
