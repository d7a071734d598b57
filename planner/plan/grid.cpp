// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/grid.hpp"

#include <fmt/format.h>

namespace foretile {

namespace {

/// In natural order.
int number_of(const AlongAxes& at, const AlongAxes& size) {
  return (at[Axis::r] * size[Axis::p] + at[Axis::p]) * size[Axis::q] + at[Axis::q];
}

AlongAxes place_of(int number, const AlongAxes& size) {
  return {{number / size[Axis::q] % size[Axis::p], number % size[Axis::q],
           number / (size[Axis::p] * size[Axis::q])}};
}

/// Of the grid in bricks.
AlongAxes bricks(const ProcessGrid& grid) {
  AlongAxes bricks;
  for (const Axis axis : kAxes) bricks[axis] = grid.ranks_along(axis) / (*grid.node)[axis];
  return bricks;
}

void add_prime_factors(int number, std::vector<int>& factors) {
  for (int factor = 2; number > 1; ++factor) {
    for (; number % factor == 0; number /= factor) factors.push_back(factor);
  }
}

}  // namespace

std::vector<int> ProcessGrid::ring_from(Axis axis, int first) const {
  const int of_node = node ? (*node)[axis] : 1;
  std::vector<int> digits;  // how many values each has, the lowest first
  add_prime_factors(of_node, digits);
  add_prime_factors(ranks_along(axis) / of_node, digits);
  std::vector<int> order;
  for (int turn = 0; turn < ranks_along(axis); ++turn) {
    int position = 0;
    int worth = 1;
    for (const int values : digits) {
      position += worth * ((first / worth + turn / worth) % values);
      worth *= values;
    }
    order.push_back(position);
  }
  return order;
}

Rank ProcessGrid::moved(Rank from, Axis axis, int position) const {
  AlongAxes place{{row(from), column(from), layer(from)}};
  place[axis] = position;
  return rank(place[Axis::p], place[Axis::q], place[Axis::r]);
}

AlongAxes ProcessGrid::place_in_nodes(Rank rank) const {
  const int ranks = node->product();
  const AlongAxes brick = place_of(rank / ranks, bricks(*this));
  AlongAxes place = place_of(rank % ranks, *node);
  for (const Axis axis : kAxes) place[axis] += brick[axis] * (*node)[axis];
  return place;
}

int ProcessGrid::rank_in_nodes(const AlongAxes& place) const {
  AlongAxes brick, inside;
  for (const Axis axis : kAxes) {
    brick[axis] = place[axis] / (*node)[axis];
    inside[axis] = place[axis] % (*node)[axis];
  }
  return number_of(brick, bricks(*this)) * node->product() + number_of(inside, *node);
}

std::string grid_text(const ProcessGrid& grid) {
  return grid.r == 1 ? fmt::format("{} x {}", grid.p, grid.q)
                     : fmt::format("{} x {} x {}", grid.p, grid.q, grid.r);
}

std::string idle_ranks_text(int idle) {
  if (idle <= 0) return {};
  return idle == 1 ? "1 rank has no work" : fmt::format("{} ranks have no work", idle);
}

}  // namespace foretile
