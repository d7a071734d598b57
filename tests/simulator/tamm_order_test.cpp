// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/tamm_order.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/tensor/program_text.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "planner/tensor/term_counts.hpp"
#include "simulator/tamm_work.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/simulator/trace_times.hpp"

namespace foretile::tamm_order_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

TammResult simulated(const Program& program, const ProgramSizes& sizes, const Machine& machine,
                     const TammOptions& options = {}) {
  return simulate_tamm(program, spin_tiles_of(program, sizes), machine, "test", options);
}

/// Shares of two blocks on four ranks are half a block, those of three blocks on two ranks one and a half.
TEST(TammOrder, CutsALineOfBlocksIntoShares) {
  const BlockLine few({2}, {4}, 4);
  EXPECT_EQ(few.rank_of(0), 0);
  EXPECT_EQ(few.rank_of(1), 2);
  const BlockLine many({3}, {6}, 2);
  EXPECT_EQ(many.rank_of(0), 0);
  EXPECT_EQ(many.rank_of(1), 0);
  EXPECT_EQ(many.rank_of(2), 1);
  // The last index is the fastest: blocks of 1, 1, 3, 3 numbers on ranks with 2 numbers each.
  const BlockLine uneven({2, 2}, {4, 2}, 4);
  EXPECT_EQ(uneven.rank_of(1), 1);
  EXPECT_EQ(uneven.rank_of(3), 3);
}

const char* const kProduct =
    "orbitals = spatial\nspace a = virtual\ntensor A[a,a]\ntensor B[a,a]\nresult R[a,a]\n"
    "r: R[a1,a2] += A[a1,a3] B[a3,a2]\n";

/// One rank on each of two nodes. A block has 32 bytes: 0.5 s of the rank that gets it, 1 s of the process of
/// another node, 2 s for a pass over host memory.
Machine two_nodes() {
  Machine machine = small_machine(2, 1, kPlenty, kPlenty);
  machine.platform.tamm = {64, 32, 16};
  return machine;
}

/// Each rank has two of four blocks, and each of these two products: 4 steps, each with 1 s for two gets and
/// 4 s for two copies, and 6 s for each block of the result: 32 s. 16 blocks are got, half of them from the
/// other node: each process serves 4 s. Then 14 passes over two blocks: 56 s.
TEST(TammOrder, MakesBlocksByHand) {
  const Program program = parse_program(kProduct, "test");
  const ProgramSizes sizes{4, 4, 2};
  const double products_s = 4 * 16e-9;
  const TammResult result = simulated(program, sizes, two_nodes());
  EXPECT_NEAR(result.makespan_s, 36 + products_s + 56, 1e-9);
  EXPECT_DOUBLE_EQ(result.update_s, 56);
  ASSERT_EQ(result.level_s.size(), 1U);
  EXPECT_NEAR(result.level_s[0], 36 + products_s, 1e-9);
  EXPECT_DOUBLE_EQ(result.queue_s, 2 * 4);
  EXPECT_DOUBLE_EQ(result.server_s, 2 * 4);
  EXPECT_DOUBLE_EQ(result.get_s, 16 * 0.5);
  EXPECT_DOUBLE_EQ(result.got_bytes, 16 * 32);
  EXPECT_DOUBLE_EQ(result.gemms, 8);
  EXPECT_DOUBLE_EQ(result.flops, 8 * 16);
  ASSERT_EQ(result.terms.size(), 1U);
  EXPECT_EQ(result.terms[0].ranks, 2);
  EXPECT_NEAR(result.terms[0].longest_s, 36 + products_s, 1e-9);
  const double all = result.products_s + result.get_s + result.queue_s + result.host_s + result.idle_s;
  EXPECT_NEAR(all, 2 * result.makespan_s, 1e-9);
  const auto without = [&](bool TammOptions::*loss) {
    TammOptions options{.update = false};
    options.*loss = false;
    return simulated(program, sizes, two_nodes(), options).makespan_s;
  };
  EXPECT_NEAR(without(&TammOptions::server), 32, 1e-6);
  EXPECT_NEAR(without(&TammOptions::waiting), 28, 1e-6);
  EXPECT_NEAR(without(&TammOptions::passes), 8, 1e-6);
  EXPECT_NEAR(without(&TammOptions::blocks), 36, 1e-6);
}

/// Three blocks of one step on ranks 0, 0 and 1 of two nodes. A block of A and one of B take 1 s to get. Of
/// their 192 bytes in all three steps half are from the other node, so each process serves 48, 1.5 s: rank 0
/// waits for that, rank 1, with one step to two, for half of it.
TEST(TammOrder, RanksWaitForTheirShareOfAllGets) {
  const Program program = parse_program(
      "orbitals = spatial\nspace a = virtual\nspace i = occupied\ntensor A[a]\ntensor B[i]\nresult R[a,i]\n"
      "r: R[a1,i1] += A[a1] B[i1]\n",
      "test");
  Machine machine = two_nodes();
  machine.platform.tamm.host_bytes_per_s = 1e30;
  const TammResult result = simulated(program, {4, 12, 4}, machine);
  EXPECT_NEAR(result.makespan_s, 2 * 1 + 1.5, 1e-6);
  EXPECT_NEAR(result.queue_s, 1.5 + 0.75, 1e-6);
  EXPECT_NEAR(result.idle_s, 3.5 - 1.75, 1e-6);
}

const char* const kMade =
    "orbitals = spatial\nspace i = occupied\nspace a = virtual\nspace x = auxiliary\ntensor D[a,x]\n"
    "tensor t[a,i]\nintermediate X[a,a] on-demand\nresult R[a,i]\n"
    "l: X[a1,a2] += D[a1,x1] D[a2,x1]\nr: R[a1,i1] += X[a1,a2] t[a2,i1]\n";

/// One rank. Each of eight products makes its block of X: four blocks of D, 1 s each to get and 1 s to copy,
/// and 7 passes of 2 s; t takes 2 s to get and 2 s to copy: 26 s. Each of four results takes 6 s. Each block
/// of X is made twice: once is 15 s for a product.
TEST(TammOrder, MakesOnDemandBlocksForEachUseByHand) {
  const Program program = parse_program(kMade, "test");
  const ProgramSizes sizes{4, 4, 2, 2, 1};
  Machine machine = small_machine(1, 1, kPlenty, kPlenty);
  machine.platform.tamm = {16, 16, 16};
  TammOptions options{.update = false};
  const TammResult result = simulated(program, sizes, machine, options);
  EXPECT_NEAR(result.makespan_s, 8 * 26 + 4 * 6, 1e-6);
  EXPECT_EQ(result.level_s.size(), 2U);
  EXPECT_DOUBLE_EQ(result.gemms, 8 * (1 + 2));
  EXPECT_DOUBLE_EQ(result.flops, 8 * (16 + 16));
  EXPECT_DOUBLE_EQ(result.got_bytes, 8 * (4 * 16 + 32));
  options.remake = false;
  const TammResult once = simulated(program, sizes, machine, options);
  EXPECT_NEAR(once.makespan_s, 8 * 15 + 4 * 6, 1e-6);
  EXPECT_DOUBLE_EQ(once.flops, 8 * (8 + 16));
}

/// A sum of four products is of one rank; without whole blocks four ranks have one each.
TEST(TammOrder, OneRankHasAScalar) {
  const Program program = parse_program(
      "orbitals = spatial\nspace a = virtual\ntensor A[a]\nresult E[]\ne: E[] += A[a1] A[a1]\n", "test");
  Machine machine = small_machine(4, 1, kPlenty, kPlenty, 4);
  machine.platform.tamm = {16, 16, 1e30};
  TammOptions options{.update = false};
  const TammResult whole = simulated(program, {4, 4, 1}, machine, options);
  EXPECT_EQ(whole.terms[0].ranks, 1);
  EXPECT_NEAR(whole.makespan_s, 4 * (0.5 + 0.5), 1e-6);
  options.blocks = false;
  const TammResult even = simulated(program, {4, 4, 1}, machine, options);
  EXPECT_EQ(even.terms[0].ranks, 4);
  EXPECT_NEAR(even.makespan_s, 0.5 + 0.5, 1e-6);
}

TEST(TammOrder, TracesWhatRanksDo) {
  TraceTimes times;
  TammOptions options;
  options.trace = &times;
  const TammResult result = simulated(parse_program(kProduct, "test"), {4, 4, 2}, two_nodes(), options);
  EXPECT_NEAR(times.seconds[Cause::combine], result.host_s, 1e-9);
  EXPECT_NEAR(times.seconds[Cause::network], result.get_s, 1e-9);
  EXPECT_NEAR(times.seconds[Cause::wait], result.queue_s, 1e-9);
  EXPECT_NEAR(times.last_s, result.makespan_s, 1e-9);
}

/// X of ExaChem's program is made for each pair of occupied tiles: 2 v^4 m flop each time.
TEST(TammOrder, HasTheFlopOfTheProgram) {
  const Program program = load_program(find_data("examples/cholesky_ccsd.txt"));
  const ProgramSizes sizes{7, 13, 4, 31, 10};
  const std::vector<LabelledTiles> tiles = spin_tiles_of(program, sizes);
  double flops = 0;
  for (const ProgramTerm& term : program.terms) flops += count_term(term, tiles, "test").flops;
  const Machine machine = small_machine(6, 1, kPlenty, kPlenty, 2);
  TammOptions options;
  options.remake = false;
  EXPECT_NEAR(simulated(program, sizes, machine, options).flops / flops, 1, 1e-12);
  const double making = 2.0 * 13 * 13 * 13 * 13 * 31;
  EXPECT_NEAR(simulated(program, sizes, machine).flops / (flops + 3 * making), 1, 1e-12);
}

/// Frontier: 30 and 700 nodes of 8 ranks; 8^2 2^2 = 256 and 16^2 3^2 = 2304 blocks.
TEST(TammOrder, TakesExaChemsTile) {
  const std::int64_t large = 57'600'000'000, small = 36'000'000'000;
  EXPECT_EQ(tamm_tile(146, 1096, small_machine(240, 1, large, kPlenty)), 145);
  EXPECT_EQ(tamm_tile(146, 1096, small_machine(5600, 1, large, kPlenty)), 70);
  EXPECT_EQ(tamm_tile(49, 663, small_machine(1, 1, large, kPlenty)), 180);
  EXPECT_EQ(tamm_tile(49, 663, small_machine(1, 1, small, kPlenty)), 160);
}

TEST(TammOrder, RefusesOrbitalsWithSpin) {
  const Program program =
      parse_program("space p = virtual\ntensor x[p|p]\nresult R[p|p]\nr: R[p1,p2] += x[p1,p2]\n", "test");
  EXPECT_THROW(simulated(program, {1, 4, 2}, small_machine(1, 1, kPlenty, kPlenty)), InputError);
}

}  // namespace
}  // namespace foretile::tamm_order_test
