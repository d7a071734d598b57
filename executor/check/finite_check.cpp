// SPDX-License-Identifier: BSD-3-Clause
#include "executor/check/finite_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "base/error.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/with_tile.hpp"
#include "planner/plan/owners.hpp"

namespace foretile {

namespace {

bool is_finite(double x) {
  return std::isfinite(x);
}
template <class Real>
bool is_finite(std::complex<Real> x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

bool all_finite(ElementType element, const TileExtents& extents, TileView view) {
  return with_element(element, [&]<class Number>(Number) {
    const auto* const numbers = reinterpret_cast<const Number*>(view.data);
    for (std::int64_t j = 0; j < extents.columns; ++j) {
      const Number* const column = numbers + j * view.ld;
      if (!std::all_of(column, column + extents.rows, [](Number x) { return is_finite(x); })) return false;
    }
    return true;
  });
}

InputError not_finite(const Contraction& p, TileRef tile, Rank rank, std::array<bool, 2> turned_ops) {
  const Shape& shape = shape_of(p, tile.matrix);
  std::pair place(shape.row_of(tile.id), shape.column_of(tile.id));
  if (p.is_transposed) std::swap(place.first, place.second);
  const bool is_a = tile.matrix == (p.is_transposed ? Matrix::b : Matrix::a);
  const char* const name = tile.matrix == Matrix::c ? "C" : is_a ? "A" : "B";
  const Op op = tile.matrix == Matrix::a ? p.a_op : tile.matrix == Matrix::b ? p.b_op : Op::none;
  const bool turned = tile.matrix != Matrix::c && ((op != Op::none) != p.is_transposed) !=
                                                      turned_ops.at(tile.matrix == Matrix::a ? 0 : 1);
  return input_error(fmt::format("tile ({}, {}) of {} on rank {}", place.first, place.second,
                                 turned ? fmt::format("op({})", name) : name, rank),
                     "NaN or infinity", "finite numbers", "correct the matrix, or leave this check out");
}

/// The first one in the order given.
void require_finite(const Contraction& p, const TileStorage& tiles, const std::vector<TileRef>& own,
                    Rank rank, int threads, std::array<bool, 2> turned) {
  std::vector<char> bad(own.size(), 0);
  in_parallel(own.size(), threads, [&](std::size_t t) {
    with_tile(p, tiles, own[t],
              [&](TileView view) { bad[t] = !all_finite(p.element(), extents_of(p, own[t]), view); });
  });
  const auto first = std::ranges::find(bad, 1);
  if (first != bad.end())
    throw not_finite(p, own[static_cast<std::size_t>(first - bad.begin())], rank, turned);
}

}  // namespace

std::vector<TileId> tiles_to_check(const Contraction& p, const PlanFrame& frame, Matrix matrix,
                                   MPI_Comm communicator) {
  const Rank rank = rank_in(communicator);
  const int ranks = size_of(communicator);
  const bool distributed = frame.operands.of(matrix).generated();
  std::vector<TileId> own;
  for (TileId tile = 0; tile < shape_of(p, matrix).nonzeros(); ++tile) {
    const Rank holder =
        distributed ? Rank::of(static_cast<int>(tile % ranks)) : owner_of(p, frame, {matrix, tile});
    if (holder == rank) own.push_back(tile);
  }
  return own;
}

void require_finite(const Contraction& p, const PlanFrame& frame, const std::vector<TileId>& own_c,
                    const TileStorage& tiles, MPI_Comm communicator, int threads,
                    std::array<bool, 2> turned) {
  agree(communicator, [&] {
    std::vector<TileRef> own;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (const TileId tile : tiles_to_check(p, frame, matrix, communicator)) own.emplace_back(matrix, tile);
    }
    if (p.reads_c()) {
      for (const TileId tile : own_c) own.emplace_back(Matrix::c, tile);
    }
    require_finite(p, tiles, own, rank_in(communicator), threads, turned);
  });
}

}  // namespace foretile
