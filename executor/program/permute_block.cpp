// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/permute_block.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "executor/cpu/combine.hpp"

namespace foretile {

void add_permuted(const std::vector<std::int64_t>& extents, const AxisOrder& order, double beta,
                  double factor, const double* from, double* to) {
  std::array<int, kMostTensorIndices> permutation{};
  for (std::size_t axis = 0; axis < order.axes; ++axis) permutation.at(axis) = order.from.at(axis);
  combine_tile(ElementType{}, extents, std::span(permutation.data(), order.axes), beta, factor,
               reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to));
}

std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& from, const AxisOrder& order) {
  std::vector<std::int64_t> extents;
  for (std::size_t axis = 0; axis < order.axes; ++axis) extents.push_back(from[order.from.at(axis)]);
  return extents;
}

}  // namespace foretile
