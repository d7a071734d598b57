// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/message.hpp"

#include <gtest/gtest.h>

namespace foretile::message_test {
namespace {

/// Two nodes of two ranks: 1 us and 8 GB/s inside, 2 us and 4 GB/s between them, a port of 5 GB/s.
Machine machine() {
  Machine m;
  m.ranks = 4;
  m.ranks_per_node = 2;
  m.platform.links.message = {1e-6, 8e9};
  m.platform.network.message = {2e-6, 4e9};
  m.platform.network.node_injection_bytes_per_s = 5e9;
  m.platform.runtime.message_overhead_s = 3e-6;
  return m;
}

TEST(MessageCost, ALinkWithoutRateNeverLimits) {
  EXPECT_EQ(over(8e9, 0), 0);
  EXPECT_DOUBLE_EQ(link_seconds({2, 4e9}, 8e9), 4);
  EXPECT_DOUBLE_EQ(link_seconds({2, 0}, 8e9), 2);
}

TEST(MessageCost, TheLinkIsThatOfTheNodeOrOfTheNetwork) {
  const Machine m = machine();
  EXPECT_EQ(&message_link(m, 0, 1), &m.platform.links.message);
  EXPECT_EQ(&message_link(m, 1, 2), &m.platform.network.message);
  EXPECT_DOUBLE_EQ(link_seconds(message_link(m, 2, 3), 8e3), 2e-6);
  EXPECT_DOUBLE_EQ(link_seconds(message_link(m, 3, 0), 8e3), 4e-6);
}

/// Five tiles; 10 GB through the port; 16 GB inside by two ranks of 8 GB/s each, or as the node can.
TEST(MessageCost, OfSoftwareAndNodes) {
  Machine m = machine();
  EXPECT_DOUBLE_EQ(message_software_s(m.platform, 5), 15e-6);
  EXPECT_DOUBLE_EQ(node_port_s(m.platform, 10e9), 2);
  EXPECT_DOUBLE_EQ(inside_node_s(m, 16e9), 1);
  m.platform.links.node_message_bytes_per_s = 4e9;
  EXPECT_DOUBLE_EQ(inside_node_s(m, 16e9), 4);
}

}  // namespace
}  // namespace foretile::message_test
