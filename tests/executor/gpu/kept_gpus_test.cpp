// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/kept_gpus.hpp"

#include <gtest/gtest.h>

#include <array>

#include "executor/gpu/stand_in.hpp"

namespace foretile::kept_gpus_test {
namespace {

/// A stand-in that counts what it is asked for.
class CountedGpus final : public Gpus {
 public:
  struct Counts {
    int opened = 0, host_taken = 0, host_freed = 0;
  };
  explicit CountedGpus(Counts& counts) : counts_(counts) {}
  int count() const override { return gpus_.count(); }
  GpuFacts facts(int physical) override { return gpus_.facts(physical); }
  std::unique_ptr<Gpu> open(int physical, int kernel_lanes) override {
    ++counts_.opened;
    return gpus_.open(physical, kernel_lanes);
  }
  bool direct(int from, int to) override { return gpus_.direct(from, to); }
  std::byte* allocate_host(std::int64_t bytes) override {
    ++counts_.host_taken;
    return gpus_.allocate_host(bytes);
  }
  void free_host(std::byte* memory) override {
    ++counts_.host_freed;
    gpus_.free_host(memory);
  }
  void pause(double seconds) override { gpus_.pause(seconds); }

 private:
  Counts& counts_;
  StandInGpus gpus_{{.count = 2}};
};

TEST(KeptGpus, DevicesComeBackWithTheirMemory) {
  CountedGpus::Counts counts;
  KeptGpus gpus(std::make_unique<CountedGpus>(counts));
  std::array<std::byte*, 3> places{};
  {
    const std::unique_ptr<Gpu> gpu = gpus.open(0, 2);
    places = {gpu->allocate(1000), gpu->allocate(1000), gpu->allocate(4000)};
    gpu->mark(kInLane);
  }
  const std::unique_ptr<Gpu> again = gpus.open(0, 2);
  EXPECT_EQ(counts.opened, 1);
  EXPECT_EQ(again->allocate(4000), places[2]);
  std::byte* const first = again->allocate(1000);
  std::byte* const second = again->allocate(1000);
  EXPECT_NE(first, second);
  EXPECT_TRUE(first == places[0] || first == places[1]);
  EXPECT_TRUE(second == places[0] || second == places[1]);
  std::byte* const third = again->allocate(1000);  // one more than before
  EXPECT_TRUE(third != places[0] && third != places[1]);
  EXPECT_EQ(again->mark(kInLane), 2U);  // points count on
}

TEST(KeptGpus, DevicesInUseOrOfAnotherKindAreNotGiven) {
  CountedGpus::Counts counts;
  KeptGpus gpus(std::make_unique<CountedGpus>(counts));
  std::unique_ptr<Gpu> first = gpus.open(0, 1), same = gpus.open(0, 1), other = gpus.open(1, 1);
  EXPECT_EQ(counts.opened, 3);
  first.reset();
  const std::unique_ptr<Gpu> more_lanes = gpus.open(0, 2);
  EXPECT_EQ(counts.opened, 4);
  const std::unique_ptr<Gpu> kept = gpus.open(0, 1);
  EXPECT_EQ(counts.opened, 4);
}

TEST(KeptGpus, PinnedMemoryOfOneSizeIsKept) {
  CountedGpus::Counts counts;
  {
    KeptGpus gpus(std::make_unique<CountedGpus>(counts));
    std::byte* const first = gpus.allocate_host(512);
    gpus.free_host(first);
    EXPECT_EQ(gpus.allocate_host(512), first);
    std::byte* const more = gpus.allocate_host(512);  // the first is in use
    EXPECT_NE(more, first);
    gpus.free_host(first);
    gpus.free_host(more);
    EXPECT_EQ(counts.host_freed, 0);
    gpus.free_host(gpus.allocate_host(1024));  // another size: the old ones go
    EXPECT_EQ(counts.host_freed, 2);
  }
  EXPECT_EQ(counts.host_taken, 3);
  EXPECT_EQ(counts.host_freed, 3);
}

}  // namespace
}  // namespace foretile::kept_gpus_test
