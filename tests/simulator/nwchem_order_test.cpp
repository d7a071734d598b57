// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/nwchem_order.hpp"

#include <gtest/gtest.h>

#include "planner/tensor/program_text.hpp"
#include "platforms/cost/addition.hpp"
#include "tests/planner/program/example.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/simulator/trace_times.hpp"

namespace foretile::nwchem_order_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

FusedProgram product() {
  return FusedProgram(parse_program("space p = virtual\ntensor x[p|p]\ntensor y[p|p]\nresult R[p|p]\n"
                                    "r: R[p1,p2] += x[p1,p3] y[p3,p2]\n",
                                    "test"),
                      {1, 4, 2}, "test");
}

/// Four chains of two products, each of 16 flop at 1 Gflop/s. A request takes the counter 1 s: two ranks ask
/// at once and get chains after 1 and 2 s, then after 3 and 4 s, and after 5 and 6 s they know that there is
/// no more. Blocks of two indices are everywhere, nothing limits messages, and permutations cost nothing.
TEST(NwchemOrder, AsksTheCounterByHand) {
  const Machine machine = small_machine(1, 2, kPlenty, kPlenty);
  NwchemOptions options;
  options.counter_s = 1;
  const FusedProgram program = product();
  const NwchemResult result = simulate_nwchem(program, machine, options);
  EXPECT_EQ(result.chains, 4);
  EXPECT_EQ(result.gemms, 8);
  EXPECT_DOUBLE_EQ(result.makespan_s, 6);
  EXPECT_NEAR(result.products_s, 8 * 16e-9, 1e-15);
  EXPECT_EQ(result.got_bytes, 0);
  EXPECT_EQ(result.accumulated_bytes, 4 * 32);
  options.counter = false;  // two chains each, one after the other
  EXPECT_NEAR(simulate_nwchem(program, machine, options).makespan_s, 2 * 2 * 16e-9, 1e-15);
}

/// All that a rank does but being idle. A copied block is got, permuted and accumulated once: 4 of 32 bytes,
/// a permutation at 32 bytes per second.
TEST(NwchemOrder, TellsWhatRanksDo) {
  const FusedProgram program(
      parse_program("space p = virtual\ntensor w[p|p]\nresult R[p|p]\nc: R[p1,p2] += 1 w[p1,p2]\n", "test"),
      {1, 4, 2}, "test");
  Machine machine = small_machine(1, 1, kPlenty, kPlenty);
  machine.platform.addition_bytes_per_s_per_core = 32;
  TraceTimes times;
  NwchemOptions options;
  options.counter_s = 1;
  options.trace = &times;
  const NwchemResult result = simulate_nwchem(program, machine, options);
  EXPECT_EQ(result.chains, 0);
  EXPECT_EQ(result.copied_bytes, 4 * 32);  // got from where it is, everywhere
  EXPECT_DOUBLE_EQ(result.makespan_s, 4 * (1 + addition_seconds(machine.platform, 32)) + 1);
  EXPECT_DOUBLE_EQ(times.seconds[Cause::wait], result.counter_s);
  EXPECT_DOUBLE_EQ(times.seconds[Cause::combine], result.sort_s);
  EXPECT_DOUBLE_EQ(times.last_s, result.makespan_s);
}

/// v and t2 have four indices. One rank on each of two nodes: what a rank gets from the other takes the ports
/// of both.
TEST(NwchemOrder, WaitsForBlocksOfOtherNodes) {
  const FusedProgram program(ccsd_t2(), {2, 2, 1}, "test");
  Machine machine = small_machine(2, 1, kPlenty, kPlenty);
  machine.platform.network.node_injection_bytes_per_s = 1000;
  NwchemOptions options;
  options.counter_s = 0;
  const NwchemResult waiting = simulate_nwchem(program, machine, options);
  options.waiting = false;
  const NwchemResult without = simulate_nwchem(program, machine, options);
  EXPECT_EQ(waiting.got_bytes, without.got_bytes);
  EXPECT_EQ(without.get_s, 0);
  // Some half of the blocks is with the other rank, and each port carries what its rank gets.
  EXPECT_GT(waiting.makespan_s, static_cast<double>(waiting.got_bytes) / 1000 / 8);
  EXPECT_LT(without.makespan_s, 0.01 * waiting.makespan_s);
  options.levels = false;
  EXPECT_EQ(simulate_nwchem(program, machine, options).level_s.size(), 1U);
  EXPECT_EQ(waiting.level_s.size(), 4U);
}

/// Two ranks on each of two nodes have one of four chains each, which copy blocks 0 and 3 of w, 128 bytes
/// each, twice. They are on ranks 0 and 3; those of R are on ranks 1 and 0. A permutation and an accumulation
/// take 6 s, so the copy of a get 4 s; a port takes 5 s. Inside a node all is free.
///
/// Ranks 1 and 2 have their blocks after 5 s: 4 s of the other node's process, 5 s of the ports. They permute
/// until 11 s. Rank 3 has its block at once, permutes it until 6 s and accumulates on node 0 until 12 s: 5 s
/// of the ports, 6 s of the process. Rank 2 asks that process after 11 s, has its turn after 12 s and is over
/// after 18 s. Ranks 0 and 1 accumulate in their node. Without processes rank 2 accumulates from 11 to 16 s.
TEST(NwchemOrder, OneProcessOfANodeServesByHand) {
  const FusedProgram program(parse_program("space p = virtual\ntensor w[p,p|p,p]\nresult R[p,p|p,p]\n"
                                           "c: R[p1,p2,p3,p4] += 1 w[p1,p2,p3,p4]\n"
                                           "d: R[p1,p2,p3,p4] += 1 w[p1,p2,p3,p4]\n",
                                           "test"),
                             {1, 2, 2}, "test");
  Machine machine = small_machine(4, 1, kPlenty, kPlenty, 2);
  machine.platform.addition_bytes_per_s_per_core = 128.0 / 6;
  machine.platform.network.node_injection_bytes_per_s = 128.0 / 5;
  NwchemOptions options;
  options.counter = false;
  const NwchemResult result = simulate_nwchem(program, machine, options);
  EXPECT_EQ(result.copied_bytes, 4 * 2 * 128);
  EXPECT_DOUBLE_EQ(result.get_s, 5 + 5);
  EXPECT_DOUBLE_EQ(result.accumulate_s, 6 + 7);
  EXPECT_DOUBLE_EQ(result.queue_s, 1);
  EXPECT_DOUBLE_EQ(result.server_s, 4 + 4 + 6 + 6);
  EXPECT_DOUBLE_EQ(result.makespan_s, 18);
  options.server = false;
  const NwchemResult without = simulate_nwchem(program, machine, options);
  EXPECT_DOUBLE_EQ(without.makespan_s, 16);
  EXPECT_EQ(without.server_s, 0);
}

/// As counted beforehand: 24,269 chains, 468,864 products, 14.5 TB of blocks that are fetched.
TEST(NwchemOrder, FetchesWhatBetaCaroteneNeeds) {
  const FusedProgram program(ccsd_t2(), {108, 324, 45}, "test");
  const NwchemResult result = simulate_nwchem(program, small_machine(2, 1, kPlenty, kPlenty));
  EXPECT_EQ(result.chains, 24269);
  EXPECT_EQ(result.gemms, 468864);
  EXPECT_NEAR(static_cast<double>(result.got_bytes) / 1e12, 14.5, 0.05);
  EXPECT_NEAR(static_cast<double>(result.accumulated_bytes) / 1e12, 0.40, 0.01);
}

}  // namespace
}  // namespace foretile::nwchem_order_test
