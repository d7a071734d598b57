// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/registered_memory.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <set>

#include "executor/gpu/stand_in.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/loader.hpp"

namespace foretile::registered_memory_test {
namespace {

std::byte* at(std::uintptr_t address) {
  return reinterpret_cast<std::byte*>(address);
}

TEST(RegisteredMemory, PagesAreWholeAndRegisteredOnce) {
  // Pages 1 and 2 hold three ranges, 4 one that ends where 5 begins, which is writable, as is 6.
  const std::vector<HostRange> pages = whole_pages({{at(0x5000), 0x10, false},
                                                    {at(0x2ff0), 0x10, true},
                                                    {at(0x1010), 0x20, true},
                                                    {at(0x1fff), 0x2, true},
                                                    {at(0x4000), 0x1000, true},
                                                    {at(0x6000), 0x1, false}},
                                                   0x1000);
  ASSERT_EQ(pages.size(), 3U);
  EXPECT_EQ(pages[0].begin, at(0x1000));
  EXPECT_EQ(pages[0].bytes, 0x2000);
  EXPECT_TRUE(pages[0].read_only);
  EXPECT_EQ(pages[1].begin, at(0x4000));
  EXPECT_EQ(pages[1].bytes, 0x1000);
  EXPECT_EQ(pages[2].begin, at(0x5000));
  EXPECT_EQ(pages[2].bytes, 0x2000);
  EXPECT_FALSE(pages[2].read_only);
}

TEST(RegisteredMemory, APageThatIsSharedMayBeWritten) {
  const std::vector<HostRange> pages = whole_pages({{at(0x1000), 8, true}, {at(0x1008), 8, false}}, 0x1000);
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_FALSE(pages[0].read_only);
}

/// A in place, B not, C with a gap in every second tile.
class Kept final : public TileStorage {
 public:
  explicit Kept(const Contraction& p) : p_(p), memory_(1 << 16) {}
  std::optional<TileView> in_place(TileRef tile) const override {
    if (tile.matrix == Matrix::b) return std::nullopt;
    const std::int64_t rows = p_.m.size(shape_of(p_, tile.matrix).row_of(tile.id));
    const std::int64_t gap = tile.matrix == Matrix::c ? tile.id % 2 : 0;
    return TileView{memory_.data() + 4096 * tile.id + (tile.matrix == Matrix::c ? 2048 : 0), rows + gap};
  }
  void fill(TileRef, std::byte*) const override {}

 private:
  const Contraction& p_;
  mutable std::vector<std::byte> memory_;
};

TEST(RegisteredMemory, TilesOfTheCallerThatDevicesCopy) {
  DenseParameters shape;
  shape.m = shape.n = shape.k = 16;
  shape.tile = 8;
  const Contraction p = dense_contraction(shape);
  const Machine machine =
      make_machine(load_platform("summit", {"platform.sockets_per_node=1", "platform.ranks_per_node=1",
                                            "platform.socket.devices=1"}),
                   {});
  const Plan plan = make_plan(p, machine, {{"strategy", "stationary-c"}});
  const Kept storage(p);
  const std::vector<HostRange> found = callers_tiles(p, plan, plan.ranks[0], 0, storage);
  std::set<const std::byte*> places;
  for (const HostRange& range : found) {
    EXPECT_EQ(range.bytes, 8 * 8 * 8);
    places.insert(range.begin);
  }
  EXPECT_EQ(found.size(), 6U);  // 4 of A, 2 of C
  EXPECT_EQ(places.size(), 6U);
}

/// Tiles of C in place that a rank registers where parts are summed over two ranks with a device each.
std::int64_t tiles_of_c(std::complex<double> alpha, std::complex<double> beta) {
  DenseParameters shape;
  shape.m = shape.n = shape.k = 16;
  shape.tile = 8;
  Contraction p = dense_contraction(shape);
  p.alpha = alpha;
  p.beta = beta;
  const Machine machine =
      make_machine(load_platform("summit", {"platform.sockets_per_node=1", "platform.ranks_per_node=2",
                                            "platform.socket.devices=2"}),
                   {});
  const Plan plan = make_plan(p, machine, {{"strategy", "grid-3d"}, {"grid", "1x1x2"}});
  EXPECT_TRUE(plan.partial_sums);
  const Kept storage(p);
  std::int64_t count = 0;
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    for (const HostRange& range : callers_tiles(p, plan, plan.ranks[rank], Rank::of(rank), storage))
      count += range.read_only ? 0 : 1;
  }
  return count;
}

TEST(RegisteredMemory, FirstPartsThatBecomeCAreCopiedToTheCaller) {
  EXPECT_EQ(tiles_of_c(1, 0), 2);  // of 4, 2 with gaps; each on the rank that sums it
  EXPECT_EQ(tiles_of_c(2, 0), 0);  // scaled on the way
  EXPECT_EQ(tiles_of_c(1, 1), 0);  // added to what is there
}

/// Locks nothing above a page.
class SomeGpus final : public Gpus {
 public:
  int count() const override { return 1; }
  GpuFacts facts(int) override { return {}; }
  std::unique_ptr<Gpu> open(int, int) override { return nullptr; }
  bool direct(int, int) override { return true; }
  std::byte* allocate_host(std::int64_t) override { return nullptr; }
  void free_host(std::byte*) override {}
  void pause(double) override {}
  bool register_host(std::byte* begin, std::int64_t bytes, bool) override {
    return bytes <= 4096 && registered.insert(begin).second;
  }
  void unregister_host(std::byte* begin) override { EXPECT_EQ(registered.erase(begin), 1U); }

  std::set<std::byte*> registered;
};

TEST(RegisteredMemory, WhatIsRefusedIsCountedAndAllElseGivenBack) {
  SomeGpus gpus;
  {
    const RegisteredMemory memory(
        gpus, {{at(0x10000), 8, true}, {at(0x20000), 8000, true}, {at(0x30000), 9, false}});
    EXPECT_EQ(gpus.registered.size(), 2U);
    EXPECT_EQ(memory.refused_bytes(), 8192);
  }
  EXPECT_TRUE(gpus.registered.empty());
}

}  // namespace
}  // namespace foretile::registered_memory_test
