// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/topological_sort.hpp>

#include "base/error.hpp"
#include "planner/plan/graph/parts.hpp"

namespace foretile {

namespace {

/// Chunks one after the other, then the store, which holds back the next block.
void add_block(const Block& block, ChunkPlace at, GraphParts& parts) {
  const std::size_t first = parts.nodes.size();
  const std::size_t store = first + block.chunks.size();
  for (at.chunk = 0; at.chunk < static_cast<int>(block.chunks.size()); ++at.chunk) {
    const std::size_t node = parts.nodes.size();
    parts.nodes.push_back({NodeKind::chunk, at, block.chunks[at.chunk].step});
    parts.add_edge(node, store, EdgeKind::data);
    if (node + 1 < store) parts.add_edge(node, node + 1, EdgeKind::control);
  }
  at.chunk = -1;
  parts.nodes.push_back({NodeKind::store, at, 0});
}

}  // namespace

void add_blocks(const Plan& plan, GraphParts& parts) {
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    for (std::size_t d = 0; d < plan.ranks[r].devices.size(); ++d) {
      const auto& blocks = plan.ranks[r].devices[d].blocks;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::size_t first = parts.nodes.size();
        if (b > 0) parts.add_edge(first - 1, first, EdgeKind::control);
        add_block(blocks[b], {Rank::of(r), Device::of(d), static_cast<int>(b), 0}, parts);
      }
    }
  }
}

namespace {

/// Barriers of one kind and place, one per step, each after the one before.
class Chain {
 public:
  Chain(NodeKind kind, Rank rank, std::vector<Step> steps, GraphParts& parts)
      : first_(parts.nodes.size()), steps_(std::move(steps)) {
    std::sort(steps_.begin(), steps_.end());
    steps_.erase(std::unique(steps_.begin(), steps_.end()), steps_.end());
    for (const Step step : steps_) {
      if (step != steps_.front())
        parts.add_edge(parts.nodes.size() - 1, parts.nodes.size(), EdgeKind::control);
      parts.nodes.push_back({kind, {rank, 0, 0, 0}, step});
    }
  }
  const std::vector<Step>& steps() const { return steps_; }
  std::size_t node(std::size_t position) const { return first_ + position; }
  /// Position of the first of at least `step`; steps().size() if there is none.
  std::size_t at_least(std::int64_t step) const {
    return static_cast<std::size_t>(std::lower_bound(steps_.begin(), steps_.end(), step) - steps_.begin());
  }

 private:
  std::size_t first_;
  std::vector<Step> steps_;
};

using Nodes = std::vector<std::size_t>;

std::vector<Step> steps_of(const Nodes& numbers, const GraphParts& parts) {
  std::vector<Step> steps;
  for (const std::size_t n : numbers) steps.push_back(parts.nodes[n].step);
  return steps;
}

Chain local_barriers(Rank rank, const Nodes& chunks, GraphParts& parts) {
  Chain local(NodeKind::local_barrier, rank, steps_of(chunks, parts), parts);
  for (const std::size_t n : chunks) {
    parts.add_edge(n, local.node(local.at_least(parts.nodes[n].step)), EdgeKind::control);
  }
  return local;
}

/// What belongs to step s waits for the last barrier of at most step s - 1 - lookahead.
void hold_back(const Chain& local, const Nodes& chunks, int lookahead, GraphParts& parts) {
  for (const std::size_t n : chunks) {
    const std::size_t later = local.at_least(static_cast<std::int64_t>(parts.nodes[n].step) - lookahead);
    if (later > 0) parts.add_edge(local.node(later - 1), n, EdgeKind::control);
  }
}

void add_global_barriers(const std::vector<Chain>& locals, const Nodes& held, int lookahead,
                         GraphParts& parts) {
  const Chain global(NodeKind::global_barrier, 0, steps_of(held, parts), parts);
  for (const Chain& local : locals) {
    for (std::size_t n = 0; n < local.steps().size(); ++n) {
      const std::size_t next = global.at_least(static_cast<std::int64_t>(local.steps()[n]) + 1 + lookahead);
      if (next < global.steps().size()) parts.add_edge(local.node(n), global.node(next), EdgeKind::control);
    }
  }
  for (const std::size_t n : held) {
    parts.add_edge(global.node(global.at_least(parts.nodes[n].step)), n, EdgeKind::control);
  }
}

}  // namespace

void add_barriers(const Plan& plan, GraphParts& parts) {
  if (plan.barriers == Barriers::none) return;
  std::vector<Nodes> chunks(plan.ranks.size());
  Nodes held;  // by global barriers
  for (std::size_t n = 0; n < parts.nodes.size(); ++n) {
    const PlanNode& node = parts.nodes[n];
    if (node.kind == NodeKind::store) continue;
    held.push_back(n);
    if (node.kind == NodeKind::chunk) chunks[node.place.rank].push_back(n);
  }
  std::vector<Chain> locals;
  for (std::size_t r = 0; r < chunks.size(); ++r) {
    locals.push_back(local_barriers(Rank::of(r), chunks[r], parts));
    if (plan.barriers == Barriers::local) hold_back(locals.back(), chunks[r], plan.lookahead, parts);
  }
  if (plan.barriers == Barriers::global) add_global_barriers(locals, held, plan.lookahead, parts);
}

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
