#include <fmt/format.h>

#include <boost/graph/graphviz.hpp>

#include "planner/plan/graph.hpp"

namespace foretile {

void write_dot(std::ostream& out, const PlanGraph& graph) {
  const auto node = [&](std::ostream& o, std::size_t v) {
    const auto& [kind, at, step] = graph[v];
    switch (kind) {
      case NodeKind::broadcast:
        o << fmt::format("[label=\"send r{} #{}\",shape=cds]", at.rank, at.chunk);
        break;
      case NodeKind::chunk:
        o << fmt::format("[label=\"r{} d{} b{} c{}\"]", at.rank, at.device, at.block, at.chunk);
        break;
      case NodeKind::store:
        o << fmt::format("[label=\"store r{} d{} b{}\",shape=box]", at.rank, at.device, at.block);
        break;
      case NodeKind::local_barrier:
        o << fmt::format("[label=\"r{} step {}\",shape=octagon]", at.rank, step);
        break;
      case NodeKind::global_barrier:
        o << fmt::format("[label=\"step {}\",shape=doubleoctagon]", step);
        break;
    }
  };
  const auto edge = [&](std::ostream& o, const auto& e) {
    if (graph[e].kind == EdgeKind::control) o << "[style=dashed]";
  };
  boost::write_graphviz(out, graph, node, edge);
}

}  // namespace foretile
