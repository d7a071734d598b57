#include "planner/plan/graph.hpp"

#include <boost/graph/topological_sort.hpp>

#include "base/error.hpp"
#include "planner/plan/graph/parts.hpp"

namespace foretile {

PlanGraph compress(const GraphParts& parts) {
  PlanGraph graph(boost::edges_are_unsorted_multi_pass, parts.ends.begin(), parts.ends.end(),
                  parts.kinds.begin(), parts.nodes.size());
  for (std::size_t v = 0; v < parts.nodes.size(); ++v) graph[v] = parts.nodes[v];
  return graph;
}

void require_acyclic(const PlanGraph& graph) {
  reverse_order(graph);
}

PlanGraph build_graph(const Plan& plan) {
  GraphParts parts;
  add_blocks(plan, parts);
  add_barriers(plan, parts);
  return compress(parts);
}

PlanGraph build_graph(const Plan& plan, const Contraction& contraction) {
  GraphParts parts;
  add_blocks(plan, parts);
  add_messages(plan, contraction, parts);
  add_barriers(plan, parts);
  return compress(parts);
}

std::vector<std::size_t> reverse_order(const PlanGraph& graph) {
  std::vector<std::size_t> order;
  order.reserve(num_vertices(graph));
  try {
    boost::topological_sort(graph, std::back_inserter(order));
  } catch (const boost::not_a_dag&) {
    throw input_error("plan, control edges", "a cycle", "no cycle",
                      "no order of the chunks can satisfy this plan");
  }
  return order;
}

}  // namespace foretile
