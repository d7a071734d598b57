#include "planner/verify/owners_table.hpp"

#include "planner/plan/owners.hpp"

namespace foretile {

Owners::Owners(const Plan& plan, const Contraction& contraction) : b_(!plan.operands.b.made()) {
  for (auto& bytes : bytes_) bytes.assign(plan.ranks.size(), 0);
  add(plan, contraction, Matrix::a);
  if (b_) add(plan, contraction, Matrix::b);
}

void Owners::add(const Plan& plan, const Contraction& contraction, Matrix matrix) {
  auto& owner = owner_[static_cast<std::size_t>(matrix)];
  auto& bytes = bytes_[static_cast<std::size_t>(matrix)];
  const TileId tiles = shape_of(contraction, matrix).nonzeros();
  owner.reserve(tiles);
  for (TileId id = 0; id < tiles; ++id) {
    const int rank = owner_of(contraction, plan, {matrix, id});
    owner.push_back(rank);
    bytes[rank] += bytes_of(contraction, {matrix, id});
  }
}

}  // namespace foretile
