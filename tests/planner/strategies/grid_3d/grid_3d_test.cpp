#include <gtest/gtest.h>

#include "base/error.hpp"
#include "planner/strategies/grid_3d/grid_choice.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile {
namespace {

Contraction dense(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t tile) {
  Contraction p{
      "dense", Tiling::uniform(m, tile), Tiling::uniform(n, tile), Tiling::uniform(k, tile), {}, {}, {}, 0};
  p.a = Shape::dense(p.m.tiles(), p.k.tiles());
  p.b = Shape::dense(p.k.tiles(), p.n.tiles());
  p.c = Shape::dense(p.m.tiles(), p.n.tiles());
  return p;
}

std::string refusal(const Contraction& p, const Machine& machine, Settings settings) {
  settings["strategy"] = "grid-3d";
  try {
    make_plan(p, machine, settings);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

TEST(Grid3d, RefusesGridsThatCannotBe) {
  const Contraction p = dense(8, 8, 8, 2);
  const Machine machine = small_machine(4, 1, kPlenty, kPlenty, 2);
  for (const auto& [key, value, expected] : {std::tuple("grid", "2x2", "three whole numbers"),
                                             {"grid", "2x2x0", "three whole numbers"},
                                             {"grid", "2x2x-1", "three whole numbers"},
                                             {"grid", "2x2x2x1", "three whole numbers"},
                                             {"grid", "", "three whole numbers"},
                                             {"grid", "2x2x2", "at most 4 ranks"},
                                             {"grid", "99999999999x1x1", "three whole numbers"},
                                             {"grid", "65536x65536x1", "at most 4 ranks"},
                                             {"grid.node", "3x1x1", "whose product is 2"},
                                             {"grid.node", "x", "three whole numbers"},
                                             {"device_layers", "2", "a divisor of the 1 devices"},
                                             {"tree", "star", "one of binomial, chain"},
                                             {"sum_bytes", "0", "whole number of bytes"}}) {
    const std::string found = refusal(p, machine, {{key, value}});
    EXPECT_NE(found.find(expected), std::string::npos) << key << "=" << value << ": " << found;
  }
  EXPECT_NE(refusal(p, machine, {{"grid", "1x4x1"}, {"grid.node", "2x1x1"}})
                .find("divisors of the grid's 1 x 4 x 1"),
            std::string::npos);
}

/// 8^3 elements in tiles of 2, one rank per layer of two: C has 16 tiles of 32 bytes; a rank owns 8 of each
/// matrix, 768 bytes, computes parts of all of C, 256 bytes more than its own, and 256 come from the other.
TEST(Grid3d, ReplicationIsProven) {
  const Contraction p = dense(8, 8, 8, 2);
  const Machine machine = small_machine(2, 1, kPlenty, kPlenty);
  const Settings settings{{"strategy", "grid-3d"}, {"grid", "1x1x2"}};
  EXPECT_EQ(verify(make_plan(p, machine, settings), p).peak_host_bytes, 2 * 256 + 512 + 256);
  Settings tight = settings;
  tight["replication_bytes"] = "512";
  EXPECT_NO_THROW(verify(make_plan(p, machine, tight), p));
  tight["replication_bytes"] = "511";
  EXPECT_THROW(verify(make_plan(p, machine, tight), p), InputError);
}

/// Large K: only the sums travel. 17 ranks: 16 of them in a cube move less than 17 in a row, and take no
/// longer, since 20 tiles are dealt 2 to a row of 17 or 5 to one of 4.
TEST(Grid3d, ChoosesWhatMovesLeast) {
  const auto chosen = [](const Contraction& p, int ranks) {
    const ProcessGrid grid = choose_grid(p, small_machine(ranks, 1, kPlenty, kPlenty));
    return std::array{grid.p, grid.q, grid.r};
  };
  EXPECT_EQ(chosen(dense(1024, 1024, 65536, 512), 2), (std::array{1, 1, 2}));
  EXPECT_EQ(chosen(dense(65536, 1024, 1024, 512), 2), (std::array{2, 1, 1}));
  EXPECT_EQ(chosen(dense(1024, 65536, 1024, 512), 2), (std::array{1, 2, 1}));
  const auto cube = chosen(dense(10000, 10000, 10000, 500), 17);
  EXPECT_EQ(cube[0] * cube[1] * cube[2], 16);
  EXPECT_EQ(std::max({cube[0], cube[1], cube[2]}), 4);
}

/// 2 x 2 x 2 ranks, 4 in a node as 2 x 2 x 1: A goes round in a node, B too, parts of C leave it: V = |C| (2
/// / 1
/// - 1). Natural order has the same nodes here.
TEST(Grid3d, CountsBytesBetweenNodes) {
  const Contraction p = dense(8, 8, 8, 2);
  const Machine machine = small_machine(8, 1, kPlenty, kPlenty, 4);
  ProcessGrid grid{2, 2, 2};
  EXPECT_EQ(bytes_between_nodes(p, machine, grid), 512);
  grid.node = AlongAxes{{1, 2, 2}};
  EXPECT_EQ(bytes_between_nodes(p, machine, grid), 512);
  EXPECT_EQ(choose_node(p, machine, {2, 2, 2}), std::nullopt);
  // In natural order B goes to 8 rows on two nodes, and to 4 rows of which a node has two.
  EXPECT_EQ(bytes_between_nodes(p, machine, {8, 1, 1}), 512);
  EXPECT_EQ(bytes_between_nodes(p, machine, {4, 2, 1}), 512);
}

/// A large C, 32 x 32 tiles of 32 bytes, on 1 x 2 x 4 ranks: naturally a node has two layers, so that all of
/// C goes between nodes. With all four layers in a node, A does: 32 x 4 tiles.
TEST(Grid3d, ChoosesTheRanksOfANode) {
  const Contraction p = dense(64, 64, 8, 2);
  const Machine machine = small_machine(8, 1, kPlenty, kPlenty, 4);
  EXPECT_EQ(bytes_between_nodes(p, machine, {1, 2, 4}), 32 * 32 * 32);
  EXPECT_EQ(choose_node(p, machine, {1, 2, 4}), (AlongAxes{{1, 1, 4}}));
  EXPECT_EQ(bytes_between_nodes(p, machine, {1, 2, 4, AlongAxes{{1, 1, 4}}}), 32 * 4 * 32);
}

}  // namespace
}  // namespace foretile
