// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/sum.hpp"

namespace foretile {

Transfer parts_message(const Sum& sum) {
  return {.tiles = sum.tiles,
          .others = {*sum.to},
          .matrix = Matrix::c,
          .kind = TransferKind::parts,
          .tree = Tree::chain};
}

std::vector<std::pair<int, int>> additions(Tree tree, int parts) {
  std::vector<std::pair<int, int>> pairs;
  if (tree == Tree::chain) {
    for (int part = 1; part < parts; ++part) pairs.emplace_back(0, part);
    return pairs;
  }
  for (int apart = 1; apart < parts; apart *= 2) {
    for (int part = 0; part + apart < parts; part += 2 * apart) pairs.emplace_back(part, part + apart);
  }
  return pairs;
}

}  // namespace foretile
