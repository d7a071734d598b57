// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "base/error.hpp"
#include "planner/strategies/grid_3d/grid_choice.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/all_grids.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::grid_3d_test {
namespace {

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
  const Contraction p = dense_product(8, 8, 8, 2);
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
                                             {"tree", "star", "one of binomial, chain, by_node, scatter"},
                                             {"style", "mkl", "one of foretile, joint, ctf"},
                                             {"sends", "late", "one of auto, ahead, paced"},
                                             {"passes", "2x0x1", "three whole numbers"},
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
  const Contraction p = dense_product(8, 8, 8, 2);
  const Machine machine = small_machine(2, 1, kPlenty, kPlenty);
  const Settings settings{{"strategy", "grid-3d"}, {"grid", "1x1x2"}};
  EXPECT_EQ(verify(make_plan(p, machine, settings), p).peak_host_bytes, 2 * 256 + 512 + 256);
  Settings tight = settings;
  tight["replication_bytes"] = "512";
  EXPECT_NO_THROW(verify(make_plan(p, machine, tight), p));
  tight["replication_bytes"] = "511";
  EXPECT_THROW(verify(make_plan(p, machine, tight), p), InputError);
}

/// The missing bytes of a refusal; 0 where the plan is proven.
std::int64_t missing_bytes(const Contraction& p, const Machine& machine, const Settings& settings) {
  try {
    verify(make_plan(p, machine, settings), p);
    return 0;
  } catch (const InputError& error) {
    const std::string said = error.what();
    const std::size_t end = said.find(" are missing");
    EXPECT_NE(end, std::string::npos) << said;
    return end == std::string::npos ? -1 : std::stoll(said.substr(said.rfind("; ", end) + 2));
  }
}

/// Without room for copies a plan is refused; with the missing bytes it is accepted, with one less it lacks
/// one. The same for the memory of the machine.
TEST(Grid3d, SaysHowManyBytesOfHostMemoryAreMissing) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    GridProblem problem = grid_problem(seed);
    const Contraction& p = problem.contraction;
    if (p.sources.b == Source::generated) continue;  // its staging area shrinks with the memory
    Settings& settings = problem.settings;
    const int ranks = 2 + static_cast<int>(seed % 7);
    const std::vector<AlongAxes> grids = grids_of(ranks);
    settings["grid"] = text_of(grids[seed / 7 % grids.size()]);
    settings.erase("replication_bytes");
    const auto machine = [&](std::int64_t bytes) {
      return small_machine(ranks, problem.devices, kPlenty, bytes);
    };
    const Plan plan = make_plan(p, machine(kPlenty), settings);
    for (const char* size : {"b", "c", "d"}) settings[size] = plan.parameters.at(size);
    const std::int64_t needed = verify(plan, p).peak_host_bytes;
    EXPECT_EQ(missing_bytes(p, machine(needed), settings), 0);
    EXPECT_EQ(missing_bytes(p, machine(needed - 1), settings), 1);
    EXPECT_EQ(missing_bytes(p, machine(needed / 2), settings), needed - needed / 2);
    const auto missing_beside = [&](std::int64_t copies) {
      settings["replication_bytes"] = fmt::format("{}", copies);
      return missing_bytes(p, machine(kPlenty), settings);
    };
    const std::int64_t missing = missing_beside(0);
    if (missing == 0) continue;  // nothing is copied
    EXPECT_EQ(missing_beside(missing), 0);
    EXPECT_EQ(missing_beside(missing - 1), 1);
    ++refused;
  }
  EXPECT_GE(refused, 100);
}

/// 8 x 8 x 8 elements in tiles of 2 on 2 x 1 x 2 ranks, B made: 4 x 4 tiles each of 32 bytes. A rank owns 2 x
/// 2 tiles of A and 4 of C. It multiplies its rows of A by its 2 rows of tiles of B, which it makes, and
/// sends half of the parts of its 2 x 4 tiles of C.
TEST(Grid3d, MakesBWhereItIsNeeded) {
  Contraction p = dense_product(8, 8, 8, 2);
  p.sources.b = Source::generated;
  const Machine machine = small_machine(4, 1, kPlenty, kPlenty);
  const Plan plan = make_plan(p, machine, {{"strategy", "grid-3d"}, {"grid", "2x1x2"}});
  EXPECT_TRUE(plan.operands.b.generated());
  for (const RankPlan& rank : plan.ranks) EXPECT_TRUE(rank.transfers.empty());
  const PlanSummary summary = verify(plan, p);
  EXPECT_EQ(summary.generated_bytes, 2 * 16 * 32);  // once for each row of ranks
  EXPECT_EQ(summary.network_bytes, 16 * 32);
  // A, parts of 2 x 4 tiles of C, those that come for its own 4, and at most all of its B.
  EXPECT_EQ(summary.peak_host_bytes, 4 * 32 + 8 * 32 + 4 * 32 + 8 * 32);
  EXPECT_EQ(plan.ranks[0].devices[0].blocks.size(), 1U);
}

/// 1 x 2 x 1 ranks: A travels, and each of a rank's two devices has 4 columns, of 4 tiles of B and 4 of C
/// each. A device has room for 2 columns and two chunks, so it has two blocks. All tiles of B are generated
/// once.
TEST(Grid3d, BlocksHaveAllRowsWhereBIsGenerated) {
  Contraction p = dense_product(8, 32, 8, 2);
  p.sources.b = Source::generated;
  const Machine machine = small_machine(2, 2, 2 * 8 * 32 + 2 * 4 * 32, kPlenty);
  Settings settings{{"strategy", "grid-3d"}, {"grid", "1x2x1"}};
  const Plan plan = make_plan(p, machine, settings);
  EXPECT_EQ(plan.parameters.at("b"), "4");
  EXPECT_EQ(plan.parameters.at("c"), "4");
  EXPECT_EQ(plan.ranks[1].devices[1].blocks.size(), 2U);
  EXPECT_EQ(verify(plan, p).generated_bytes, 4 * 16 * 32);
  settings["device_layers"] = "2";  // half of a column of B, and all 8 columns on both devices
  EXPECT_EQ(verify(make_plan(p, machine, settings), p).generated_bytes, 4 * 16 * 32);
}

TEST(Grid3d, RefusesWhatGeneratedBForbids) {
  Contraction p = dense_product(8, 8, 8, 2);
  p.sources.b = Source::generated;
  const Machine machine = small_machine(2, 2, kPlenty, kPlenty);
  for (const auto& [key, value, expected] :
       {std::tuple("b", "1", "auto, or at least the 2 tile rows of a rank; B is generated"),
        {"device_rows", "2", "expected auto or 1; B is generated"},
        {"prefetch_c", "1", "expected 0; B is generated"}}) {
    const std::string found = refusal(p, machine, {{"grid", "2x1x1"}, {key, value}});
    EXPECT_NE(found.find(expected), std::string::npos) << key << "=" << value << ": " << found;
  }
  EXPECT_EQ(refusal(p, machine, {{"grid", "2x1x1"}, {"b", "2"}, {"device_rows", "1"}}), "");
  EXPECT_NE(refusal(p, small_machine(2, 2, 100, kPlenty), {{"grid", "2x1x1"}}).find(" are missing"),
            std::string::npos);
}

/// 512 flops for each of 2 ranks, at 1e9 a second. As two rows, each rank makes all of B, 512 bytes, and
/// nothing travels; as two columns, each makes half of B and has half of A from the other. Four cores make
/// 4e9 bytes a second, which the products hide, or 4.
TEST(Grid3d, CountsTheMakingOfB) {
  Contraction p = dense_product(8, 8, 8, 2);
  p.sources.b = Source::generated;
  Machine machine = small_machine(2, 1, kPlenty, kPlenty);
  machine.platform.network.message.bandwidth_bytes_per_s = 1e9;
  EXPECT_EQ(grid_cost(p, machine, {2, 1, 1}).received_bytes, 0);
  EXPECT_EQ(grid_cost(p, machine, {1, 2, 1}).received_bytes, 256);
  EXPECT_EQ(bytes_between_nodes(p, machine, {2, 1, 1}), 0);
  EXPECT_EQ(bytes_between_nodes(p, machine, {1, 2, 1}), 512);
  EXPECT_EQ(choose_grid(p, machine).p, 2);
  machine.platform.generation_bytes_per_s_per_core = 1;  // of 4 cores
  EXPECT_DOUBLE_EQ(grid_cost(p, machine, {2, 1, 1}).seconds, 512 / 4.0);
  EXPECT_DOUBLE_EQ(grid_cost(p, machine, {1, 2, 1}).seconds, 256 / 4.0);
  EXPECT_EQ(choose_grid(p, machine).p, 1);
  machine.platform.device.kind = DeviceKind::core;  // which multiplies then, too
  EXPECT_DOUBLE_EQ(grid_cost(p, machine, {1, 2, 1}).seconds, 256 / 4.0 + 512e-9);
}

/// Large K: only the sums travel. 17 ranks: 16 of them in a cube move less than 17 in a row, and take no
/// longer, since 20 tiles are distributed 2 to a row of 17 or 5 to one of 4.
TEST(Grid3d, ChoosesWhatMovesLeast) {
  const auto chosen = [](const Contraction& p, int ranks) {
    const ProcessGrid grid = choose_grid(p, small_machine(ranks, 1, kPlenty, kPlenty));
    return std::array{grid.p, grid.q, grid.r};
  };
  EXPECT_EQ(chosen(dense_product(1024, 1024, 65536, 512), 2), (std::array{1, 1, 2}));
  EXPECT_EQ(chosen(dense_product(65536, 1024, 1024, 512), 2), (std::array{2, 1, 1}));
  EXPECT_EQ(chosen(dense_product(1024, 65536, 1024, 512), 2), (std::array{1, 2, 1}));
  const auto cube = chosen(dense_product(10000, 10000, 10000, 500), 17);
  EXPECT_EQ(cube[0] * cube[1] * cube[2], 16);
  EXPECT_EQ(std::max({cube[0], cube[1], cube[2]}), 4);
}

/// 4 x 4 tiles of 32 bytes in each matrix, on 1 x 4 x 2 ranks: two layers have two tile columns of A each,
/// which two of the four ranks of a layer own: 4 tiles, 128 bytes, where an even share of A is 64. Of B a
/// rank owns its column's two tiles of its layer, of C half of its column's four: 64 each. Two parts of C:
/// 256.
TEST(Grid3d, CountsWhatTheRankWithMostOwns) {
  const GridCost cost =
      grid_cost(dense_product(8, 8, 8, 2), small_machine(8, 1, kPlenty, kPlenty), {1, 4, 2});
  EXPECT_DOUBLE_EQ(cost.owned_bytes, 128 + 64 + 64);
  EXPECT_DOUBLE_EQ(cost.held_bytes, cost.owned_bytes + 256);
}

/// 2 x 2 x 2 ranks, 4 in a node as 2 x 2 x 1: A goes round in a node, B too, parts of C leave it: V = |C| (2
/// / 1
/// - 1). Natural order has the same nodes here.
TEST(Grid3d, CountsBytesBetweenNodes) {
  const Contraction p = dense_product(8, 8, 8, 2);
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
  const Contraction p = dense_product(64, 64, 8, 2);
  const Machine machine = small_machine(8, 1, kPlenty, kPlenty, 4);
  EXPECT_EQ(bytes_between_nodes(p, machine, {1, 2, 4}), 32 * 32 * 32);
  EXPECT_EQ(choose_node(p, machine, {1, 2, 4}), (AlongAxes{{1, 1, 4}}));
  EXPECT_EQ(bytes_between_nodes(p, machine, {1, 2, 4, AlongAxes{{1, 1, 4}}}), 32 * 4 * 32);
  // Sent for each of 8 parts of N, A is as much as C; each of 2 parts of K has sums.
  EXPECT_EQ(choose_node(p, machine, {1, 2, 4}, {{1, 8, 1}}), std::nullopt);
  EXPECT_EQ(choose_node(p, machine, {1, 2, 4}, {{1, 8, 2}}), (AlongAxes{{1, 1, 4}}));
}

/// Nodes of one rank, 1 x 4 x 1 ranks: each of the owner's three tiles of A goes to another node first.
TEST(Grid3d, ScatterTakesNodesInTurn) {
  const Contraction p = dense_product(6, 8, 8, 2);
  const Machine machine = small_machine(4, 1, kPlenty, kPlenty, 1);
  const Plan plan = make_plan(
      p, machine,
      {{"strategy", "grid-3d"}, {"grid", "1x4x1"}, {"tree", "scatter"}, {"message_bytes", "1"}, {"d", "1"}});
  std::vector<std::vector<Rank>> others;
  for (const Transfer& transfer : plan.ranks[0].transfers) {
    EXPECT_EQ(children_of(transfer, Rank::of(0), 0), std::vector{1});
    others.push_back(transfer.others);
  }
  const auto ranks = [](int a, int b, int c) { return std::vector{Rank::of(a), Rank::of(b), Rank::of(c)}; };
  EXPECT_EQ(others, (std::vector{ranks(1, 2, 3), ranks(2, 3, 1), ranks(3, 1, 2)}));
}

/// Which node a rank's first message of the matrix goes to.
int first_node(const Plan& plan, int rank, Matrix matrix, int of_node) {
  for (const Transfer& transfer : plan.ranks[rank].transfers) {
    if (transfer.matrix != matrix) continue;
    for (const Rank other : transfer.others) {
      if (other / of_node != rank / of_node) return other / of_node;
    }
  }
  return -1;
}

/// 8 x 8 ranks, nodes of 4 x 2: a fibre of A touches four nodes. The four fibres of A of node 0 that begin in
/// column 0 have ranks 0, 2, 4 and 6; three other nodes, so that ranks 0 to 4 begin with different ones.
TEST(Grid3d, ScatterSendsTheFibresOfANodeToDifferentNodes) {
  const Contraction p = dense_product(16, 16, 16, 2);
  const Machine machine = small_machine(64, 1, kPlenty, kPlenty, 8);
  for (const char* sends : {"ahead", "paced"}) {
    const Plan plan = make_plan(p, machine,
                                {{"strategy", "grid-3d"},
                                 {"grid", "8x8x1"},
                                 {"grid.node", "4x2x1"},
                                 {"tree", "scatter"},
                                 {"sends", sends},
                                 {"d", "8"}});
    const auto first = [&](int rank) { return first_node(plan, rank, Matrix::a, 8); };
    EXPECT_EQ((std::array{first(0), first(2), first(4), first(6)}), (std::array{1, 2, 3, 1})) << sends;
  }
}

/// Several messages of A and B in turn: each matrix takes nodes in turn. 4 x 4 ranks, a node each; two steps.
TEST(Grid3d, ScatterCountsTheMessagesOfEachMatrix) {
  const Contraction p = dense_product(16, 16, 16, 2);
  const Plan plan = make_plan(p, small_machine(16, 1, kPlenty, kPlenty, 1),
                              {{"strategy", "grid-3d"},
                               {"grid", "4x4x1"},
                               {"tree", "scatter"},
                               {"sends", "ahead"},
                               {"message_bytes", "1"},
                               {"d", "4"}});
  std::vector<int> of_a, of_b;
  for (const Transfer& transfer : plan.ranks[0].transfers)
    (transfer.matrix == Matrix::a ? of_a : of_b).push_back(transfer.others.front());
  EXPECT_EQ(of_a, (std::vector{1, 2, 3, 1}));
  EXPECT_EQ(of_b, (std::vector{4, 8, 12, 4}));
}

/// 1 x 2 x 6 ranks, nodes of three in natural order, which cut layers: those of a column are on four nodes,
/// so that each of C's 6 x 2 tiles crosses between nodes three times; six ranks take part in each sum.
TEST(Grid3d, SumsEnterANodeOnce) {
  const Contraction p = dense_product(12, 4, 12, 2);
  const Machine machine = small_machine(12, 1, kPlenty, kPlenty, 3);
  for (const char* tree : {"by_node", "scatter"}) {
    const Plan plan = make_plan(p, machine,
                                {{"strategy", "grid-3d"},
                                 {"grid", "1x2x6"},
                                 {"grid.node", "natural"},
                                 {"tree", tree},
                                 {"sum_bytes", "1"}});
    int sums = 0, between_nodes = 0;
    for (int rank = 0; rank < 12; ++rank) {
      for (const Sum& sum : plan.ranks[rank].sums) {
        ++sums;
        if (sum.to && *sum.to / 3 != rank / 3) ++between_nodes;
      }
    }
    EXPECT_EQ(sums, 6 * 2 * 6);
    EXPECT_EQ(between_nodes, 6 * 2 * 3) << tree;
  }
}

/// Where nothing but messages runs, an owner's tiles of A travel together, and those of B behind them.
TEST(Grid3d, PacedSendsGoMatrixByMatrix) {
  const Contraction p = dense_product(8, 8, 8, 2);
  const Machine machine = small_machine(4, 1, kPlenty, kPlenty, 1);
  for (const auto& [sends, messages] : {std::pair("paced", 2), {"ahead", 4}}) {
    const Plan plan =
        make_plan(p, machine, {{"strategy", "grid-3d"}, {"grid", "2x2x1"}, {"sends", sends}, {"d", "4"}});
    EXPECT_EQ(std::ssize(plan.ranks[0].transfers), messages) << sends;
    EXPECT_EQ(plan.ranks[0].transfers[0].matrix, Matrix::a);
    EXPECT_EQ(plan.ranks[0].transfers[1].matrix, Matrix::b);
  }
}

/// An axis cut in two, and the ranks of a node along each.
struct TwoAxes {
  int outer, inner, node_outer, node_inner;
};

std::vector<TwoAxes> all_two_axes(int ranks, int most_of_node) {
  std::vector<TwoAxes> all;
  for (int outer = 1; outer <= ranks; ++outer) {
    const int inner = ranks / outer;
    for (int x = 1; x <= outer && outer * inner == ranks; ++x) {
      for (int y = 1; y <= inner; ++y) {
        if (outer % x == 0 && inner % y == 0 && x * y <= most_of_node) all.push_back({outer, inner, x, y});
      }
    }
  }
  return all;
}

/// Nested SUMMA (paper, section 2.2, d = 6): `bytes` go along the outer axis, and from each node that they
/// reach along the inner one. So the words W of the inner axis are bytes x outer, and W_outer (outer - 1) +
/// W_inner (inner - 1) = bytes (outer inner - 1), what one axis of both has.
double nested_bytes(double bytes, const TwoAxes& axes) {
  const double outer = 1.0 * axes.outer / axes.node_outer;
  const double inner = 1.0 * axes.inner / axes.node_inner;
  return bytes * (outer - 1) + bytes * outer * (inner - 1);
}

/// Two axes for each of M, N and K never move less between nodes than one: any divisor of an axis is a
/// product of divisors of its parts.
TEST(Grid3d, SixAxesMoveAsMuchAsThree) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto number = [&](int most) { return static_cast<int>(random.integer(1, most)); };
    const Contraction p = dense_product(8 * number(9), 8 * number(9), 8 * number(9), 4);
    const int of_node = std::array{4, 6, 8, 12}[static_cast<std::size_t>(number(4) - 1)];
    const ProcessGrid grid{2 * number(4), 2 * number(4), of_node};
    const Machine machine = small_machine(grid.size(), 1, kPlenty, kPlenty, of_node);
    ProcessGrid aware = grid;
    aware.node = choose_node(p, machine, grid);
    const double three = bytes_between_nodes(p, machine, aware);
    double six = bytes_between_nodes(p, machine, grid);
    for (const TwoAxes& m : all_two_axes(grid.p, of_node)) {
      for (const TwoAxes& n : all_two_axes(grid.q, of_node)) {
        for (const TwoAxes& k : all_two_axes(grid.r, of_node)) {
          if (m.node_outer * m.node_inner * n.node_outer * n.node_inner * k.node_outer * k.node_inner !=
              of_node)
            continue;
          six = std::min(six, nested_bytes(bytes_of_all(p, Matrix::a), n) +
                                  nested_bytes(bytes_of_all(p, Matrix::b), m) +
                                  nested_bytes(bytes_of_all(p, Matrix::c), k));
        }
      }
    }
    EXPECT_DOUBLE_EQ(three, six);
  }
}

}  // namespace
}  // namespace foretile::grid_3d_test
