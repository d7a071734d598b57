// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/collective_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace foretile::collective_plan_test {
namespace {

using Channel = std::map<std::pair<int, int>, std::vector<std::int64_t>>;

/// Bytes that each rank receives. What one rank sends to another is what that one receives, in order.
std::vector<std::int64_t> received(const CollectivePlan& plan) {
  Channel sent, taken;
  std::vector<std::int64_t> bytes(plan.size(), 0);
  for (std::size_t rank = 0; rank < plan.size(); ++rank) {
    const int here = static_cast<int>(rank);
    for (const CollectiveStep& step : plan[rank]) {
      for (const CollectiveMessage& m : step.sends) sent[{here, m.peer}].push_back(m.bytes);
      for (const CollectiveMessage& m : step.receives) {
        taken[{m.peer, here}].push_back(m.bytes);
        bytes[rank] += m.bytes;
      }
    }
  }
  EXPECT_EQ(sent, taken);
  return bytes;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

/// Every rank gets the parts of all others once, with any number of ranks.
TEST(CollectivePlan, AllgatherBringsEveryPartOnce) {
  for (int ranks = 2; ranks <= 17; ++ranks) {
    for (const char* const algorithm : {"ring", "bruck", "linear", "neighbor", "recursive_doubling"}) {
      const bool power = (ranks & (ranks - 1)) == 0;
      if (std::string(algorithm) == "neighbor" ? ranks % 2 != 0
                                               : std::string(algorithm) == "recursive_doubling" && !power)
        continue;
      const auto bytes = received(collective_plan("allgather", algorithm, ranks, 100 * ranks));
      EXPECT_EQ(bytes, std::vector<std::int64_t>(static_cast<std::size_t>(ranks), 100 * (ranks - 1)))
          << algorithm << " on " << ranks;
    }
  }
}

/// All kinds, any number of ranks: ends of messages meet, and nothing is sent to oneself.
TEST(CollectivePlan, EndsOfMessagesMeet) {
  for (const CollectiveKind& kind : collective_kinds()) {
    for (const std::string& algorithm : kind.algorithms) {
      for (int ranks = 2; ranks <= 13; ++ranks) {
        if (algorithm == "neighbor" && ranks % 2 != 0) continue;
        const CollectivePlan plan = collective_plan(kind.name, algorithm, ranks, 4096);
        EXPECT_GT(sum(received(plan)), 0) << kind.name << " by " << algorithm;
        for (std::size_t rank = 0; rank < plan.size(); ++rank) {
          for (const CollectiveStep& step : plan[rank])
            for (const CollectiveMessage& m : step.sends) EXPECT_NE(m.peer, static_cast<int>(rank));
        }
      }
    }
  }
}

/// By hand for 8 ranks and 800 bytes.
TEST(CollectivePlan, BytesOfAll) {
  const auto of = [](const char* collective, const char* algorithm) {
    return sum(received(collective_plan(collective, algorithm, 8, 800)));
  };
  EXPECT_EQ(of("bcast", "binomial"), 7 * 800);
  EXPECT_EQ(of("bcast", "knomial"), 7 * 800);
  EXPECT_EQ(of("bcast", "scatter_allgather"), 100 * (4 + 2 * 2 + 4 * 1) + 8 * 7 * 100);
  EXPECT_EQ(of("scatter", "binomial"), 100 * (4 + 2 * 2 + 4 * 1));
  EXPECT_EQ(of("gather", "linear"), 7 * 100);
  EXPECT_EQ(of("alltoall", "pairwise"), 8 * 7 * 100);
  EXPECT_EQ(of("alltoall", "bruck"), 8 * 3 * 4 * 100);
  EXPECT_EQ(of("allreduce", "recursive_doubling"), 8 * 3 * 800);
  EXPECT_EQ(of("allreduce", "ring"), 8 * 2 * 7 * 100);
  EXPECT_EQ(of("allreduce", "rabenseifner"), 8 * 2 * 7 * 100);
  EXPECT_EQ(of("reduce_scatter", "recursive_halving"), 8 * 7 * 100);
  EXPECT_EQ(of("reduce", "binomial"), 7 * 800);
}

/// Six ranks: 0 and 2 are folded into 1 and 3, so that four take part.
TEST(CollectivePlan, FoldsRanks) {
  const CollectivePlan plan = collective_plan("allgather", "recursive_doubling", 6, 600);
  const auto bytes = received(plan);
  EXPECT_EQ(bytes[0], 600);
  EXPECT_EQ(bytes[1], 100 + 200 + 200) << "its pair's part, that of rank 3's pair, and two of ranks 4 and 5";
  EXPECT_EQ(bytes[4], 100 + 400);
}

TEST(CollectivePlan, RefusesWhatItDoesNotKnow) {
  const auto error = [](const char* collective, const char* algorithm, int ranks) {
    try {
      static_cast<void>(collective_plan(collective, algorithm, ranks, 64));
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(error("allgathr", "ring", 4).find("did you mean \"allgather\""), std::string::npos);
  EXPECT_NE(error("allgather", "rign", 4).find("ring, neighbor"), std::string::npos);
  EXPECT_NE(error("allgather", "neighbor", 5).find("an even number"), std::string::npos);
  EXPECT_NE(error("allgather", "ring", 4097).find("at most 4096"), std::string::npos);
  EXPECT_NE(error("allgather", "ring", 1).find("at least 2"), std::string::npos);
}

}  // namespace
}  // namespace foretile::collective_plan_test
