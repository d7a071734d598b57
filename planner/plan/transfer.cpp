// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/transfer.hpp"

#include <algorithm>
#include <bit>

namespace foretile {

namespace {

std::vector<int> binomial_children(int position, int size) {
  std::vector<int> children;
  for (int bit = static_cast<int>(std::bit_ceil(static_cast<unsigned>(position) + 1)); position + bit < size;
       bit *= 2) {
    children.push_back(position + bit);
  }
  return children;
}

int binomial_parent(int position) {
  return position & ~static_cast<int>(std::bit_floor(static_cast<unsigned>(position)));
}

/// Of nodes: by Tree::scatter, from the first to the second and from there by a binomial tree.
std::vector<int> node_children(Tree tree, int node, int nodes) {
  if (tree == Tree::by_node) return binomial_children(node, nodes);
  if (node == 0) return nodes > 1 ? std::vector{1} : std::vector<int>{};
  std::vector<int> children = binomial_children(node - 1, nodes - 1);
  for (int& child : children) ++child;
  return children;
}

int node_parent(Tree tree, int node) {
  if (tree == Tree::by_node) return binomial_parent(node);
  return node == 1 ? 0 : 1 + binomial_parent(node - 1);
}

}  // namespace

std::vector<int> tree_children(Tree tree, int position, int size) {
  if (tree == Tree::chain) return position + 1 < size ? std::vector{position + 1} : std::vector<int>{};
  return binomial_children(position, size);
}

int tree_parent(Tree tree, int position) {
  return tree == Tree::chain ? position - 1 : binomial_parent(position);
}

std::vector<int> children_by_node(Tree tree, std::span<const int> starts, int position, int size) {
  const auto next = std::ranges::upper_bound(starts, position);
  const int end = next == starts.end() ? size : *next;
  const int start = *(next - 1);
  std::vector<int> children;
  if (position == start) {
    const auto node = static_cast<int>(next - starts.begin()) - 1;
    for (const int child : node_children(tree, node, static_cast<int>(starts.size())))
      children.push_back(starts[static_cast<std::size_t>(child)]);
  }
  for (const int child : binomial_children(position - start, end - start)) children.push_back(start + child);
  return children;
}

int parent_by_node(Tree tree, std::span<const int> starts, int position) {
  const auto next = std::ranges::upper_bound(starts, position);
  const int start = *(next - 1);
  if (position > start) return start + binomial_parent(position - start);
  const auto node = static_cast<int>(next - starts.begin()) - 1;
  return starts[static_cast<std::size_t>(node_parent(tree, node))];
}

std::vector<int> node_starts(std::span<const Rank> ranks, int ranks_of_node) {
  std::vector<int> starts;
  for (std::size_t position = 0; position < ranks.size(); ++position) {
    if (position == 0 || ranks[position] / ranks_of_node != ranks[position - 1] / ranks_of_node)
      starts.push_back(static_cast<int>(position));
  }
  return starts;
}

bool order_by_node(Transfer& transfer, Rank owner, std::size_t turn) {
  const int of_node = transfer.ranks_of_node;
  const auto far = std::stable_partition(transfer.others.begin(), transfer.others.end(),
                                         [&](Rank rank) { return rank / of_node == owner / of_node; });
  if (transfer.tree != Tree::scatter || far == transfer.others.end()) return false;
  const std::vector<int> nodes = node_starts({far, transfer.others.end()}, of_node);
  std::rotate(far, far + nodes[turn % nodes.size()], transfer.others.end());
  return true;
}

std::vector<int> children_of(const Transfer& transfer, Rank owner, int position) {
  const int size = static_cast<int>(transfer.others.size()) + 1;
  if (!knows_nodes(transfer.tree)) return tree_children(transfer.tree, position, size);
  std::vector<Rank> ranks{owner};
  ranks.insert(ranks.end(), transfer.others.begin(), transfer.others.end());
  return children_by_node(transfer.tree, node_starts(ranks, transfer.ranks_of_node), position, size);
}

}  // namespace foretile
