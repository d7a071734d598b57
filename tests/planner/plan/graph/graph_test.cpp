// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/graph/graph.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "tests/planner/verify/stream_example.hpp"

namespace foretile::graph_test {
namespace {

/// Two ranks, one device each. A is 1 x 2 (tile k lives at rank k), B 2 x 2, C 1 x 2, all tiles 10 x 10 and
/// dense. Rank 0 works on columns 0 and 1 in two blocks: the first with two chunks, the second with one.
/// Rank 1 only sends A tile 1. Nodes: 0, 1 chunks and 2 store of block 0; 3 chunk and 4 store of block 1; 5
/// the message.
struct Example {
  Example()
      : problem{"",
                Tiling::uniform(10, 10),
                Tiling::uniform(20, 10),
                Tiling::uniform(20, 10),
                Shape::dense(1, 2),
                Shape::dense(2, 2),
                Shape::dense(1, 2),
                0} {
    plan.operands.b = kGeneratedAndStays;
    plan.grid = {1, 2};
    plan.ranks.resize(2);
    plan.ranks[0].devices = {{{{{0}, {{{0}}, {{1}}}}, {{1}, {{{0, 1}}}}}}};
    plan.ranks[1].devices.resize(1);
    plan.ranks[1].transfers = {{{1}, {0}}};
  }
  Contraction problem;
  Plan plan;
};

using Edges = std::set<std::tuple<std::size_t, std::size_t, EdgeKind>>;

Edges edges_of(const PlanGraph& graph) {
  Edges found;
  for (auto [e, end] = edges(graph); e != end; ++e)
    EXPECT_TRUE(found.emplace(source(*e, graph), target(*e, graph), graph[*e].kind).second);
  return found;
}

constexpr auto kData = EdgeKind::data;
constexpr auto kControl = EdgeKind::control;
const Edges inside{{0, 2, kData}, {1, 2, kData}, {3, 4, kData}, {0, 1, kControl}, {2, 3, kControl}};

TEST(PlanGraph, EdgesByHand) {
  const Example example;
  EXPECT_EQ(edges_of(build_graph(example.plan)), inside);
  Edges with_messages = inside;
  with_messages.insert({{5, 1, kData}, {5, 3, kData}});
  const PlanGraph graph = build_graph(example.plan, example.problem);
  EXPECT_EQ(edges_of(graph), with_messages);
  ASSERT_EQ(num_vertices(graph), 6U);
  EXPECT_EQ(graph[1].place.chunk, 1);
  EXPECT_EQ(graph[2].kind, NodeKind::store);
  EXPECT_EQ(graph[3].place.block, 1);
  EXPECT_EQ(graph[5].kind, NodeKind::broadcast);
  EXPECT_EQ(graph[5].place.rank, 1);
}

TEST(PlanGraph, Dot) {
  const Example example;
  std::ostringstream out;
  write_dot(out, build_graph(example.plan, example.problem));
  const std::string text = out.str();
  for (const char* line :
       {"digraph G {", "0[label=\"r0 d0 b0 c0\"];", "2[label=\"store r0 d0 b0\",shape=box];",
        "5[label=\"send r1 #0\",shape=cds];", "0->1 [style=dashed];", "0->2 ;", "5->3 ;"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << " not in\n" << text;
  }
}

/// Two ranks of one device each; rank 0 has chunks of steps 0 and 1 in one block, rank 1 of steps 0 and 2.
/// Chunks and stores: 0, 1, 2 on rank 0; 3, 4, 5 on rank 1. A message of rank 1 for step 1.
struct Steps {
  explicit Steps(Barriers barriers) {
    plan.operands.b = kGeneratedAndStays;
    plan.grid = {1, 2};
    plan.lookahead = 0;
    plan.barriers = barriers;
    plan.ranks.resize(2);
    plan.ranks[0].devices = {{{{{0}, {{{0}, 0}, {{1}, 1}}}}}};
    plan.ranks[1].devices = {{{{{1}, {{{0}, 0}, {{1}, 2}}}}}};
    plan.ranks[1].transfers = {{{1}, {0}, Matrix::a, 1, 1}};
  }
  Plan plan;
};

const Edges two_devices{{0, 2, kData}, {1, 2, kData}, {0, 1, kControl},
                        {3, 5, kData}, {4, 5, kData}, {3, 4, kControl}};

void expect_edges(const PlanGraph& graph, Edges more) {
  more.insert(two_devices.begin(), two_devices.end());
  EXPECT_EQ(edges_of(graph), more);
}

/// Local barriers: 6 and 7 on rank 0 for the steps 0 and 1, 8 and 9 on rank 1 for 0 and 2.
const Edges local_chains{{0, 6, kControl}, {1, 7, kControl}, {6, 7, kControl},
                         {3, 8, kControl}, {4, 9, kControl}, {8, 9, kControl}};

/// With lookahead 0 step 1 waits for 0 and 2 for the last before, 0; with 1 only 2 waits.
TEST(PlanGraph, LocalBarriersByHand) {
  Steps example(Barriers::local);
  Edges more = local_chains;
  more.insert({8, 4, kControl});
  Edges without_lookahead = more;
  without_lookahead.insert({6, 1, kControl});
  expect_edges(build_graph(example.plan), without_lookahead);
  example.plan.lookahead = 1;
  const PlanGraph graph = build_graph(example.plan);
  expect_edges(graph, more);
  EXPECT_EQ(graph[7].kind, NodeKind::local_barrier);
  EXPECT_EQ(graph[7].place.rank, 0);
  EXPECT_EQ(graph[7].step, 1);
  EXPECT_EQ(graph[9].place.rank, 1);
  EXPECT_EQ(graph[9].step, 2);
}

/// Global barriers: 10, 11, 12 for the steps 0, 1, 2.
TEST(PlanGraph, GlobalBarriersByHand) {
  Steps example(Barriers::global);
  Edges chain = local_chains;
  chain.insert({{10, 11, kControl},
                {11, 12, kControl},
                {10, 0, kControl},
                {10, 3, kControl},
                {11, 1, kControl},
                {12, 4, kControl}});
  Edges more = chain;
  more.insert({{6, 11, kControl}, {8, 11, kControl}, {7, 12, kControl}});
  const PlanGraph graph = build_graph(example.plan);
  expect_edges(graph, more);
  EXPECT_EQ(graph[12].kind, NodeKind::global_barrier);
  EXPECT_EQ(graph[12].step, 2);
  example.plan.lookahead = 1;
  more = chain;
  more.insert({{6, 12, kControl}, {8, 12, kControl}});
  expect_edges(build_graph(example.plan), more);
}

/// The message (6) moves the barriers up by one and is held back by the global one of its step.
TEST(PlanGraph, GlobalBarriersHoldMessages) {
  const Steps example(Barriers::global);
  const Contraction problem = Example().problem;
  const PlanGraph graph = build_graph(example.plan, problem);
  EXPECT_EQ(graph[6].kind, NodeKind::broadcast);
  const Edges edges = edges_of(graph);
  EXPECT_TRUE(edges.count({6, 1, kData}));
  EXPECT_TRUE(edges.count({12, 6, kControl}));
  EXPECT_EQ(graph[12].step, 1);
  std::ostringstream out;
  write_dot(out, graph);
  for (const char* line :
       {"7[label=\"r0 step 0\",shape=octagon];", "12[label=\"step 1\",shape=doubleoctagon];"})
    EXPECT_NE(out.str().find(line), std::string::npos) << line << " not in\n" << out.str();
}

/// B streams: each chunk of rank 1 uses what its own messages bring, and no other.
TEST(PlanGraph, MessagesOfBAndForSteps) {
  const StreamExample example(1);
  const PlanGraph graph = build_graph(example.plan, example.problem);
  int sources = 0;
  for (auto [e, end] = edges(graph); e != end; ++e) {
    if (graph[*e].kind != EdgeKind::data) continue;
    const PlanNode& from = graph[source(*e, graph)];
    const PlanNode& to = graph[target(*e, graph)];
    if (from.kind != NodeKind::broadcast) continue;
    ++sources;
    EXPECT_EQ(from.step, to.step);
    const Transfer& message = example.plan.ranks[from.place.rank].transfers[from.place.chunk];
    EXPECT_EQ(message.others[0], to.place.rank);
  }
  EXPECT_EQ(sources, 16);  // each of the 16 messages is used by one chunk
}

TEST(PlanGraph, StepsThatDecreaseAreACycle) {
  for (const Barriers barriers : {Barriers::local, Barriers::global}) {
    Steps example(barriers);
    EXPECT_NO_THROW(require_acyclic(build_graph(example.plan)));
    auto& chunks = example.plan.ranks[1].devices[0].blocks[0].chunks;
    std::swap(chunks[0].step, chunks[1].step);
    EXPECT_THROW(require_acyclic(build_graph(example.plan)), InputError);
  }
}

/// Numbers far out must not overflow.
TEST(PlanGraph, AnySteps) {
  for (const Barriers barriers : {Barriers::local, Barriers::global}) {
    Steps example(barriers);
    example.plan.lookahead = std::numeric_limits<int>::max();
    auto& chunks = example.plan.ranks[1].devices[0].blocks[0].chunks;
    chunks[0].step = std::numeric_limits<int>::min();
    chunks[1].step = std::numeric_limits<int>::max();
    EXPECT_NO_THROW(require_acyclic(build_graph(example.plan)));
  }
}

}  // namespace
}  // namespace foretile::graph_test
