#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "planner/graph/parts.hpp"
#include "planner/products.hpp"

namespace foretile {

namespace {

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
        case NodeKind::local_barrier:
        case NodeKind::global_barrier:
          break;  // news takes no time
      }
    }
    return seconds;
  }

 private:
  double broadcast(const ChunkPlace& at) const {
    const Broadcast& b = plan_.ranks[at.rank].broadcasts[at.chunk];
    double bytes = 0;
    for (const TileId id : b.tiles) bytes += static_cast<double>(bytes_of(p_, {b.matrix, id}));
    const int hops = std::bit_width(b.destinations.size());
    return hops * link_seconds(machine_.platform.network.message, bytes);
  }

  void open(const Block& block) {
    products_.emplace(p_, block.columns);
    b_seen_.assign(products_->b_slots(), -1);
    c_seen_.assign(products_->c_slots(), 0);
    c_bytes_ = 0;
  }

  /// Loads and kernels overlap: the larger of the two. Initial C comes with the first chunk that adds to it.
  double chunk(const ChunkPlace& at) {
    const Block& block = block_at(plan_, at);
    if (at.chunk == 0) open(block);
    double kernels = 0;
    std::int64_t bytes = 0;
    std::vector<ProductSize> launch;
    const auto end_launch = [&] {
      if (!launch.empty()) kernels += machine_.platform.device.launch_seconds(p_.precision, launch);
      launch.clear();
    };
    for (const TileId a : block.chunks[at.chunk].a) {
      bytes += p_.a_bytes(a);
      products_->for_each(a, [&](const Product& x) {
        launch.push_back({p_.m.size(x.i), p_.n.size(x.j), p_.k.size(x.k)});
        if (std::ssize(launch) == plan_.batch) end_launch();
        bytes += use(x, at.chunk);
      });
    }
    end_launch();
    const bool copies = machine_.platform.device.kind == DeviceKind::gpu;
    return std::max(
        kernels,
        copies ? link_seconds(machine_.platform.links.host_to_device, static_cast<double>(bytes)) : 0.0);
  }

  /// Bytes to load for the product beside its tile of A: a streamed tile of B that the chunk has not used
  /// yet, initial C that the block has not used yet.
  std::int64_t use(const Product& x, int chunk) {
    std::int64_t bytes = 0;
    if (!c_seen_[x.c_slot]) {
      c_seen_[x.c_slot] = 1;
      c_bytes_ += p_.c_bytes(x.c);
      if (p_.accumulate) bytes += p_.c_bytes(x.c);
    }
    if (plan_.b_tiles == BTiles::stream && b_seen_[x.b_slot] != chunk) {
      b_seen_[x.b_slot] = chunk;
      bytes += p_.b_bytes(x.b);
    }
    return bytes;
  }

  /// Follows the block's chunks.
  double store(const ChunkPlace& at) const {
    if (machine_.platform.device.kind != DeviceKind::gpu || block_at(plan_, at).chunks.empty()) return 0;
    return link_seconds(machine_.platform.links.device_to_host, static_cast<double>(c_bytes_));
  }

  const Plan& plan_;
  const Contraction& p_;
  const Machine& machine_;
  std::optional<BlockProducts> products_;  // of the block at hand
  std::vector<int> b_seen_;                // last chunk of the block that used the tile
  std::vector<char> c_seen_;
  std::int64_t c_bytes_ = 0;  // of the C tiles seen
};

}  // namespace

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

}  // namespace foretile
