// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/collective.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "platforms/loader.hpp"

namespace foretile::collective_test {
namespace {

/// Four nodes with a rank each that sends 10 bytes/s after a latency of 1 s. Copies take no time.
Machine four_nodes() {
  Machine machine;
  machine.platform.nodes = 4;
  machine.platform.device.kind = DeviceKind::core;
  machine.platform.network.message = {1, 10};
  machine.platform.network.node_injection_bytes_per_s = 10;
  machine.platform.network.rendezvous_bytes = 0;
  machine.ranks = 4;
  return machine;
}

double seconds(const Machine& machine, const char* collective, const char* algorithm, std::int64_t bytes) {
  return simulate_collective(collective_plan(collective, algorithm, machine.ranks, bytes), machine).seconds;
}

/// Three steps of 1 + 10/10; two of 1 + 10/10 and 1 + 20/10.
TEST(Collective, ByHand) {
  EXPECT_NEAR(seconds(four_nodes(), "allgather", "ring", 48), 3 * (1 + 1.2), 1e-9);
  EXPECT_NEAR(seconds(four_nodes(), "allgather", "recursive_doubling", 48), (1 + 1.2) + (1 + 2.4), 1e-9);
  EXPECT_NEAR(seconds(four_nodes(), "allgather", "neighbor", 48), (1 + 1.2) + (1 + 2.4), 1e-9);
  // Each node sends three messages of 12 bytes at once: 36 / 10.
  EXPECT_NEAR(seconds(four_nodes(), "allgather", "linear", 48), 1 + 3.6, 1e-9);
}

/// The root's messages to ranks 2 and 1 share its port: 1 + 80/10. Then rank 2 sends to 3: 1 + 4.
TEST(Collective, EagerSendsAreOverAtOnce) {
  EXPECT_NEAR(seconds(four_nodes(), "bcast", "binomial", 40), 9 + 5, 1e-9);
}

/// Notice, request and bytes take a latency each: 3 + 4 = 7. Then ranks 0 and 2 send to 1 and 3 in the same
/// time.
TEST(Collective, RendezvousSendsWaitForTheReceiver) {
  Machine machine = four_nodes();
  machine.platform.network.rendezvous_bytes = 40;
  EXPECT_NEAR(seconds(machine, "bcast", "binomial", 40), 14, 1e-9);
  machine.platform.network.rendezvous_bytes = 41;
  EXPECT_NEAR(seconds(machine, "bcast", "binomial", 40), 14, 1e-9) << "eager, as above";
}

/// Messages of one rank start 0.5 s apart: the last of three at 1.5, alone on its way from 1.5 + 1 on.
TEST(Collective, MessagesOfARankStartOneAfterAnother) {
  Machine machine = four_nodes();
  machine.platform.network.gap_s = 0.5;
  EXPECT_NEAR(seconds(machine, "gather", "linear", 16), 0.5 + 1 + 0.4 + 0.8, 1e-9)
      << "three messages of 4 bytes come at once and share the root's port";
  EXPECT_NEAR(seconds(machine, "scatter", "linear_nb", 16), 1.5 + 1 + 0.4, 1e-9);
}

/// A copy of 12 bytes at 6 bytes/s at either end of each of three messages; additions the same.
TEST(Collective, CopiesAndAddsOnACore) {
  Machine machine = four_nodes();
  machine.platform.links.message.bandwidth_bytes_per_s = 6;
  EXPECT_NEAR(seconds(machine, "allgather", "ring", 48), 3 * (2 + 1 + 1.2 + 2), 1e-9);
  EXPECT_NEAR(seconds(machine, "reduce_scatter", "ring", 48), 3 * (2 + 1 + 1.2 + 2 + 2), 1e-9);
  machine.platform.addition_bytes_per_s_per_core = 12;
  EXPECT_NEAR(seconds(machine, "reduce_scatter", "ring", 48), 3 * (2 + 1 + 1.2 + 2 + 1), 1e-9);
}

TEST(Collective, CountsMessages) {
  const CollectiveTime time = simulate_collective(collective_plan("allgather", "ring", 4, 48), four_nodes());
  EXPECT_EQ(time.messages, 12);
  EXPECT_EQ(time.bytes, 12 * 12);
  EXPECT_THROW(simulate_collective(collective_plan("allgather", "ring", 5, 48), four_nodes()), InputError);
}

/// All kinds end on any number of ranks, with and without rendezvous.
TEST(Collective, NothingWaitsForEver) {
  for (const CollectiveKind& kind : collective_kinds()) {
    for (const std::string& algorithm : kind.algorithms) {
      for (int ranks = 2; ranks <= 9; ++ranks) {
        if (algorithm == "neighbor" && ranks % 2 != 0) continue;
        for (const std::int64_t rendezvous : {0, 1, 300}) {
          Machine machine = four_nodes();
          machine.platform.nodes = machine.ranks = ranks;
          machine.platform.network.rendezvous_bytes = rendezvous;
          EXPECT_GT(seconds(machine, kind.name.c_str(), algorithm.c_str(), 1000), 1)
              << kind.name << algorithm;
        }
      }
    }
  }
}

}  // namespace
}  // namespace foretile::collective_test
