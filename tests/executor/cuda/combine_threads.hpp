// SPDX-License-Identifier: BSD-3-Clause
// The threads of the kernel that adds tiles, played one after the other.
#pragma once

#include <algorithm>

#include "executor/cuda/combine_work.hpp"

namespace foretile {

/// Compiled without fused multiply-adds (CMakeLists.txt).
struct PlainArithmetic {
  template <class Real>
  static constexpr Real product(Real a, Real b) {
    return a * b;
  }
  template <class Real>
  static constexpr Real sum(Real a, Real b) {
    return a + b;
  }
};

template <class Visit>
void for_each_thread(const Visit& visit) {
  for (int y = 0; y < kDown; ++y) {
    for (int x = 0; x < kSide; ++x) visit(x, y);
  }
}

/// As the kernel in executor/cuda/kernels.cu.
template <class Real>
void play_threads(const CombineWork& work) {
  for (std::int64_t block = 0; block < work.blocks; ++block) {
    if (work.turned == 0) {
      for_each_thread([&](int x, int y) { combine_in_a_row<Real, PlainArithmetic>(work, block, x, y); });
      continue;
    }
    const Square square = square_of(work, block);
    SquareMemory<Real> memory;
    for_each_thread([&](int x, int y) { read_square<Real>(work, square, x, y, memory); });
    for_each_thread([&](int x, int y) { write_square<Real, PlainArithmetic>(work, square, x, y, memory); });
  }
}

}  // namespace foretile
