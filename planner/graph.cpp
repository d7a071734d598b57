#include "planner/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/graph/graphviz.hpp>
#include <boost/graph/topological_sort.hpp>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "planner/products.hpp"

namespace foretile {

namespace {

using Edge = std::pair<std::size_t, std::size_t>;

/// Numbers the nodes rank by rank, device by device, block by block.
class NodeNumbers {
 public:
  explicit NodeNumbers(const Plan& plan) : plan_(plan) {
    for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
      for (std::size_t d = 0; d < plan.ranks[r].devices.size(); ++d) {
        const auto& blocks = plan.ranks[r].devices[d].blocks;
        for (std::size_t b = 0; b < blocks.size(); ++b) add_block(place(r, d, b, 0), blocks[b]);
      }
    }
  }

  std::size_t chunk(const ChunkPlace& at) const {
    const auto found = first_.find({at.rank, at.device, at.block});
    if (found == first_.end()) throw no_such(at);
    const auto& block = plan_.ranks[at.rank].devices[at.device].blocks[at.block];
    const int chunks = static_cast<int>(block.chunks.size());
    if (at.chunk < -1 || at.chunk >= chunks) throw no_such(at);
    return found->second + (at.chunk < 0 ? chunks : at.chunk);
  }

  static ChunkPlace place(std::size_t r, std::size_t d, std::size_t b, int z) {
    return {static_cast<int>(r), static_cast<int>(d), static_cast<int>(b), z};
  }

  std::vector<PlanNode> nodes;

 private:
  void add_block(ChunkPlace at, const Block& block) {
    first_[{at.rank, at.device, at.block}] = nodes.size();
    for (; at.chunk < static_cast<int>(block.chunks.size()); ++at.chunk)
      nodes.push_back({NodeKind::chunk, at});
    at.chunk = -1;
    nodes.push_back({NodeKind::store, at});
  }

  static InputError no_such(const ChunkPlace& at) {
    return input_error(
        "plan, control edge",
        fmt::format("rank {} device {} block {} chunk {}", at.rank, at.device, at.block, at.chunk),
        "a place in the plan");
  }

  const Plan& plan_;
  std::map<std::tuple<int, int, int>, std::size_t> first_;
};

struct EdgeList {
  std::vector<Edge> ends;
  std::vector<PlanEdge> kinds;
  void add(std::size_t from, std::size_t to, EdgeKind kind) {
    ends.emplace_back(from, to);
    kinds.push_back({kind});
  }
};

void add_device_edges(const DevicePlan& device, std::size_t first, EdgeList& edges) {
  for (std::size_t b = 0; b < device.blocks.size(); ++b) {
    const std::size_t store = first + device.blocks[b].chunks.size();
    for (std::size_t node = first; node < store; ++node) {
      edges.add(node, store, EdgeKind::data);
      if (node + 1 < store) edges.add(node, node + 1, EdgeKind::control);
    }
    if (b + 1 < device.blocks.size()) edges.add(store, store + 1, EdgeKind::control);
    first = store + 1;
  }
}

/// Which broadcast brings a tile to a rank: (rank, tile) -> node.
using Deliveries = std::map<std::pair<int, TileId>, std::size_t>;

Deliveries add_broadcast_nodes(const Plan& plan, std::vector<PlanNode>& nodes) {
  Deliveries deliveries;
  for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
    const auto& broadcasts = plan.ranks[r].broadcasts;
    for (std::size_t n = 0; n < broadcasts.size(); ++n) {
      for (const int to : broadcasts[n].destinations) {
        for (const TileId a : broadcasts[n].tiles) deliveries[{to, a}] = nodes.size();
      }
      nodes.push_back({NodeKind::broadcast, NodeNumbers::place(r, 0, 0, static_cast<int>(n))});
    }
  }
  return deliveries;
}

void add_delivery_edges(const Plan& plan, const NodeNumbers& numbers, const Deliveries& deliveries,
                        EdgeList& edges) {
  for (std::size_t node = 0; node < numbers.nodes.size(); ++node) {
    const auto& [kind, at] = numbers.nodes[node];
    if (kind != NodeKind::chunk) continue;
    std::vector<std::size_t> sources;
    for (const TileId a : plan.ranks[at.rank].devices[at.device].blocks[at.block].chunks[at.chunk].a) {
      if (const auto found = deliveries.find({at.rank, a}); found != deliveries.end())
        sources.push_back(found->second);
    }
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    for (const std::size_t source : sources) edges.add(source, node, EdgeKind::data);
  }
}

double link_seconds(const LinkModel& link, double bytes) {
  return link.bandwidth_bytes_per_s > 0 ? link.latency_s + bytes / link.bandwidth_bytes_per_s : 0.0;
}

/// Least time of each node on its own. Walks blocks so that each is enumerated once.
class NodeSeconds {
 public:
  NodeSeconds(const Plan& plan, const Contraction& p, const Machine& machine)
      : plan_(plan), p_(p), machine_(machine) {}

  std::vector<double> of(const PlanGraph& graph) {
    std::vector<double> seconds(num_vertices(graph));
    for (std::size_t v = 0; v < seconds.size(); ++v) {
      const PlanNode& node = graph[v];
      switch (node.kind) {
        case NodeKind::broadcast:
          seconds[v] = broadcast(node.place);
          break;
        case NodeKind::chunk:
          seconds[v] = chunk(node.place);
          break;
        case NodeKind::store:
          seconds[v] = store(node.place);
          break;
      }
    }
    return seconds;
  }

 private:
  const Block& block(const ChunkPlace& at) const {
    return plan_.ranks[at.rank].devices[at.device].blocks[at.block];
  }

  double broadcast(const ChunkPlace& at) const {
    const Broadcast& b = plan_.ranks[at.rank].broadcasts[at.chunk];
    double bytes = 0;
    for (const TileId a : b.tiles) bytes += static_cast<double>(p_.a_bytes(a));
    const int hops = std::bit_width(b.destinations.size());
    return hops * link_seconds(machine_.platform.network.message, bytes);
  }

  /// Loads and kernels overlap: the larger of the two.
  double chunk(const ChunkPlace& at) {
    if (at.chunk == 0) products_ = std::make_unique<BlockProducts>(p_, block(at).columns);
    double kernels = 0;
    double bytes = 0;
    for (const TileId a : block(at).chunks[at.chunk].a) {
      bytes += static_cast<double>(p_.a_bytes(a));
      products_->for_each(a, [&](const Product& x) {
        kernels += machine_.platform.device.kernel.seconds(p_.m.size(x.i), p_.n.size(x.j), p_.k.size(x.k));
      });
    }
    const bool copies = machine_.platform.device.kind == DeviceKind::gpu;
    return std::max(kernels, copies ? link_seconds(machine_.platform.links.host_to_device, bytes) : 0.0);
  }

  double store(const ChunkPlace& at) const {
    if (machine_.platform.device.kind != DeviceKind::gpu || block(at).chunks.empty()) return 0;
    double bytes = 0;
    for (std::int32_t slot = 0; slot < products_->c_slots(); ++slot) {
      const TileId c = products_->c_id(slot);
      if (p_.c.row_of(c) % plan_.grid.p == plan_.grid.row(at.rank))
        bytes += static_cast<double>(p_.c_bytes(c));
    }
    return link_seconds(machine_.platform.links.device_to_host, bytes);
  }

  const Plan& plan_;
  const Contraction& p_;
  const Machine& machine_;
  std::unique_ptr<BlockProducts> products_;
};

/// From the last to the first. Throws when there is a cycle.
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

}  // namespace

PlanGraph build_graph(const Plan& plan, bool with_broadcasts) {
  NodeNumbers numbers(plan);
  EdgeList edges;
  std::size_t first = 0;
  for (const RankPlan& rank : plan.ranks) {
    for (const DevicePlan& device : rank.devices) {
      add_device_edges(device, first, edges);
      for (const Block& block : device.blocks) first += block.chunks.size() + 1;
    }
  }
  if (with_broadcasts) {
    std::vector<PlanNode> all = numbers.nodes;
    const Deliveries deliveries = add_broadcast_nodes(plan, all);
    add_delivery_edges(plan, numbers, deliveries, edges);
    numbers.nodes = std::move(all);
  }
  PlanGraph graph(boost::edges_are_unsorted_multi_pass, edges.ends.begin(), edges.ends.end(),
                  edges.kinds.begin(), numbers.nodes.size());
  for (std::size_t v = 0; v < numbers.nodes.size(); ++v) graph[v] = numbers.nodes[v];
  return graph;
}

void require_acyclic(const Plan& plan) {
  reverse_order(build_graph(plan, false));
}

CriticalPath critical_path(const PlanGraph& graph, const Plan& plan, const Contraction& contraction,
                           const Machine& machine) {
  const std::vector<double> own = NodeSeconds(plan, contraction, machine).of(graph);
  std::vector<double> rest(own.size(), 0.0);  // longest time from the start of a node to the end
  std::vector<std::size_t> next(own.size(), own.size());
  for (const std::size_t v : reverse_order(graph)) {
    double longest = 0;
    for (auto [e, end] = out_edges(v, graph); e != end; ++e) {
      const std::size_t to = target(*e, graph);
      if (rest[to] > longest) longest = rest[to], next[v] = to;
    }
    rest[v] = own[v] + longest;
  }
  CriticalPath path;
  if (own.empty()) return path;
  std::size_t v = static_cast<std::size_t>(std::max_element(rest.begin(), rest.end()) - rest.begin());
  path.seconds = rest[v];
  for (; v < own.size(); v = next[v]) path.nodes.push_back(v);
  return path;
}

void write_dot(std::ostream& out, const PlanGraph& graph) {
  const auto node = [&](std::ostream& o, std::size_t v) {
    const auto& [kind, at] = graph[v];
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
    }
  };
  const auto edge = [&](std::ostream& o, const auto& e) {
    if (graph[e].kind == EdgeKind::control) o << "[style=dashed]";
  };
  boost::write_graphviz(out, graph, node, edge);
}

}  // namespace foretile
