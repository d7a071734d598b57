// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/barrier.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/random.hpp"

namespace foretile::barrier_test {
namespace {

/// Ranks whose signals wait in one list and arrive in any order.
struct Ring {
  explicit Ring(int ranks) : here(ranks, 0) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      barriers.push_back(
          std::make_unique<Barrier>(Barriers::global, rank, ranks, [this](Rank to, Signal signal) {
            under_way.push_back({to, signal});
          }));
    }
  }

  void deliver(Random& random) {
    const auto chosen = static_cast<std::size_t>(random.integer(0, static_cast<int>(under_way.size()) - 1));
    const auto [to, signal] = under_way[chosen];
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(chosen));
    barriers[to]->signalled(signal);
  }

  Step slowest() const { return *std::min_element(here.begin(), here.end()); }

  std::vector<std::unique_ptr<Barrier>> barriers;
  std::vector<std::pair<Rank, Signal>> under_way;
  std::vector<Step> here;
};

TEST(Barrier, GlobalOnesOpenWhenAllRanksHaveEndedAStep) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    const int ranks = static_cast<int>(random.integer(1, 9));
    const int steps = static_cast<int>(random.integer(1, 5));
    Ring ring(ranks);
    while (!ring.under_way.empty() || ring.slowest() < kEver) {
      const Rank rank = Rank::of(random.integer(0, ranks - 1));
      if (random.integer(0, 1) == 0 && ring.here[rank] < kEver) {
        ring.here[rank] = ring.here[rank] + 1 < steps ? Step::of(ring.here[rank] + 1) : kEver;
        ring.barriers[rank]->ended_before(ring.here[rank]);
      } else if (!ring.under_way.empty()) {
        ring.deliver(random);
      }
      for (const auto& barrier : ring.barriers) ASSERT_LE(barrier->first_open(), ring.slowest());
    }
    for (const auto& barrier : ring.barriers) {
      EXPECT_EQ(barrier->first_open(), kEver);
      EXPECT_TRUE(barrier->over());
    }
  }
}

// Rank 2 of a 2 x 1 grid: rank 0 knows of one child only, rank 1.
TEST(Barrier, RanksWithoutWorkAskNobody) {
  Barrier barrier(Barriers::global, 2, 2, [](int, Signal) { FAIL(); });
  barrier.ended_before(kEver);
  EXPECT_TRUE(barrier.over());
}

/// Rank 0 of three has the children 1 and 2: step 1 is open when both have ended step 0, and what child 1
/// ends beyond changes nothing for anybody.
TEST(Barrier, SaysNothingTwice) {
  std::vector<std::pair<int, int>> sent;
  Barrier barrier(Barriers::global, 0, 3,
                  [&](int to, const Signal& signal) { sent.emplace_back(to, signal.step); });
  barrier.ended_before(1);
  barrier.signalled({1, 1, false, {}});
  EXPECT_TRUE(sent.empty());
  barrier.signalled({2, 1, false, {}});
  barrier.signalled({1, 2, false, {}});
  EXPECT_EQ(sent, (std::vector<std::pair<int, int>>{{1, 1}, {2, 1}}));
}

TEST(Barrier, LocalOnesAskNobody) {
  Barrier barrier(Barriers::local, 1, 4, [](int, Signal) { FAIL(); });
  barrier.ended_before(3);
  EXPECT_EQ(barrier.first_open(), 3);
  EXPECT_TRUE(barrier.over());
}

}  // namespace
}  // namespace foretile::barrier_test
