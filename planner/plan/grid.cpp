#include "planner/plan/grid.hpp"

#include <fmt/format.h>

namespace foretile {

namespace {

using Three = std::array<int, 3>;  // row, column, layer

/// In natural order.
int number_of(const Three& at, const Three& size) {
  return (at[2] * size[0] + at[0]) * size[1] + at[1];
}

Three place_of(int number, const Three& size) {
  return {number / size[1] % size[0], number % size[1], number / (size[0] * size[1])};
}

int product(const Three& size) {
  return size[0] * size[1] * size[2];
}

/// Of the grid in bricks.
Three bricks(const ProcessGrid& grid) {
  const NodeShape& node = *grid.node;
  return {grid.p / node[0], grid.q / node[1], grid.r / node[2]};
}

}  // namespace

std::array<int, 3> ProcessGrid::place_in_nodes(int rank) const {
  const int ranks = product(*node);
  const Three brick = place_of(rank / ranks, bricks(*this));
  Three place = place_of(rank % ranks, *node);
  for (std::size_t axis = 0; axis < 3; ++axis) place[axis] += brick[axis] * (*node)[axis];
  return place;
}

int ProcessGrid::rank_in_nodes(std::array<int, 3> place) const {
  Three brick{}, inside{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    brick[axis] = place[axis] / (*node)[axis];
    inside[axis] = place[axis] % (*node)[axis];
  }
  return number_of(brick, bricks(*this)) * product(*node) + number_of(inside, *node);
}

std::string idle_ranks_text(int idle) {
  if (idle <= 0) return {};
  return idle == 1 ? "1 rank has no work" : fmt::format("{} ranks have no work", idle);
}

}  // namespace foretile
