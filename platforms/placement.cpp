// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr const char* kKey = "platform.fabric.placement";

int in_parts(int all, int of_part) {
  return of_part > 0 ? std::max(1, (all + of_part - 1) / of_part) : 1;
}

int leaves_of_group(const Platform& p) {
  const Fabric& f = p.fabric;
  return in_parts(f.group_nodes > 0 ? f.group_nodes : p.nodes, f.leaf_nodes);
}

NodePlace place(const Platform& p, int group, int leaf_in_group) {
  return {group, group * leaves_of_group(p) + leaf_in_group};
}

/// Leaf of the n-th node of a group, filled leaf by leaf.
int filled_leaf(const Fabric& f, int number) {
  return f.leaf_nodes > 0 ? number / f.leaf_nodes : 0;
}

NodePlace packed(const Platform& p, int node) {
  const int of_group = p.fabric.group_nodes > 0 ? p.fabric.group_nodes : p.nodes;
  return place(p, node / of_group, filled_leaf(p.fabric, node % of_group));
}

NodePlace scattered(const Platform& p, int node) {
  const int groups = groups_of(p);
  return place(p, node % groups, node / groups % leaves_of_group(p));
}

struct Listed {
  int group = 0;
  std::optional<int> leaf;
};

[[noreturn]] void refuse(std::string_view word) {
  throw input_error(kKey, fmt::format("\"{}\"", word), "\"packed\", \"scattered\", or the group of each node",
                    "such as \"0 0 1 1\", or \"0/3 0/3\" with the leaf in the group");
}

int number_in(std::string_view text, std::string_view word) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) refuse(word);
  return value;
}

std::vector<Listed> listed(std::string_view text) {
  std::vector<Listed> found;
  for (std::size_t begin = text.find_first_not_of(' '); begin != std::string_view::npos;
       begin = text.find_first_not_of(' ', begin)) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const std::size_t slash = word.find('/');
    Listed one{number_in(word.substr(0, slash), word), {}};
    if (slash != std::string_view::npos) one.leaf = number_in(word.substr(slash + 1), word);
    found.push_back(one);
    begin = end;
  }
  if (found.empty()) refuse(text);
  return found;
}

void check_list(const Platform& p, const std::vector<Listed>& list, int nodes) {
  if (std::ssize(list) < nodes)
    throw input_error(kKey, fmt::format("places of {} nodes", list.size()), fmt::format("those of {}", nodes),
                      "list one for each node of the job");
  const Fabric& f = p.fabric;
  std::map<int, int> in_group;
  std::map<std::pair<int, int>, int> at_leaf;
  for (const Listed& node : list) {
    if (node.group >= groups_of(p) || node.leaf.value_or(0) >= leaves_of_group(p))
      throw input_error(
          kKey, node.leaf ? fmt::format("{}/{}", node.group, *node.leaf) : fmt::format("{}", node.group),
          fmt::format("groups 0 to {} with leaves 0 to {}", groups_of(p) - 1, leaves_of_group(p) - 1),
          "the platform's fabric.group_nodes and fabric.leaf_nodes say so");
    if (f.group_nodes > 0 && ++in_group[node.group] > f.group_nodes)
      throw input_error(kKey, fmt::format("more than {} nodes in group {}", f.group_nodes, node.group),
                        fmt::format("at most {}, fabric.group_nodes", f.group_nodes));
    if (node.leaf && f.leaf_nodes > 0 && ++at_leaf[{node.group, *node.leaf}] > f.leaf_nodes)
      throw input_error(kKey,
                        fmt::format("more than {} nodes at leaf {}/{}", f.leaf_nodes, node.group, *node.leaf),
                        fmt::format("at most {}, fabric.leaf_nodes", f.leaf_nodes));
  }
}

std::vector<NodePlace> from_list(const Platform& p, int nodes) {
  const std::vector<Listed> list = listed(p.fabric.placement);
  check_list(p, list, nodes);
  std::map<int, int> in_group;
  std::vector<NodePlace> places;
  for (int node = 0; node < nodes; ++node) {
    const auto& [group, leaf] = list[static_cast<std::size_t>(node)];
    places.push_back(place(p, group, leaf.value_or(filled_leaf(p.fabric, in_group[group]++))));
  }
  return places;
}

}  // namespace

int groups_of(const Platform& p) {
  return in_parts(p.nodes, p.fabric.group_nodes);
}

std::vector<NodePlace> node_places(const Platform& p, int nodes) {
  const bool is_packed = p.fabric.placement == "packed";
  if (!is_packed && p.fabric.placement != "scattered") return from_list(p, nodes);
  std::vector<NodePlace> places;
  places.reserve(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) places.push_back(is_packed ? packed(p, node) : scattered(p, node));
  return places;
}

int switches_between(const Fabric& fabric, const NodePlace& from, const NodePlace& to) {
  const bool dragonfly = fabric.type == "dragonfly";
  if (from.leaf == to.leaf) return 1;
  if (from.group == to.group) return dragonfly ? 2 : 3;
  return fabric.type == "fat-tree" ? 5 : 4;
}

double bytes_per_s_between_groups(const Platform& p) {
  const int groups = groups_of(p);
  const double detours = p.fabric.adaptive ? std::max(0.0, (groups - 2) / 2.0) : 0;
  return p.fabric.pair_bytes_per_s * (1 + detours);
}

}  // namespace foretile
