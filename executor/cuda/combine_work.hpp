// SPDX-License-Identifier: BSD-3-Clause
// Which thread of which block of the kernel that adds tiles does what. Without anything of CUDA and in C++17,
// so that the kernel has it and a test can play all threads on the CPU.
#pragma once

#include <cstdint>

namespace foretile {

/// A block is kSide x kDown threads. It works on squares of kSide x kSide elements or, where the fastest
/// index stays what it is, on as many elements in a row.
inline constexpr int kSide = 32;
inline constexpr int kDown = 8;
inline constexpr int kEach = kSide / kDown;  ///< elements of one thread
/// A row of `from` shorter than this is less than 32 bytes of single precision, which are read at once
/// anyway: https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/, section "Coalesced Access to Global
/// Memory".
inline constexpr int kLeastTurned = 8;
inline constexpr int kMostWorkIndices = 8;

/// One tile: to = beta to + factor from. Extents and strides are those of TileIndices
/// (executor/tiles/tile_indices.hpp).
struct CombineWork {
  const void* from;
  void* to;
  double beta, factor;
  std::int64_t elements;
  std::int64_t blocks;                    ///< of work; see work_blocks()
  std::int64_t extent[kMostWorkIndices];  ///< of `to`, the fastest first
  std::int64_t stride[kMostWorkIndices];  ///< in `from`
  int count;                              ///< of indices
  int turned;  ///< index of `to` that is the fastest of `from`; 0: elements in a row
};

constexpr std::int64_t squares_along(std::int64_t extent) {
  return (extent + kSide - 1) / kSide;
}

/// All indices but the two of a square are counted through.
constexpr std::int64_t work_blocks(const CombineWork& work) {
  constexpr std::int64_t in_a_row = std::int64_t{kSide} * kSide;
  if (work.turned == 0) return (work.elements + in_a_row - 1) / in_a_row;
  std::int64_t blocks = 1;
  for (int d = 0; d < work.count; ++d)
    blocks *= d == 0 || d == work.turned ? squares_along(work.extent[d]) : work.extent[d];
  return blocks;
}

template <class Integer>
constexpr std::int64_t place_counted_in(const CombineWork& work, Integer element) {
  std::int64_t place = 0;
  for (int d = 0; d + 1 < work.count; ++d) {
    const auto extent = static_cast<Integer>(work.extent[d]);
    const Integer above = element / extent;
    place += static_cast<std::int64_t>(element - above * extent) * work.stride[d];
    element = above;
  }
  return place + static_cast<std::int64_t>(element) * work.stride[work.count - 1];
}

/// Where in `from` an element of `to` comes from. Divisions of 32 bits are several times faster on a GPU, and
/// few tiles need more.
constexpr std::int64_t place_in_from(const CombineWork& work, std::int64_t element) {
  if (work.count == 1) return element;
  if (work.elements <= std::int64_t{UINT32_MAX})
    return place_counted_in<std::uint32_t>(work, static_cast<std::uint32_t>(element));
  return place_counted_in<std::uint64_t>(work, static_cast<std::uint64_t>(element));
}

/// A square that a block turns: `rows` along index 0 of `to`, `columns` along the index that is turned.
struct Square {
  std::int64_t from = 0, to = 0;  ///< of its first element
  std::int64_t from_stride = 0;   ///< from row to row in `from`
  std::int64_t to_stride = 0;     ///< from column to column in `to`
  int rows = 0, columns = 0;
};

constexpr int shorter(std::int64_t extent) {
  return extent < kSide ? static_cast<int>(extent) : kSide;
}

constexpr Square square_of(const CombineWork& work, std::int64_t block) {
  Square square;
  std::int64_t stride = 1;  // in `to`
  for (int d = 0; d < work.count; ++d) {
    const bool in_square = d == 0 || d == work.turned;
    const std::int64_t step = in_square ? kSide : 1;
    const std::int64_t steps = in_square ? squares_along(work.extent[d]) : work.extent[d];
    const std::int64_t at = block % steps * step;
    block /= steps;
    square.from += at * work.stride[d];
    square.to += at * stride;
    if (d == 0) square.rows = shorter(work.extent[d] - at);
    if (d == work.turned) {
      square.columns = shorter(work.extent[d] - at);
      square.to_stride = stride;
    }
    stride *= work.extent[d];
  }
  square.from_stride = work.stride[0];
  return square;
}

/// beta, factor and the three ways to use them. Arithmetic rounds products and sums once each.
template <class Real, class Arithmetic>
struct Combination {
  Real beta, factor;
  bool reads, adds_only;

  constexpr explicit Combination(const CombineWork& work)
      : beta(static_cast<Real>(work.beta)),
        factor(static_cast<Real>(work.factor)),
        reads(beta != Real{0}),
        adds_only(beta == Real{1} && factor == Real{1}) {}

  constexpr Real operator()(Real y, Real x) const {
    if (!reads) return Arithmetic::product(factor, x);
    if (adds_only) return Arithmetic::sum(y, x);
    return Arithmetic::sum(Arithmetic::product(beta, y), Arithmetic::product(factor, x));
  }
};

/// What thread (x, y) does for a block of elements in a row. All is read before anything is written, so that
/// reads need not wait for each other.
template <class Real, class Arithmetic>
constexpr void combine_in_a_row(const CombineWork& work, std::int64_t block, int x, int y) {
  const Combination<Real, Arithmetic> combined(work);
  const auto* const from = static_cast<const Real*>(work.from);
  auto* const to = static_cast<Real*>(work.to);
  const std::int64_t first = (block * kEach * kDown + y) * kSide + x;
  Real added[kEach] = {}, old[kEach] = {};
  for (int e = 0; e < kEach; ++e) {
    const std::int64_t element = first + std::int64_t{e} * kDown * kSide;
    if (element >= work.elements) break;
    added[e] = from[place_in_from(work, element)];
    if (combined.reads) old[e] = to[element];
  }
  for (int e = 0; e < kEach; ++e) {
    const std::int64_t element = first + std::int64_t{e} * kDown * kSide;
    if (element >= work.elements) break;
    to[element] = combined(old[e], added[e]);
  }
}

/// One more column, so that threads that read a column use different banks of the shared memory.
template <class Real>
using SquareMemory = Real[kSide][kSide + 1];

/// First half for thread (x, y): neighbouring threads read neighbours in `from`.
template <class Real>
constexpr void read_square(const CombineWork& work, const Square& square, int x, int y,
                           SquareMemory<Real>& memory) {
  const auto* const from = static_cast<const Real*>(work.from) + square.from;
  if (x >= square.columns) return;
  for (int e = 0; e < kEach; ++e) {
    const int row = y + e * kDown;
    if (row < square.rows) memory[row][x] = from[row * square.from_stride + x];
  }
}

/// Second half, when all threads have done the first one: neighbouring threads write neighbours in `to`.
template <class Real, class Arithmetic>
constexpr void write_square(const CombineWork& work, const Square& square, int x, int y,
                            const SquareMemory<Real>& memory) {
  const Combination<Real, Arithmetic> combined(work);
  auto* const to = static_cast<Real*>(work.to) + square.to + x;
  if (x >= square.rows) return;
  Real old[kEach] = {};
  for (int e = 0; e < kEach; ++e) {
    const int column = y + e * kDown;
    if (combined.reads && column < square.columns) old[e] = to[column * square.to_stride];
  }
  for (int e = 0; e < kEach; ++e) {
    const int column = y + e * kDown;
    if (column < square.columns) to[column * square.to_stride] = combined(old[e], memory[x][column]);
  }
}

/// Arguments of a kernel have at most 4 KB:
/// https://docs.nvidia.com/cuda/cuda-c-programming-guide/, section "Function Parameters" of __global__.
inline constexpr int kMostTilesInLaunch = 20;
struct CombineLaunch {
  CombineWork tiles[kMostTilesInLaunch];
  int count = 0;
};
static_assert(sizeof(CombineLaunch) <= 4096);

}  // namespace foretile
