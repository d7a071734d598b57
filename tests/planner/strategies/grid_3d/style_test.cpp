// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/grid_3d/style.hpp"

#include <gtest/gtest.h>

#include "planner/strategies/grid_3d/grid_choice.hpp"
#include "planner/strategies/grid_text.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::style_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 44;

Contraction dense(std::int64_t m, std::int64_t n, std::int64_t k, int tiles) {
  const auto cut = [&](std::int64_t extent) { return Tiling::uniform(extent, (extent + tiles - 1) / tiles); };
  Contraction p{"dense", cut(m), cut(n), cut(k), {}, {}, {}, 0};
  p.a = Shape::dense(p.m.tiles(), p.k.tiles());
  p.b = Shape::dense(p.k.tiles(), p.n.tiles());
  p.c = Shape::dense(p.m.tiles(), p.n.tiles());
  return p;
}

StyleGrid chosen(const char* style, const Contraction& p, const Machine& machine) {
  return find_style(style).choose(p, machine);
}

std::string grid_of(const char* style, const Contraction& p, int ranks, int ranks_of_node) {
  const ProcessGrid grid = chosen(style, p, small_machine(ranks, 1, kPlenty, kPlenty, ranks_of_node)).grid;
  return to_text({{grid.p, grid.q, grid.r}});
}

std::string ctf_node(const Contraction& p, int ranks) {
  const ProcessGrid grid = chosen("ctf", p, small_machine(ranks, 1, kPlenty, kPlenty, 72)).grid;
  return grid.node ? to_text(*grid.node) : "natural";
}

/// 72 = 2 2 2 3 3: 2 and 3 to each axis, the last 2 to the second. 432 = 2^4 3^3: 4 and 3 to each, the last 3
/// to one: 12 and 36. The axes of source c3f95829 of CTF, run for these numbers of ranks.
TEST(Style, CtfDistributesPrimeFactorsEvenly) {
  for (const auto& [ranks, grid] : {std::pair(72, "6x12x1"),
                                    {144, "12x12x1"},
                                    {216, "12x18x1"},
                                    {288, "12x24x1"},
                                    {432, "12x36x1"},
                                    {576, "24x24x1"},
                                    {648, "18x36x1"},
                                    {864, "24x36x1"},
                                    {1152, "24x48x1"},
                                    {1296, "36x36x1"},
                                    {1728, "24x72x1"},
                                    {2304, "48x48x1"}})
    EXPECT_EQ(grid_of("ctf", dense(20000, 20000, 20000, 4), ranks, 72), grid) << ranks;
}

/// 1728 = 2^6 3^3: 24 to each axis, and 3 to columns, which is their slowest part: a node of 72 has 24 of the
/// columns and 3 rows. 432 = 2^4 3^3: 12 and 6. 288, 648 and 864 leave over 2, or 2 and 3: natural order, as
/// square grids.
TEST(Style, CtfDistributesThreeLeftOverLast) {
  const Contraction square = dense(20000, 20000, 20000, 4);
  for (const auto& [ranks, node] : {std::pair(1728, "3x24x1"),
                                    {432, "6x12x1"},
                                    {288, "natural"},
                                    {648, "natural"},
                                    {864, "natural"},
                                    {1296, "natural"}})
    EXPECT_EQ(ctf_node(square, ranks), node) << ranks;
}

/// Its evidence is of square products; others have natural order.
TEST(Style, CtfHasNaturalOrderWhereItIsNotSquare) {
  EXPECT_EQ(ctf_node(dense(100000, 10000, 10000, 4), 1728), "natural");
  EXPECT_EQ(ctf_node(dense(10000, 10000, 100000, 4), 432), "natural");
}

/// K is ten times as long: A and B are ten times as large as C, which travels, and the smaller part of one of
/// them. With B in place on 1 x 6 x 12 ranks a rank receives M K / 12 of A and sends M N / 6 of C; with C in
/// place it receives K (M / 12 + N / 6), more than twice as much.
TEST(Style, CtfMovesTheSmallMatrix) {
  EXPECT_EQ(grid_of("ctf", dense(1000, 1000, 10000, 4), 72, 72), "1x6x12");
}

/// The grids of CTF's search (contraction.cxx), its steps worked through with the coefficients of the paper's
/// first author. On 6912 ranks matrices are on 48 x 144; on Stampede2 nodes, whose messages are slower,
/// moving them to a square grid pays.
TEST(Style, CtfLeavesTheGridOfItsMatricesWhereThatIsCheaper) {
  EXPECT_EQ(grid_of("ctf", dense(73728, 73728, 73728, 4), 6912, 72), "72x96x1");
  for (const auto& [ranks, extent, grid] : {std::tuple(68, 15056, "17x4x1"), {272, 30112, "17x16x1"}}) {
    Machine machine = small_machine(ranks, 1, kPlenty, kPlenty, 68);
    machine.platform.links.node_message_bytes_per_s = 20.4e9;
    const ProcessGrid found = chosen("ctf", dense(extent, extent, extent, 4), machine).grid;
    EXPECT_EQ(to_text({{found.p, found.q, found.r}}), grid) << ranks;
  }
}

/// M is ten times as long, on 4 ranks: A and C have 10 units of bytes per rank, B has 1. On 2 x 2 nothing is
/// redistributed; A and B are broadcast to two ranks each: 22 units, b seconds each. On 4 x 1 B alone is, to
/// four ranks: 4 b; all is redistributed, C there and back, at 7.25e-10 log2(4) s: 31 units, 4.5e-8 s. The
/// first takes less until b = 4.5e-8 / 18 = 2.5e-9 s.
TEST(Style, CtfRedistributesWhereMessagesAreSlower) {
  for (const auto& [broadcast_s, grid] : {std::pair(2.4e-9, "2x2x1"), {2.6e-9, "4x1x1"}}) {
    Machine machine = small_machine(4, 1, kPlenty, kPlenty, 4);
    machine.platform.links.node_message_bytes_per_s = 4 / broadcast_s;
    const ProcessGrid found = chosen("ctf", dense(4000, 400, 400, 4), machine).grid;
    EXPECT_EQ(to_text({{found.p, found.q, found.r}}), grid) << broadcast_s;
  }
}

TEST(Style, ScalapackIsAsSquareAsCanBe) {
  for (const auto& [ranks, grid] :
       {std::pair(72, "8x9x1"), {216, "12x18x1"}, {864, "27x32x1"}, {2304, "48x48x1"}, {7, "1x7x1"}})
    EXPECT_EQ(grid_of("scalapack", dense(9000, 9000, 9000, 4), ranks, 72), grid) << ranks;
}

/// The grids of source 2df0432 of COSMA, run for n = 24000 sqrt(N), all memory. 144 ranks divide the longest
/// extent first: m by 2, n by 2, ..., so that the last 72 ranks are a brick.
TEST(Style, CosmaTakesNearCubes) {
  for (const auto& [ranks, n, grid] : {std::tuple(72, 24000, "3x4x6"),
                                       {144, 33941, "4x6x6"},
                                       {288, 48000, "6x6x8"},
                                       {864, 83138, "8x9x12"},
                                       {2304, 135765, "12x12x16"}})
    EXPECT_EQ(grid_of("cosma-unlimited", dense(n, n, n, 4), ranks, 72), grid) << ranks;
}

/// 2.5 times the matrices: at 72 ranks m, n and k are halved once, at 2304 twice, twice and once, and the
/// grid is chosen for such a part (COSMA's source, run for these).
TEST(Style, CosmaHalvesWhatDoesNotFit) {
  for (const auto& [ranks, n, grid, passes] : {std::tuple(72, 24000, "3x4x6", "2x2x2"),
                                               {288, 48000, "4x8x9", "4x2x2"},
                                               {2304, 135765, "8x12x24", "4x4x2"}}) {
    const StyleGrid found =
        chosen("cosma-limited", dense(n, n, n, 4), small_machine(ranks, 1, kPlenty, kPlenty, 72));
    EXPECT_EQ(to_text({{found.grid.p, found.grid.q, found.grid.r}}), grid) << ranks;
    EXPECT_EQ(to_text(found.passes), passes) << ranks;
  }
}

/// Over random products and machines: the joint choice is a grid of all ranks that moves no more between
/// nodes than CTF's grid with its best node, redistribution counted in both.
TEST(Style, JointNeverMovesMoreBetweenNodes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto extent = [&] { return 1000 * random.integer(1, 40); };
    const Contraction p = dense(extent(), extent(), extent(), 144);
    const int of_node = static_cast<int>(random.integer(1, 12));
    const int ranks = of_node * static_cast<int>(random.integer(1, 12));
    Machine machine = small_machine(ranks, 1, kPlenty, kPlenty, of_node);
    machine.platform.network.node_injection_bytes_per_s = 12e9;
    const auto between = [&](const ProcessGrid& grid) {
      return bytes_between_nodes(p, machine, grid) + redistributed_bytes(p, machine, grid);
    };
    ProcessGrid aware = chosen("ctf-node-aware", p, machine).grid;
    aware.node = choose_node(p, machine, aware);
    const ProcessGrid joint = chosen("joint", p, machine).grid;
    EXPECT_EQ(joint.size(), ranks);
    EXPECT_LE(between(joint), between(aware));
  }
}

/// Two tiles along M, N and K: CTF's 4 x 2 leaves half of the ranks without work, 2 x 2 x 2 none.
TEST(Style, JointGivesEachRankTiles) {
  const Contraction p = dense(1000, 1000, 1000, 2);
  const ProcessGrid joint = chosen("joint", p, small_machine(8, 1, kPlenty, kPlenty, 4)).grid;
  EXPECT_EQ((std::array{joint.p, joint.q, joint.r}), (std::array{2, 2, 2}));
}

/// 4 x 2 ranks, two nodes of four. Natural order: a node has two rows of two. As 4 x 1 a node has a column:
/// of its four ranks two come from the other node, so 4 of 8 ranks move. 8^3 elements: A, B and C of 512
/// bytes, 192 by a rank.
TEST(Style, CountsRanksThatChangeTheirNode) {
  Contraction p = dense(8, 8, 8, 4);
  Machine machine = small_machine(8, 1, kPlenty, kPlenty, 4);
  machine.platform.network.node_injection_bytes_per_s = 384;
  machine.platform.links.node_message_bytes_per_s = 768;
  const ProcessGrid columns{4, 2, 1, AlongAxes{{4, 1, 1}}};
  EXPECT_EQ(redistributed_bytes(p, machine, columns), 4 * 192);
  EXPECT_DOUBLE_EQ(redistribution_s(p, machine, columns), 1);  // two of a node's ranks; inside 0.5 s
  EXPECT_EQ(redistributed_bytes(p, machine, {4, 2, 1}), 0);
  p.beta = 1;  // C moves there and back
  EXPECT_EQ(redistributed_bytes(p, machine, columns), 4 * (192 + 64));
}

/// Settings win over the style: its grid, the ranks of a node, and when messages travel.
TEST(Style, SettingsWin) {
  const Contraction p = dense(64, 64, 64, 8);
  const Machine machine = small_machine(8, 1, kPlenty, kPlenty, 4);
  const auto plan = [&](Settings settings) {
    settings["strategy"] = "grid-3d";
    settings["style"] = "ctf-node-aware";
    return make_plan(p, machine, settings);
  };
  const Plan own = plan({});
  EXPECT_EQ(grid_text(own.grid), "2 x 4");
  EXPECT_EQ(own.lookahead, 0);
  EXPECT_EQ(own.sends_in_flight, 1);
  EXPECT_EQ(own.parameters.at("d"), "1");
  const Plan given = plan({{"grid", "2x2x2"}, {"grid.node", "natural"}, {"sends", "ahead"}});
  EXPECT_EQ(grid_text(given.grid), "2 x 2 x 2");
  EXPECT_FALSE(given.grid.node);
  EXPECT_GT(given.lookahead, 0);
  EXPECT_EQ(given.sends_in_flight, PlanFrame{}.sends_in_flight);
  for (const Plan& each : {own, given}) verify(each, p);
}

/// Parts of M, N and K where nothing else says how large blocks are.
TEST(Style, PassesCutBlocks) {
  const Contraction p = dense(64, 64, 64, 8);
  const Machine machine = small_machine(4, 1, kPlenty, kPlenty, 4);
  const Plan plan =
      make_plan(p, machine, {{"strategy", "grid-3d"}, {"grid", "2x2x1"}, {"passes", "2x4x8"}, {"c", "2"}});
  EXPECT_EQ(plan.parameters.at("b"), "2");
  EXPECT_EQ(plan.parameters.at("c"), "2");  // given
  EXPECT_EQ(plan.parameters.at("d"), "1");
  verify(plan, p);
}

}  // namespace
}  // namespace foretile::style_test
