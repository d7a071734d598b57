// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/binding.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace foretile::binding_test {
namespace {

using Cpus = std::vector<int>;

TEST(Binding, ARankThatALauncherBoundHasItsCpus) {
  EXPECT_EQ(cpus_of_rank({4, 5}, 1, 4, 2), (Cpus{4, 5}));
}

TEST(Binding, RanksThatHaveAllCpusShareThemOut) {
  EXPECT_EQ(cpus_of_rank({0, 1, 2, 3, 8, 9}, 0, 3, 2), (Cpus{0, 1}));
  EXPECT_EQ(cpus_of_rank({0, 1, 2, 3, 8, 9}, 2, 3, 2), (Cpus{8, 9}));
}

TEST(Binding, OtherNumbersAreLeftToTheSystem) {
  EXPECT_EQ(cpus_of_rank({0, 1, 2}, 0, 1, 2), Cpus{});  // one is free
  EXPECT_EQ(cpus_of_rank({0}, 0, 1, 2), Cpus{});        // too few
  EXPECT_EQ(cpus_of_rank({}, 0, 1, 2), Cpus{});         // not known
}

TEST(Binding, AThreadStaysWhereItIsBound) {
  const Cpus before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  Cpus bound;
  std::thread([&] {
    bind_thread({{before.back()}});
    bound = allowed_cpus();
  }).join();
  EXPECT_EQ(bound, Cpus{before.back()});
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace foretile::binding_test
