// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/permute_block.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace foretile {

void PermutedAddition::run(TileShare part) const {
  std::array<int, kMostTensorIndices> permutation{};
  for (std::size_t axis = 0; axis < order.axes; ++axis) permutation.at(axis) = order.from.at(axis);
  combine_tile(ElementType{}, extents, std::span(permutation.data(), order.axes), beta, factor,
               reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to), part);
}

std::vector<std::function<void()>> jobs_of(const PermutedAddition& whole, int parts) {
  std::vector<std::function<void()>> jobs;
  for (int part = 0; part < parts; ++part)
    jobs.emplace_back([whole, one = TileShare{part, parts}] { whole.run(one); });
  return jobs;
}

std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& from, const AxisOrder& order) {
  std::vector<std::int64_t> extents;
  for (std::size_t axis = 0; axis < order.axes; ++axis) extents.push_back(from[order.from.at(axis)]);
  return extents;
}

}  // namespace foretile
