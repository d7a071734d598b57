// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/node_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

using Kind = NodePart::Kind;

/// Nothing of a node is larger; more would make shortest ways slow.
constexpr int kMostParts = 256;

int gpus_of(const Platform& p) {
  return p.has_device_memory() ? p.devices_per_node() : 0;
}

struct NumberedKind {
  std::string_view word;
  Kind kind;
  int count;
};

std::vector<NumberedKind> numbered_kinds(const Platform& p) {
  return {{"host", Kind::host, p.sockets},
          {"gpu", Kind::device, gpus_of(p)},
          {"card", Kind::card, p.network.cards.count}};
}

/// One side of an item: parts of a range, or one part.
class SideReader {
 public:
  SideReader(const Platform& platform, std::vector<std::string>& hubs, const std::string& where)
      : kinds_(numbered_kinds(platform)), hubs_(hubs), where_(where) {}

  std::vector<NodePart> read(std::string_view side) const {
    for (const NumberedKind& kind : kinds_) {
      if (!side.starts_with(kind.word)) continue;
      const auto numbers = numbers_of(side.substr(kind.word.size()));
      if (numbers) return parts(kind, *numbers, side);
    }
    return {hub(side)};
  }

  [[noreturn]] void refuse(std::string_view found) const {
    throw input_error(where_, fmt::format("\"{}\"", found),
                      "pairs of parts such as \"gpu0-gpu1 host0-gpu0..3 gpu0..3-switch\"",
                      "parts are hostN, gpuN, cardN, or the name of a switch");
  }

 private:
  using Numbers = std::pair<int, int>;  // first and last

  static std::optional<int> number_of(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc{} && end == text.data() + text.size() && value >= 0;
    return whole ? std::optional(value) : std::nullopt;
  }

  static std::optional<Numbers> numbers_of(std::string_view text) {
    const auto dots = text.find("..");
    const auto first = number_of(text.substr(0, dots));
    if (!first || dots == std::string_view::npos)
      return first ? std::optional(Numbers{*first, *first}) : std::nullopt;
    const auto last = number_of(text.substr(dots + 2));
    return last ? std::optional(Numbers{*first, *last}) : std::nullopt;
  }

  std::vector<NodePart> parts(const NumberedKind& kind, Numbers numbers, std::string_view side) const {
    const auto [first, last] = numbers;
    if (first > last) refuse(side);
    if (last >= kind.count) {
      const std::string known = kind.count == 0   ? fmt::format("no {}", kind.word)
                                : kind.count == 1 ? fmt::format("{}0 alone", kind.word)
                                                  : fmt::format("{0}0 to {0}{1}", kind.word, kind.count - 1);
      throw input_error(where_, fmt::format("{}{}", kind.word, last),
                        fmt::format("a part of the node, which has {}", known),
                        kind.kind == Kind::card
                            ? "network.cards says how many there are"
                            : "sockets_per_node and socket.devices say how many there are");
    }
    std::vector<NodePart> found;
    for (int number = first; number <= last; ++number) found.push_back({kind.kind, number});
    return found;
  }

  NodePart hub(std::string_view name) const {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
    if (name.empty() || !letter(name.front()) || !std::ranges::all_of(name, inner)) refuse(name);
    const auto known = std::ranges::find(hubs_, name);
    const auto number = static_cast<int>(known - hubs_.begin());
    if (known == hubs_.end()) hubs_.emplace_back(name);
    return {Kind::hub, number};
  }

  std::vector<NumberedKind> kinds_;
  std::vector<std::string>& hubs_;
  const std::string& where_;
};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t\n";
  for (std::size_t begin = text.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = text.find_first_not_of(kBlanks, begin)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

void add_item(std::vector<PartPair>& pairs, std::string_view item, const SideReader& reader) {
  const auto dash = item.find('-');
  const std::vector<NodePart> first = reader.read(item.substr(0, dash));
  if (dash == std::string_view::npos) {
    if (first.size() < 2) reader.refuse(item);
    for (std::size_t i = 0; i < first.size(); ++i)
      for (std::size_t j = i + 1; j < first.size(); ++j) pairs.push_back({first[i], first[j]});
    return;
  }
  const std::vector<NodePart> second = reader.read(item.substr(dash + 1));
  const std::size_t longer = std::max(first.size(), second.size());
  if (longer % first.size() != 0 || longer % second.size() != 0) reader.refuse(item);
  for (std::size_t i = 0; i < longer; ++i) {
    const PartPair pair{first[i * first.size() / longer], second[i * second.size() / longer]};
    if (pair.first == pair.second) reader.refuse(item);
    pairs.push_back(pair);
  }
}

}  // namespace

std::vector<PartPair> parse_between(std::string_view between, const Platform& platform,
                                    std::vector<std::string>& hubs, const std::string& where) {
  std::vector<PartPair> pairs;
  const SideReader reader(platform, hubs, where);
  for (const std::string_view item : words_of(between)) add_item(pairs, item, reader);
  if (pairs.empty()) reader.refuse(between);
  return pairs;
}

// ---- the graph ----

namespace {

/// Of all tables; hubs get their numbers in the order of the text.
std::vector<std::vector<PartPair>> all_pairs(const Platform& p, std::vector<std::string>& hubs) {
  std::vector<std::vector<PartPair>> pairs;
  for (const LinkTable& table : p.links.tables)
    pairs.push_back(parse_between(table.between, p, hubs, fmt::format("link.{}.between", table.name)));
  return pairs;
}

}  // namespace

NodeGraph::NodeGraph(const Platform& p, int least_devices)
    : hosts_(p.sockets),
      devices_(p.has_device_memory() ? std::max(gpus_of(p), least_devices) : 0),
      cards_(p.network.cards.count) {
  std::vector<std::string> hubs;
  const auto pairs = all_pairs(p, hubs);
  hubs_ = static_cast<int>(hubs.size());
  const int vertices = hosts_ + devices_ + cards_ + hubs_;
  hops_.resize(static_cast<std::size_t>(vertices));
  const double per_host = p.links.socket_host_to_device_bytes_per_s;
  for (int host = 0; host < hosts_; ++host) {
    for (const double capacity : {p.memory_bandwidth_bytes_per_s, per_host, per_host}) shared(capacity);
  }
  for (std::size_t t = 0; t < pairs.size(); ++t) add_table(p.links.tables[t], pairs[t]);
  if (pairs.empty() && devices_ > 0) add_uniform_tables(p);
}

/// Each GPU has a link to its socket and one to each other GPU of it; sockets are joined by buses.
void NodeGraph::add_uniform_tables(const Platform& p) {
  const NodeLinks& l = p.links;
  const auto table = [](const LinkModel& there, const LinkModel& back, double both = 0) {
    return LinkTable{.bytes_per_s = there.bandwidth_bytes_per_s,
                     .back_bytes_per_s = back.bandwidth_bytes_per_s,
                     .both_bytes_per_s = both};
  };
  std::vector<PartPair> host, peer, bus;
  for (int d = 0; d < devices_; ++d) {
    const int socket = std::min(d / p.devices_per_socket, p.sockets - 1);
    host.push_back({{Kind::host, socket}, {Kind::device, d}});
    for (int other = socket * p.devices_per_socket; other < d; ++other)
      peer.push_back({{Kind::device, other}, {Kind::device, d}});
  }
  for (int s = 0; s < hosts_; ++s)
    for (int other = 0; other < s; ++other) bus.push_back({{Kind::host, other}, {Kind::host, s}});
  LinkTable buses = table(l.cross_socket, l.cross_socket);
  buses.latency_s = l.cross_socket.latency_s;
  add_table(table(l.host_to_device, l.device_to_host, l.both_ways_bytes_per_s), host);
  add_table(table(l.peer, l.peer), peer);
  add_table(buses, bus);
}

NodeGraph::Shared NodeGraph::shared(double bytes_per_s) {
  capacities_.push_back(bytes_per_s);
  return static_cast<Shared>(capacities_.size() - 1);
}

void NodeGraph::add_table(const LinkTable& table, const std::vector<PartPair>& pairs) {
  const int number = static_cast<int>(tables_.size());
  tables_.push_back({.all = shared(table.all_bytes_per_s),
                     .all_back = shared(table.all_back_bytes_per_s),
                     .all_both = shared(table.all_both_bytes_per_s),
                     .latency_s = table.latency_s});
  for (const PartPair& pair : pairs) {
    const int id = static_cast<int>(links_.size());
    const int from = vertex(pair.first), to = vertex(pair.second);
    links_.push_back({.from = from,
                      .to = to,
                      .table = number,
                      .forward = shared(table.bytes_per_s),
                      .back = shared(table.back_bytes_per_s),
                      .both = shared(table.both_bytes_per_s)});
    hops_[static_cast<std::size_t>(from)].push_back({id, false});
    hops_[static_cast<std::size_t>(to)].push_back({id, true});
  }
}

int NodeGraph::vertex(NodePart part) const {
  switch (part.kind) {
    case Kind::host:
      return part.number;
    case Kind::device:
      return hosts_ + part.number;
    case Kind::card:
      return hosts_ + devices_ + part.number;
    case Kind::hub:
      break;
  }
  return hosts_ + devices_ + cards_ + part.number;
}

NodePart NodeGraph::part(int vertex) const {
  if (vertex < hosts_) return {Kind::host, vertex};
  vertex -= hosts_;
  if (vertex < devices_) return {Kind::device, vertex};
  vertex -= devices_;
  if (vertex < cards_) return {Kind::card, vertex};
  return {Kind::hub, vertex - cards_};
}

namespace {

double smaller(double x, double y) {
  return x <= 0 ? y : y <= 0 ? x : std::min(x, y);
}

}  // namespace

/// Of a link alone; infinite where nothing limits it.
double NodeGraph::width(const Hop& hop) const {
  const Link& link = links_[static_cast<std::size_t>(hop.link)];
  const double one = capacities_[static_cast<std::size_t>(hop.back ? link.back : link.forward)];
  const double both = capacities_[static_cast<std::size_t>(link.both)];
  const double width = smaller(one, both);
  return width > 0 ? width : std::numeric_limits<double>::infinity();
}

/// Dijkstra's algorithm; of equal ways the widest, then that of lower numbers.
std::vector<NodeGraph::Hop> NodeGraph::shortest(int from, int to) const {
  struct Reached {
    double cost;
    double width;
    int vertex;
    bool operator<(const Reached& other) const {  // for a queue that gives the largest first
      return std::tuple(-cost, width, -vertex) < std::tuple(-other.cost, other.width, -other.vertex);
    }
  };
  struct State {
    double cost = std::numeric_limits<double>::infinity();
    double width = 0;
    Hop by = {};
    int before = -1;
    bool over = false;
  };
  std::vector<State> states(hops_.size());
  std::priority_queue<Reached> queue;
  states[static_cast<std::size_t>(from)] = {.cost = 0, .width = std::numeric_limits<double>::infinity()};
  queue.push({0, states[static_cast<std::size_t>(from)].width, from});
  while (!queue.empty()) {
    const Reached here = queue.top();
    queue.pop();
    State& state = states[static_cast<std::size_t>(here.vertex)];
    if (std::exchange(state.over, true)) continue;
    if (here.vertex == to) break;
    const Kind kind = part(here.vertex).kind;
    if (kind == Kind::card && here.vertex != from) continue;
    const double step = kind == Kind::device && here.vertex != from ? 1.5 : 1;
    for (const Hop& hop : hops_[static_cast<std::size_t>(here.vertex)]) {
      const Link& link = links_[static_cast<std::size_t>(hop.link)];
      const int next = hop.back ? link.from : link.to;
      State& there = states[static_cast<std::size_t>(next)];
      const double cost = state.cost + step, wide = std::min(state.width, width(hop));
      if (there.over || std::tuple(cost, -wide) >= std::tuple(there.cost, -there.width)) continue;
      there.cost = cost;
      there.width = wide;
      there.by = hop;
      there.before = here.vertex;
      queue.push({cost, wide, next});
    }
  }
  std::vector<Hop> way;
  for (int at = to; at != from && states[static_cast<std::size_t>(at)].before >= 0;
       at = states[static_cast<std::size_t>(at)].before)
    way.push_back(states[static_cast<std::size_t>(at)].by);
  std::ranges::reverse(way);
  return way;
}

void NodeGraph::pass(Path& path, Shared shared) const {
  const double capacity = capacities_[static_cast<std::size_t>(shared)];
  if (capacity <= 0) return;
  path.shared.push_back(shared);
  path.bytes_per_s = smaller(path.bytes_per_s, capacity);
}

void NodeGraph::add_hop(Path& path, const Hop& hop) const {
  const Link& link = links_[static_cast<std::size_t>(hop.link)];
  const OfTable& table = tables_[static_cast<std::size_t>(link.table)];
  const int from = hop.back ? link.to : link.from, to = hop.back ? link.from : link.to;
  path.latency_s += table.latency_s;
  if (part(from).kind == Kind::card || part(to).kind == Kind::card) return;
  if (from < hosts_ && to >= hosts_) pass(path, first_host_ + 3 * from + 1);
  for (const Shared each : {link.both, hop.back ? link.back : link.forward, table.all_both,
                            hop.back ? table.all_back : table.all})
    pass(path, each);
  if (to < hosts_ && from >= hosts_) pass(path, first_host_ + 3 * to + 2);
}

NodeGraph::Path NodeGraph::make_path(int from, int to) const {
  Path path;
  const std::vector<Hop> way = shortest(from, to);
  path.found = from == to || !way.empty();
  path.links = static_cast<int>(way.size());
  if (from < hosts_ && from != to) pass(path, first_host_ + 3 * from);
  for (std::size_t h = 0; h < way.size(); ++h) {
    const Link& link = links_[static_cast<std::size_t>(way[h].link)];
    add_hop(path, way[h]);
    path.by_host |= h + 1 < way.size() && (way[h].back ? link.from : link.to) < hosts_;
  }
  if (to < hosts_ && from != to) pass(path, first_host_ + 3 * to);
  return path;
}

const NodeGraph::Path& NodeGraph::many_paths(int from, int to) const {
  const auto [entry, is_new] = paths_.try_emplace({from, to});
  if (is_new) entry->second = make_path(from, to);
  return entry->second;
}

const NodeGraph::Path& NodeGraph::path(NodePart from, NodePart to) const {
  const int first = vertex(from), last = vertex(to);
  const auto vertices = static_cast<std::int64_t>(hops_.size());
  if (vertices > kMostParts) return many_paths(first, last);
  if (few_paths_.empty()) few_paths_.resize(static_cast<std::size_t>(vertices * vertices));
  std::optional<Path>& path = few_paths_[static_cast<std::size_t>(first * vertices + last)];
  if (!path) path = make_path(first, last);
  return *path;
}

double NodeGraph::into_device(int device) const {
  double sum = 0;
  for (const Hop& out : hops_[static_cast<std::size_t>(vertex({Kind::device, device}))]) {
    const double in = width({out.link, !out.back});
    if (in == std::numeric_limits<double>::infinity()) return 0;
    sum += in;
  }
  return sum;
}

// ---- what follows from tables ----

namespace {

/// Best of all pairs; latencies of links add to those of copies.
void take_better(LinkModel& best, const NodeGraph::Path& path) {
  if (path.found) best.bandwidth_bytes_per_s = std::max(best.bandwidth_bytes_per_s, path.bytes_per_s);
}

}  // namespace

void summarize_links(Platform& p) {
  NodeLinks& l = p.links;
  const int gpus = gpus_of(p);
  if (l.tables.empty() || gpus == 0) return;
  const NodeGraph graph(p);
  l.host_to_device.bandwidth_bytes_per_s = l.device_to_host.bandwidth_bytes_per_s = 0;
  l.peer.bandwidth_bytes_per_s = 0;
  for (int d = 0; d < gpus; ++d) {
    const NodePart device{Kind::device, d}, host{Kind::host, d / p.devices_per_socket};
    take_better(l.host_to_device, graph.path(host, device));
    take_better(l.device_to_host, graph.path(device, host));
    for (int other = 0; other < gpus; ++other) {
      if (other != d) take_better(l.peer, graph.path(device, {Kind::device, other}));
    }
  }
  l.cross_socket = {0, l.peer.bandwidth_bytes_per_s};
}

namespace {

using Where = std::function<std::string(std::string_view)>;

/// A switch that only one link names is a misspelt part.
void check_hubs(const Platform& p, const Where& where) {
  std::vector<std::string> hubs;
  std::vector<int> uses;
  std::vector<std::size_t> of_table;
  for (std::size_t t = 0; t < p.links.tables.size(); ++t) {
    const std::string key = fmt::format("link.{}.between", p.links.tables[t].name);
    for (const PartPair& pair : parse_between(p.links.tables[t].between, p, hubs, where(key))) {
      uses.resize(hubs.size(), 0);
      of_table.resize(hubs.size(), t);
      for (const NodePart& part : {pair.first, pair.second})
        if (part.kind == Kind::hub) ++uses[static_cast<std::size_t>(part.number)];
    }
    if (static_cast<int>(hubs.size()) + p.sockets + gpus_of(p) + p.network.cards.count > kMostParts)
      throw input_error(where(key), fmt::format("{} switches", hubs.size()),
                        fmt::format("at most {} parts of a node", kMostParts));
  }
  for (std::size_t hub = 0; hub < hubs.size(); ++hub) {
    if (uses[hub] > 1) continue;
    throw input_error(where(fmt::format("link.{}.between", p.links.tables[of_table[hub]].name)),
                      fmt::format("\"{}\" in one link only", hubs[hub]),
                      "hostN, gpuN, cardN, or a switch that two links name");
  }
}

void require_way(const NodeGraph& graph, NodePart from, NodePart to, const std::string& what,
                 const Where& where) {
  if (graph.path(from, to).found) return;
  throw input_error(where("link"), what, "links that lead to it",
                    "name it in the `between` of a [link.NAME]");
}

/// What simulations keep of a copy, and of a message with its way at either end
/// (simulator/machine_links.hpp).
constexpr std::size_t kMostShared = 24, kMostSharedToCard = 7;

void check_length(const NodeGraph& graph, NodePart from, NodePart to, const Where& where) {
  const std::size_t most = to.kind == Kind::card ? kMostSharedToCard : kMostShared;
  const std::size_t found = std::max(graph.path(from, to).shared.size(), graph.path(to, from).shared.size());
  if (found <= most) return;
  throw input_error(where("link"), fmt::format("a way that {} limits share", found),
                    fmt::format("at most {} to a {}", most, to.kind == Kind::card ? "card" : "GPU"),
                    "join the parts by fewer links, or leave out some both_ and all_ bandwidths");
}

void check_lengths(const Platform& p, const NodeGraph& graph, const Where& where) {
  std::vector<NodePart> memories;
  for (int host = 0; host < p.sockets; ++host) memories.push_back({Kind::host, host});
  for (int device = 0; device < gpus_of(p); ++device) memories.push_back({Kind::device, device});
  for (const NodePart& from : memories) {
    for (const NodePart& to : memories) check_length(graph, from, to, where);
    for (int card = 0; card < p.network.cards.count; ++card)
      check_length(graph, from, {Kind::card, card}, where);
  }
}

/// A device's own host is the nearest, or no path from a nearer one is wider.
void check_order_of_hosts(const Platform& p, const NodeGraph& graph, const Where& where) {
  for (int d = 0; d < gpus_of(p); ++d) {
    const int own = d / p.devices_per_socket;
    for (int host = 0; host < p.sockets; ++host) {
      const auto size = [&](int h) { return graph.path({Kind::host, h}, {Kind::device, d}).links; };
      if (size(host) >= size(own)) continue;
      throw input_error(where("link"), fmt::format("gpu{} nearer to host{} than to host{}", d, host, own),
                        "hosts numbered in the order of their GPUs",
                        fmt::format("gpu{} belongs to host{}, as each has {}", d, own, p.devices_per_socket));
    }
  }
}

}  // namespace

void check_links(const Platform& p, const Where& where) {
  if (p.links.tables.empty()) {
    if (p.network.cards.count > 0)
      throw input_error(where("network.cards"), fmt::format("{} cards", p.network.cards.count),
                        "a [link.NAME] that says where they are attached",
                        "add one such as between = \"card0..3-gpu0..3\", or leave `cards` out");
    return;
  }
  check_hubs(p, where);
  const NodeGraph graph(p);
  for (int d = 0; d < gpus_of(p); ++d) {
    const NodePart host{Kind::host, d / p.devices_per_socket}, device{Kind::device, d};
    require_way(graph, host, device, fmt::format("gpu{} without a way to host{}", d, host.number), where);
    require_way(graph, {Kind::device, 0}, device, fmt::format("gpu{} without a way to gpu0", d), where);
  }
  for (int c = 0; c < p.network.cards.count; ++c)
    require_way(graph, {Kind::host, 0}, {Kind::card, c}, fmt::format("card{} without a way to host0", c),
                where);
  for (int h = 1; h < p.sockets && gpus_of(p) > 0; ++h)
    require_way(graph, {Kind::host, 0}, {Kind::host, h}, fmt::format("host{} without a way to host0", h),
                where);
  check_order_of_hosts(p, graph, where);
  check_lengths(p, graph, where);
}

}  // namespace foretile
