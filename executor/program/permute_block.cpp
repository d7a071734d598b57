// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/permute_block.hpp"

#include <array>
#include <cstddef>
#include <span>

#include "executor/cpu/combine.hpp"

namespace foretile {

void PermutedAddition::run() const {
  std::array<int, kMostTensorIndices> permutation{};
  for (std::size_t axis = 0; axis < order.axes; ++axis) permutation.at(axis) = order.from.at(axis);
  combine_tile(ElementType{}, extents, std::span(permutation.data(), order.axes), beta, factor,
               reinterpret_cast<const std::byte*>(from), reinterpret_cast<std::byte*>(to));
}

namespace {

PermutedAddition part_of(const PermutedAddition& whole, std::int64_t begin, std::int64_t end) {
  PermutedAddition part = whole;
  part.extents.back() = end - begin;
  std::int64_t before = begin;
  for (std::size_t axis = 0; axis + 1 < whole.extents.size(); ++axis) before *= whole.extents[axis];
  part.from += before;
  part.to += before;
  return part;
}

}  // namespace

std::vector<std::function<void()>> jobs_of(const PermutedAddition& whole, int parts) {
  if (parts == 1) return {[whole] { whole.run(); }};
  std::vector<std::function<void()>> jobs;
  const std::int64_t slowest = whole.extents.back();
  for (int part = 0; part < parts; ++part) {
    const std::int64_t begin = slowest * part / parts, end = slowest * (part + 1) / parts;
    if (begin < end) jobs.emplace_back([one = part_of(whole, begin, end)] { one.run(); });
  }
  return jobs;
}

std::vector<std::int64_t> permuted(const std::vector<std::int64_t>& from, const AxisOrder& order) {
  std::vector<std::int64_t> extents;
  for (std::size_t axis = 0; axis < order.axes; ++axis) extents.push_back(from[order.from.at(axis)]);
  return extents;
}

}  // namespace foretile
