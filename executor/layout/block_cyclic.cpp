// SPDX-License-Identifier: BSD-3-Clause
#include "executor/layout/block_cyclic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/element_type.hpp"
#include "base/error.hpp"
#include "base/quantity.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

/// One dimension: which process keeps an index, and where.
struct AxisDistribution {
  std::int64_t block;
  int processes, source;

  /// Indices on process `p` before index `end`.
  std::int64_t count(int p, std::int64_t end) const {
    const std::int64_t round = block * processes;
    const std::int64_t rest = end % round - block * ((p - source + processes) % processes);
    return end / round * block + std::clamp<std::int64_t>(rest, 0, block);
  }
  int process(std::int64_t index) const { return static_cast<int>((index / block + source) % processes); }
};

/// Neighbouring indices on one process.
struct Segment {
  std::int64_t begin, size;  // counted from the start of the part of the matrix
  int process;
  std::int64_t local;
};

/// Joins neighbours in the matrix that are neighbours in memory.
void add_segment(std::vector<Segment>& list, const Segment& next) {
  if (!list.empty() && list.back().process == next.process &&
      list.back().local + list.back().size == next.local) {
    list.back().size += next.size;
  } else {
    list.push_back(next);
  }
}

std::vector<Segment> segments(const AxisDistribution& axis, std::int64_t offset, const IndexOrder& order,
                              std::int64_t begin, std::int64_t size) {
  std::vector<Segment> list;
  std::int64_t place = begin;
  order.for_each_run(begin, size, [&](const IndexOrder::Run& run) {
    const std::int64_t end = offset + run.begin + run.size;
    for (std::int64_t at = offset + run.begin; at < end;) {
      const std::int64_t stop = std::min(end, (at / axis.block + 1) * axis.block);
      const int process = axis.process(at);
      add_segment(list, {place, stop - at, process, axis.count(process, at)});
      place += stop - at;
      at = stop;
    }
  });
  return list;
}

void require(bool right, const char* what, const std::string& found, const std::string& expected) {
  if (!right) throw input_error(fmt::format("block-cyclic matrix: {}", what), found, expected);
}

bool distinct(std::vector<Rank> ranks) {
  std::sort(ranks.begin(), ranks.end());
  return std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end();
}

void check(const BlacsGrid& grid, const BlockCyclicShape& shape, const MatrixRectangle& of) {
  require(grid.rows > 0 && grid.columns > 0, "grid", fmt::format("{} x {}", grid.rows, grid.columns),
          "at least one row and one column");
  require(std::int64_t{grid.rows} * grid.columns <= std::numeric_limits<int>::max(), "grid",
          fmt::format("{} x {} places", grid.rows, grid.columns), "at most one for each rank");
  require(grid.ranks.empty() || std::ssize(grid.ranks) == std::int64_t{grid.rows} * grid.columns, "grid",
          fmt::format("{} ranks for {} x {}", grid.ranks.size(), grid.rows, grid.columns),
          "one for each place");
  constexpr std::int64_t kLargest = ElementType{Precision::f64, true}.bytes();
  require(shape.rows >= 0 && shape.columns >= 0, "extents", fmt::format("{} x {}", shape.rows, shape.columns),
          "0 or more");
  require(shape.rows <= max_extent && shape.columns <= max_extent, "extents",
          fmt::format("{} x {}", shape.rows, shape.columns), fmt::format("at most {}", max_extent));
  require(shape.columns == 0 || shape.rows <= max_matrix_bytes / kLargest / shape.columns, "extents",
          fmt::format("{} x {}", shape.rows, shape.columns),
          fmt::format("at most {}", spelled_bytes(max_matrix_bytes)));
  require(distinct(grid.ranks), "grid", "a rank in two places", "each rank once");
  require(shape.row_block > 0 && shape.column_block > 0, "blocks",
          fmt::format("{} x {}", shape.row_block, shape.column_block), "at least 1 x 1");
  require(shape.row_source >= 0 && shape.row_source < grid.rows && shape.column_source >= 0 &&
              shape.column_source < grid.columns,
          "first process", fmt::format("({}, {})", shape.row_source, shape.column_source),
          "a place in the grid");
  require(of.row >= 0 && of.column >= 0 && of.rows >= 0 && of.columns >= 0 &&
              of.row <= shape.rows - of.rows && of.column <= shape.columns - of.columns,
          "part", fmt::format("{} x {} elements from ({}, {})", of.rows, of.columns, of.row, of.column),
          "a part of the matrix");
}

}  // namespace

void IndexOrder::add(Run run) {
  if (run.size <= 0) return;
  places_.push_back(runs_.empty() ? 0 : places_.back() + runs_.back().size);
  runs_.push_back(run);
}

std::string IndexOrder::text() const {
  std::string text = ";";
  for (const Run& run : runs_) text += fmt::format("{}+{},", run.begin, run.size);
  return text;
}

BlockCyclic::BlockCyclic(BlacsGrid grid, const BlockCyclicShape& shape)
    : BlockCyclic(std::move(grid), shape, {0, 0, shape.rows, shape.columns}) {}

BlockCyclic::BlockCyclic(BlacsGrid grid, const BlockCyclicShape& shape, const MatrixRectangle& of,
                         IndexOrder rows, IndexOrder columns)
    : grid_(std::move(grid)),
      shape_(shape),
      of_(of),
      row_order_(std::move(rows)),
      column_order_(std::move(columns)) {
  check(grid_, shape_, of_);
  // A larger block holds the same; products of block and grid stay below 2^63.
  shape_.row_block = std::min(shape_.row_block, std::max<std::int64_t>(1, shape_.rows));
  shape_.column_block = std::min(shape_.column_block, std::max<std::int64_t>(1, shape_.columns));
  const std::int64_t largest_ld =
      kMostElements / std::max<std::int64_t>(1, local_columns(shape_.column_source));
  if (grid_.row < 0) {
    shape_.ld = std::clamp<std::int64_t>(shape_.ld, 1, largest_ld);  // never used
    return;
  }
  const std::int64_t least = std::max<std::int64_t>(1, local_rows(grid_.row));
  if (shape_.ld < least)
    throw input_error("block-cyclic matrix: leading dimension", fmt::to_string(shape_.ld),
                      fmt::format("at least {}, the rows of this process", least));
  if (shape_.ld > largest_ld)
    throw input_error("block-cyclic matrix: leading dimension", fmt::to_string(shape_.ld),
                      fmt::format("at most {}, for places below 2^63 bytes", largest_ld));
}

bool BlockCyclic::is_of(Rank self) const {
  return grid_.row < 0 ? !grid_.has(self) : grid_.rank_at(grid_.row, grid_.column) == self;
}

std::int64_t BlockCyclic::local_rows(int p) const {
  return AxisDistribution{shape_.row_block, grid_.rows, shape_.row_source}.count(p, shape_.rows);
}

std::int64_t BlockCyclic::local_columns(int q) const {
  return AxisDistribution{shape_.column_block, grid_.columns, shape_.column_source}.count(q, shape_.columns);
}

int BlockCyclic::process_row(std::int64_t i) const {
  return AxisDistribution{shape_.row_block, grid_.rows, shape_.row_source}.process(of_.row + i);
}

int BlockCyclic::process_column(std::int64_t j) const {
  return AxisDistribution{shape_.column_block, grid_.columns, shape_.column_source}.process(of_.column + j);
}

void BlockCyclic::for_each_part(const MatrixRectangle& of,
                                const std::function<void(const MatrixPart&)>& visit) const {
  const std::vector<Segment> rows =
      segments({shape_.row_block, grid_.rows, shape_.row_source}, of_.row, row_order_, of.row, of.rows);
  for (const Segment& column : segments({shape_.column_block, grid_.columns, shape_.column_source},
                                        of_.column, column_order_, of.column, of.columns)) {
    for (const Segment& row : rows) {
      visit({{row.begin, column.begin, row.size, column.size},
             grid_.rank_at(row.process, column.process),
             row.local + column.local * shape_.ld,
             shape_.ld});
    }
  }
}

std::string BlockCyclic::text() const {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {}", grid_.rows, grid_.columns,
                     fmt::join(grid_.ranks, ","), shape_.rows, shape_.columns, shape_.row_block,
                     shape_.column_block, shape_.row_source, shape_.column_source, shape_.ld, of_.row,
                     of_.column, of_.rows, of_.columns) +
         row_order_.text() + column_order_.text();
}

BlockCyclic contiguous(BlacsGrid grid, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  const auto share = [](std::int64_t extent, int processes) {
    return std::max<std::int64_t>(1, (extent + processes - 1) / processes);
  };
  const BlockCyclicShape shape{
      rows, columns, share(rows, std::max(1, grid.rows)), share(columns, std::max(1, grid.columns)), 0,
      0,    ld};
  return {std::move(grid), shape};
}

}  // namespace foretile
