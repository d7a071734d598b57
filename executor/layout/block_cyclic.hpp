// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The two-dimensional block-cyclic distribution of ScaLAPACK
/// (https://www.netlib.org/scalapack/slug/node75.html, "Array descriptors").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "executor/layout/layout.hpp"

namespace foretile {

/// A P x Q grid of processes, and which rank each is.
struct BlacsGrid {
  int rows = 1,     ///< process rows P
      columns = 1;  ///< process columns Q
  int row = -1,     ///< of this process; -1: it is not in the grid
      column = -1;  ///< the same
  /// (p, q) is ranks[p * columns + q], in the communicator of the multiplication; empty: p * columns + q.
  std::vector<Rank> ranks;

  /// Rank of process (p, q), in the communicator of the multiplication.
  Rank rank_at(int p, int q) const {
    const std::int64_t place = std::int64_t{p} * columns + q;
    return ranks.empty() ? Rank::of(place) : ranks[static_cast<std::size_t>(place)];
  }
  /// Whether the rank is a process of the grid.
  bool has(Rank rank) const {
    if (ranks.empty()) return rank < std::int64_t{rows} * columns;
    return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
  }
};

/// Entries 2 to 8 of a descriptor, counted from 0.
struct BlockCyclicShape {
  std::int64_t rows = 0,       ///< M_
      columns = 0;             ///< N_
  std::int64_t row_block = 1,  ///< MB_
      column_block = 1;        ///< NB_
  int row_source = 0,          ///< RSRC_
      column_source = 0;       ///< CSRC_
  std::int64_t ld = 1;         ///< LLD_, of this process
};

/// Indices of a matrix in another order, as neighbours that keep their order. A product may take the indices
/// that it sums over, the rows of A and C, and the columns of B and C in any order.
class IndexOrder {
 public:
  /// Neighbouring indices [begin, begin + size).
  struct Run {
    std::int64_t begin = 0,  ///< first index
        size = 0;            ///< number of indices
  };
  /// 0, 1, 2, ...
  IndexOrder() = default;
  /// Puts these indices behind those that are there.
  void add(Run run);
  /// Calls visit(run) for what stands at places [begin, begin + size).
  template <class Visit>
  void for_each_run(std::int64_t begin, std::int64_t size, const Visit& visit) const;
  /// Whether the order is 0, 1, 2, ...
  bool natural() const { return runs_.empty(); }
  /// The same text for equal orders.
  std::string text() const;

 private:
  std::vector<Run> runs_;
  std::vector<std::int64_t> places_;  // where each run begins
};

template <class Visit>
void IndexOrder::for_each_run(std::int64_t begin, std::int64_t size, const Visit& visit) const {
  if (natural()) {
    visit(Run{begin, size});
    return;
  }
  const std::int64_t end = begin + size;
  auto run =
      static_cast<std::size_t>(std::upper_bound(places_.begin(), places_.end(), begin) - places_.begin()) - 1;
  for (std::int64_t at = begin; at < end; ++run) {
    const std::int64_t within = at - places_[run];
    const std::int64_t count = std::min(runs_[run].size - within, end - at);
    visit(Run{runs_[run].begin + within, count});
    at += count;
  }
}

/// Block (b, d) is on process ((b + row_source) mod P, (d + column_source) mod Q).
class BlockCyclic final : public Layout {
 public:
  /// The part `of` the matrix, all of it by default, with its rows and columns in other orders. Throws
  /// InputError for impossible numbers.
  BlockCyclic(BlacsGrid grid, const BlockCyclicShape& shape);
  /// The same of the part `of` the matrix, with its rows and columns in these orders.
  BlockCyclic(BlacsGrid grid, const BlockCyclicShape& shape, const MatrixRectangle& of, IndexOrder rows = {},
              IndexOrder columns = {});

  /// The grid of processes.
  const BlacsGrid& grid() const { return grid_; }
  /// Rows of the part, in elements.
  std::int64_t rows() const override { return of_.rows; }
  /// Columns of the part, in elements.
  std::int64_t columns() const override { return of_.columns; }
  void for_each_part(const MatrixRectangle& of,
                     const std::function<void(const MatrixPart&)>& visit) const override;
  std::string text() const override;
  bool is_of(Rank self) const override;

  /// Rows of the whole matrix that process row `p` keeps (ScaLAPACK's NUMROC), and columns of column `q`.
  std::int64_t local_rows(int p) const;
  /// Columns of the whole matrix that process column `q` keeps (ScaLAPACK's NUMROC).
  std::int64_t local_columns(int q) const;
  /// Which process row keeps row `i` of the part, before it was ordered; which column keeps column `j`.
  int process_row(std::int64_t i) const;
  /// Which process column keeps column `j` of the part, before it was ordered.
  int process_column(std::int64_t j) const;

 private:
  BlacsGrid grid_;
  BlockCyclicShape shape_;
  MatrixRectangle of_;
  IndexOrder row_order_, column_order_;
};

/// Rows in p equal blocks one behind the other, and columns in q; the last are smaller, perhaps empty.
/// `ranks` as in BlacsGrid; `ld` as in BlockCyclicShape.
BlockCyclic contiguous(BlacsGrid grid, std::int64_t rows, std::int64_t columns, std::int64_t ld);

}  // namespace foretile
