#include "planner/plan/transfer.hpp"

#include <bit>

namespace foretile {

std::vector<int> tree_children(Tree tree, int position, int size) {
  if (tree == Tree::chain) return position + 1 < size ? std::vector{position + 1} : std::vector<int>{};
  std::vector<int> children;
  for (int bit = static_cast<int>(std::bit_ceil(static_cast<unsigned>(position) + 1)); position + bit < size;
       bit *= 2) {
    children.push_back(position + bit);
  }
  return children;
}

int tree_parent(Tree tree, int position) {
  if (tree == Tree::chain) return position - 1;
  return position & ~static_cast<int>(std::bit_floor(static_cast<unsigned>(position)));
}

}  // namespace foretile
