// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/by_nodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"

namespace foretile::by_nodes_test {
namespace {

NodesResult done(int nodes, double seconds, std::optional<double> gap = {}) {
  return {nodes, Evaluation{{{"grid.p", "1"}}, {Outcome::Status::done, seconds, "", {}}, 1}, gap, ""};
}

/// 60 s on 1 node and 40 s on 2, 25 s on 4: 60, 80 and 100 node-seconds. On 3 nodes nothing fits.
std::vector<NodesResult> example() {
  return {done(1, 60, 0), done(4, 25), {3, {}, {}, "does not fit"}, done(2, 40, 0.125)};
}

TEST(NodeRange, OneOrTwoNumbers) {
  EXPECT_EQ(node_range("18", "nodes").first, 18);
  EXPECT_EQ(node_range("18", "nodes").last, 18);
  EXPECT_FALSE(node_range("18", "nodes").several());
  EXPECT_EQ(node_range("1..64", "nodes").first, 1);
  EXPECT_EQ(node_range("1..64", "nodes").last, 64);
  EXPECT_TRUE(node_range("1..64", "nodes").several());
}

TEST(NodeRange, RefusesWhatIsNone) {
  for (const char* bad :
       {"", "0", "-1", "1.5", "1...3", "1..", "..4", "64..1", "1-4", "1..1000000000000", "many"})
    EXPECT_THROW(node_range(bad, "nodes"), InputError) << bad;
  try {
    node_range("1..x", "--nodes");
    ADD_FAILURE() << "accepted 1..x";
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "--nodes: found 1..x, expected a number of nodes from 1 to 200000, or a range; give 8, or 1..8");
  }
}

TEST(NodeRange, GoesAsFarAsPlatforms) {
  EXPECT_EQ(node_range("1..200000", "nodes").last, 200000);
  EXPECT_THROW(node_range("200001", "nodes"), InputError);
}

TEST(VisitingOrder, CoversTheRangeEarly) {
  EXPECT_EQ(visiting_order({1, 8}), (std::vector<int>{1, 8, 4, 2, 6, 3, 5, 7}));
  EXPECT_EQ(visiting_order({5, 5}), (std::vector<int>{5}));
  auto all = visiting_order({3, 40});
  std::sort(all.begin(), all.end());
  for (int i = 0; i < 38; ++i) EXPECT_EQ(all[i], 3 + i);
}

TEST(ByNodes, CoarseTimesAreMarked) {
  std::vector<NodesResult> results = {done(1, 60)};
  results.front().best->outcome.extra[kCoarseKey] = true;
  EXPECT_NE(nodes_table(results).find("    1        60     0.01667   coarse\n"), std::string::npos)
      << nodes_table(results);
  EXPECT_EQ(to_json(results).at(0).at("coarse"), true);
}

TEST(ByNodes, TheBestDependsOnTheGoal) {
  const auto results = example();
  EXPECT_EQ(best_of(results, Goal::time)->nodes, 4);
  EXPECT_EQ(best_of(results, Goal::node_hours)->nodes, 1);
  EXPECT_EQ(best_of({}, Goal::time), nullptr);
  EXPECT_EQ(best_of({{3, {}, {}, "does not fit"}}, Goal::time), nullptr);
  EXPECT_EQ(best_of({done(8, 2), done(4, 2)}, Goal::time)->nodes, 4);
  EXPECT_EQ(goal_of("node-hours", "goal"), Goal::node_hours);
  EXPECT_THROW(goal_of("money", "goal"), InputError);
}

TEST(ByNodes, Table) {
  EXPECT_EQ(nodes_table(example()),
            "nodes    time/s  node-hours      gap\n"
            "    1        60     0.01667   proven\n"
            "    2        40     0.02222    12.5%\n"
            "    3  does not fit\n"
            "    4        25     0.02778        -\n"
            "\n"
            "shortest time      25 s on 4 nodes\n"
            "fewest node-hours  0.01667 on 1 node\n");
}

/// 1 node takes 60 s and 6 kJ, 2 take 40 s and 5 kJ.
TEST(ByNodes, TableOfJoules) {
  std::vector<NodesResult> results = {done(1, 60), done(2, 40), {3, {}, {}, "does not fit"}};
  results[0].best->outcome.extra[kJoulesKey] = 6000;
  results[1].best->outcome.extra[kJoulesKey] = 5000;
  EXPECT_EQ(nodes_table(results, true),
            "nodes    time/s  node-hours   energy/J      gap\n"
            "    1        60     0.01667       6000        -\n"
            "    2        40     0.02222       5000        -\n"
            "    3  does not fit\n"
            "\n"
            "shortest time      40 s on 2 nodes\n"
            "fewest node-hours  0.01667 on 1 node\n"
            "least energy       about 5.00 kJ on 2 nodes\n");
  EXPECT_EQ(best_of(results, Goal::energy)->nodes, 2);
  EXPECT_EQ(to_json(results)[1].at("joules"), 5000);
  EXPECT_FALSE(to_json(results)[2].contains("joules"));
  EXPECT_EQ(goal_of("energy", "goal"), Goal::energy);
}

/// The defaults take 1 s, the fastest 0.98 s, which predictions may not tell apart; nothing is faster than
/// 0.95 s.
TEST(ByNodes, TheFiguresAreThoseOfThePlanTaken) {
  TuneResult result;
  result.ranking = {{{{"lookahead", "2"}}, {Outcome::Status::done, 0.98, "", {}}, 1},
                    {{{"lookahead", "1"}}, {Outcome::Status::done, 1, "", {}}, 1}};
  result.defaults = result.ranking[1];
  result.gap = 0.98 / 0.95 - 1;
  const NodesResult defaults = nodes_result(2, result, 0.05);
  EXPECT_EQ(defaults.best->candidate.at("lookahead"), "1");
  EXPECT_EQ(defaults.best->outcome.makespan_s, 1);
  EXPECT_NEAR(*defaults.gap, 1 / 0.95 - 1, 1e-12);
  const NodesResult fastest = nodes_result(2, result, 0.01);
  EXPECT_EQ(fastest.best->candidate.at("lookahead"), "2");
  EXPECT_DOUBLE_EQ(*fastest.gap, *result.gap);
}

TEST(ByNodes, Json) {
  const nlohmann::json list = to_json(example());
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[1].at("nodes"), 2);
  EXPECT_EQ(list[1].at("makespan_s"), 40);
  EXPECT_DOUBLE_EQ(list[1].at("node_hours"), 80.0 / 3600);
  EXPECT_EQ(list[1].at("gap"), 0.125);
  EXPECT_EQ(list[1].at("parameters").at("grid.p"), "1");
  EXPECT_TRUE(list[2].at("makespan_s").is_null());
  EXPECT_EQ(list[2].at("message"), "does not fit");
  EXPECT_TRUE(list[3].at("gap").is_null());
}

}  // namespace
}  // namespace foretile::by_nodes_test
