#include "planner/graph.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/error.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile {
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
    plan.grid = {1, 2};
    plan.ranks.resize(2);
    plan.ranks[0].devices = {{{{{0}, {{{0}}, {{1}}}}, {{1}, {{{0, 1}}}}}}};
    plan.ranks[1].devices.resize(1);
    plan.ranks[1].broadcasts = {{{1}, {0}}};
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
  EXPECT_EQ(edges_of(build_graph(example.plan, false)), inside);
  Edges with_messages = inside;
  with_messages.insert({{5, 1, kData}, {5, 3, kData}});
  const PlanGraph graph = build_graph(example.plan);
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
  write_dot(out, build_graph(example.plan));
  const std::string text = out.str();
  for (const char* line :
       {"digraph G {", "0[label=\"r0 d0 b0 c0\"];", "2[label=\"store r0 d0 b0\",shape=box];",
        "5[label=\"send r1 #0\",shape=cds];", "0->1 [style=dashed];", "0->2 ;", "5->3 ;"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << " not in\n" << text;
  }
}

/// A product takes 2 * 1000 flop at 1e6 flop/s = 2 ms. A tile of A (800 bytes) takes 1 + 0.8 = 1.8 ms to a
/// device at 1 MB/s after 1 ms; C back takes the same; the message takes 5 ms + 800 bytes / 1e5 B/s = 13 ms.
/// Chunks: node 0 max(2, 1.8) = 2, node 1 2, node 3 max(4, 1 + 1.6) = 4 ms; stores 1.8 ms.
/// From the end: node 4 1.8, 3 5.8, 2 7.6, 1 9.6, 0 11.6, the message 13 + 9.6 = 22.6 ms.
TEST(CriticalPath, ByHand) {
  const Example example;
  Machine machine = small_machine(2, 1, 10000, 10000);
  machine.platform.device.kernel.rate_flops_per_s = 1e6;
  machine.platform.links.host_to_device = {1e-3, 1e6};
  machine.platform.links.device_to_host = {1e-3, 1e6};
  machine.platform.network.message = {5e-3, 1e5};
  const CriticalPath path = critical_path(build_graph(example.plan), example.plan, example.problem, machine);
  EXPECT_NEAR(path.seconds, 22.6e-3, 1e-12);
  EXPECT_EQ(path.nodes, (std::vector<std::size_t>{5, 1, 2, 3, 4}));
  const CriticalPath alone =
      critical_path(build_graph(example.plan, false), example.plan, example.problem, machine);
  EXPECT_NEAR(alone.seconds, 11.6e-3, 1e-12);
  EXPECT_EQ(alone.nodes, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(CriticalPath, OfNothing) {
  Example example;
  example.plan.ranks.clear();
  const PlanGraph graph = build_graph(example.plan);
  EXPECT_EQ(critical_path(graph, example.plan, example.problem, small_machine(2, 1, 1, 1)).seconds, 0);
}

/// Not a plan that verifies, but no reason to crash.
TEST(CriticalPath, OfABlockWithoutChunks) {
  Example example;
  example.plan.ranks[0].devices[0].blocks.insert(example.plan.ranks[0].devices[0].blocks.begin(),
                                                 Block{{0}, {}});
  const Machine machine = small_machine(2, 1, 1, 1);
  EXPECT_GT(critical_path(build_graph(example.plan), example.plan, example.problem, machine).seconds, 0);
}

}  // namespace
}  // namespace foretile
