#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "planner/plan/graph/parts.hpp"
#include "planner/plan/graph/resource_bounds.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

namespace {

double link_seconds(const LinkModel& link, double bytes) {
  return link.latency_s + (link.bandwidth_bytes_per_s > 0 ? bytes / link.bandwidth_bytes_per_s : 0.0);
}

/// Least times of a node.
struct NodeTime {
  double own = 0;   ///< chunks: all products; stores: the last tile
  double last = 0;  ///< chunks: the shortest product, which may be all that is left when a message arrives
  double head = 0;  ///< first chunk of a device: until its first tiles are there
};

/// Walks blocks so that each is enumerated once.
class NodeTimes {
 public:
  NodeTimes(const Plan& plan, const Contraction& p, const Machine& machine, const CountFunction& progress)
      : plan_(plan),
        p_(p),
        machine_(machine),
        progress_(progress),
        gpu_(machine.platform.device.kind == DeviceKind::gpu) {}

  std::int64_t products_seen() const { return products_seen_; }

  std::vector<NodeTime> of(const PlanGraph& graph) {
    std::vector<NodeTime> times(num_vertices(graph));
    for (std::size_t v = 0; v < times.size(); ++v) {
      if (graph[v].kind == NodeKind::chunk) times[v] = chunk(graph[v].place);
      if (graph[v].kind == NodeKind::store) times[v].own = store(graph[v].place);
    }
    return times;
  }

 private:
  NodeTime chunk(const ChunkPlace& at) {
    const Block& block = block_at(plan_, at);
    if (at.chunk == 0) products_.emplace(p_, block.columns), last_c_.reset();
    NodeTime time;
    std::int64_t count = 0;
    for_each_product(*products_, block.chunks[at.chunk], [&](const Product& x) {
      const double work =
          least_work_seconds(plan_, p_, machine_, p_.m.size(x.i), p_.n.size(x.j), p_.k.size(x.k));
      if (count == 0 && at.block == 0 && at.chunk == 0) time.head = head(x);
      time.last = count == 0 ? work : std::min(time.last, work);
      time.own += work;
      last_c_ = x.c;
      ++count;
    });
    products_seen_ += count;
    if (progress_) progress_(products_seen_);
    time.own += least_launch_seconds(plan_, p_, machine_, count);
    if (count > 0) time.last += least_launch_seconds(plan_, p_, machine_, 1);
    return time;
  }

  /// Until A and B of a device's first product are there.
  double head(const Product& x) const {
    const Platform& p = machine_.platform;
    const auto b_bytes = static_cast<double>(p_.b_bytes(x.b));
    if (!plan_.operands.b.made()) return gpu_ ? 2 * p.runtime.copy_overhead_s : 0.0;
    if (makes_on_device(machine_)) return b_bytes / p.generation_bytes_per_s_on_device;
    const double made_s = b_bytes / p.generation_bytes_per_s_per_core;
    if (!gpu_) return made_s;
    return made_s + p.runtime.copy_overhead_s + link_seconds(p.links.host_to_device, b_bytes);
  }

  /// The tile of C that the block's last product adds to leaves behind it.
  double store(const ChunkPlace& at) const {
    if (block_at(plan_, at).chunks.empty() || !last_c_) return 0;
    const Platform& p = machine_.platform;
    const double software_s = p.runtime.copy_overhead_s;
    if (!gpu_) return software_s;
    return software_s + link_seconds(p.links.device_to_host, static_cast<double>(p_.c_bytes(*last_c_)));
  }

  const Plan& plan_;
  const Contraction& p_;
  const Machine& machine_;
  const CountFunction& progress_;
  bool gpu_;
  std::int64_t products_seen_ = 0;
  std::optional<BlockProducts> products_;  // of the block at hand
  std::optional<TileId> last_c_;           // of its last product
};

/// Least time from the start of a broadcast until a rank's device has one of its tiles.
class Arrival {
 public:
  Arrival(const Plan& plan, const Contraction& p, const Machine& machine)
      : plan_(plan), p_(p), machine_(machine) {}

  double seconds(const ChunkPlace& broadcast, Rank rank) const {
    const Transfer& b = plan_.ranks[broadcast.rank].transfers[broadcast.chunk];
    const auto found = std::find(b.others.begin(), b.others.end(), rank);
    const auto rank_at = [&](int position) {
      return position == 0 ? broadcast.rank : b.others[position - 1];
    };
    double bytes = 0;
    for (const TileId id : b.tiles) bytes += static_cast<double>(bytes_of(p_, {b.matrix, id}));
    const Platform& p = machine_.platform;
    double seconds = 0;
    for (int at = static_cast<int>(found - b.others.begin()) + 1; at > 0;) {
      const int from = tree_parent(b.tree, at);
      const bool near = machine_.node_of(rank_at(from)) == machine_.node_of(rank_at(at));
      seconds += link_seconds(near ? p.links.message : p.network.message, bytes) +
                 2 * p.runtime.message_overhead_s * static_cast<double>(b.tiles.size());
      at = from;
    }
    // What streams again for each block may still be on the device.
    const bool copied = p.device.kind == DeviceKind::gpu && !plan_.operands.b.streams();
    return seconds + (copied ? p.runtime.copy_overhead_s : 0.0);
  }

 private:
  const Plan& plan_;
  const Contraction& p_;
  const Machine& machine_;
};

}  // namespace

CriticalPath critical_path(const PlanGraph& graph, const Plan& plan, const Contraction& contraction,
                           const Machine& machine, const CountFunction& progress) {
  NodeTimes node_times(plan, contraction, machine, progress);
  const std::vector<NodeTime> times = node_times.of(graph);
  const Arrival arrival(plan, contraction, machine);
  std::vector<double> rest(times.size(), 0.0);  // longest time from the start of a node to the end
  std::vector<std::size_t> next(times.size(), times.size());
  for (const std::size_t v : reverse_order(graph)) {
    double longest = 0;
    for (auto [e, end] = out_edges(v, graph); e != end; ++e) {
      const std::size_t to = target(*e, graph);
      double seconds = rest[to];
      if (graph[v].kind == NodeKind::broadcast)
        seconds += arrival.seconds(graph[v].place, graph[to].place.rank) + times[to].last - times[to].own;
      if (seconds > longest) longest = seconds, next[v] = to;
    }
    // The next block may start while C of this one is stored.
    rest[v] = graph[v].kind == NodeKind::store ? std::max(times[v].own, longest) : times[v].own + longest;
    if (graph[v].kind == NodeKind::store && times[v].own >= longest) next[v] = times.size();
  }
  CriticalPath path;
  if (times.empty()) return path;
  std::size_t first = 0;
  for (std::size_t v = 0; v < times.size(); ++v) {
    if (times[v].head + rest[v] > times[first].head + rest[first]) first = v;
  }
  path.seconds = times[first].head + rest[first];
  path.bound = "chain of products and messages";
  const ResourceBound resource = largest_resource_bound(
      plan, contraction, machine,
      progress ? [&](std::int64_t products) { progress(node_times.products_seen() + products); }
               : CountFunction());
  if (resource.seconds > path.seconds) return {resource.seconds, {}, resource.resource};
  for (std::size_t v = first; v < times.size(); v = next[v]) path.nodes.push_back(v);
  return path;
}

}  // namespace foretile
