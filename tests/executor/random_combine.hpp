// SPDX-License-Identifier: BSD-3-Clause
// Random additions of tiles, and what they must give, to the last bit.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "executor/cpu/combine.hpp"
#include "executor/gpu/gpu.hpp"

namespace foretile {

template <class Real>
struct RandomCombine {
  std::vector<std::int64_t> extents;
  std::vector<int> permutation;
  double beta = 1, factor = 1;
  std::vector<Real> from, to, expected;

  TileToCombine tile(const std::byte* from_place, std::byte* to_place) const {
    return {extents, permutation, beta, factor, from_place, to_place};
  }
};

template <class Real>
constexpr Precision precision_of() {
  return sizeof(Real) == 8 ? Precision::f64 : Precision::f32;
}

inline std::vector<int> random_permutation(Random& random, std::size_t count) {
  std::vector<int> permutation(count);
  std::iota(permutation.begin(), permutation.end(), 0);
  for (std::size_t d = 1; d < count; ++d)
    std::swap(permutation[d],
              permutation[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(d)))]);
  return permutation;
}

/// Up to 8 extents of which some are 1 and seldom one is 0, with at most `most` elements.
inline std::vector<std::int64_t> random_extents(Random& random, std::int64_t most) {
  std::vector<std::int64_t> extents(static_cast<std::size_t>(random.integer(1, 8)));
  for (std::int64_t& extent : extents) {
    const std::int64_t largest = random.integer(0, 2) == 0 ? 3 : 90;
    extent = random.integer(1, std::min(most, largest));
    most /= extent;
  }
  for (std::size_t d = extents.size(); d > 1; --d)
    std::swap(extents[d - 1],
              extents[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(d) - 1))]);
  if (random.integer(0, 30) == 0) extents.front() = 0;
  return extents;
}

inline double random_scalar(Random& random) {
  constexpr double usual[] = {0, 1, -1};
  const std::int64_t choice = random.integer(0, 4);
  return choice < 3 ? usual[choice] : random.normal();
}

/// What combine_tile() gives is expected. Where `to` is not to be read it is NaN.
template <class Real>
RandomCombine<Real> random_combine(Random& random, std::int64_t most = 20000) {
  RandomCombine<Real> x;
  x.extents = random_extents(random, most);
  if (random.integer(0, 4) > 0) x.permutation = random_permutation(random, x.extents.size());
  x.beta = random_scalar(random);
  x.factor = random_scalar(random);
  const auto size = static_cast<std::size_t>(
      std::accumulate(x.extents.begin(), x.extents.end(), std::int64_t{1}, std::multiplies<>()));
  x.from.resize(size);
  x.to.resize(size);
  for (Real& number : x.from) number = static_cast<Real>(random.normal());
  for (Real& number : x.to)
    number = x.beta == 0 ? std::numeric_limits<Real>::quiet_NaN() : static_cast<Real>(random.normal());
  x.expected = x.to;
  combine_tile({precision_of<Real>()}, x.extents, x.permutation, x.beta, x.factor,
               std::as_bytes(std::span(x.from)).data(), std::as_writable_bytes(std::span(x.expected)).data());
  return x;
}

}  // namespace foretile
