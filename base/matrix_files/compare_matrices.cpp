// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/compare_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/matrix_files/matrix_sums.hpp"
#include "base/matrix_files/tile_cuts.hpp"
#include "base/one_line.hpp"

namespace foretile {

namespace {

using TileSet = std::set<std::pair<std::int64_t, std::int64_t>>;

/// The tiles of so many rows and columns that have stored elements of a sparse matrix.
void add_reached(const MatrixReader& matrix, std::int64_t tile, TileSet& reached) {
  for (const MatrixEntry& entry : matrix.entries()) reached.emplace(entry.row / tile, entry.column / tile);
  const MatrixFacts& facts = matrix.facts();
  const auto rows = cuts_of(facts.row_tiles), columns = cuts_of(facts.column_tiles);
  for (const MatrixTile& stored : facts.tiles) {
    const auto i = static_cast<std::size_t>(stored.row), j = static_cast<std::size_t>(stored.column);
    for (std::int64_t row = rows[i] / tile; row <= (rows[i + 1] - 1) / tile; ++row) {
      for (std::int64_t column = columns[j] / tile; column <= (columns[j + 1] - 1) / tile; ++column)
        reached.emplace(row, column);
    }
  }
}

/// Calls visit(rectangle) for each tile in which one of the matrices may have an element that is not 0.
template <class Visit>
void for_each_tile(const MatrixReader& x, const MatrixReader& y, std::int64_t tile, const Visit& visit) {
  const MatrixFacts& facts = x.facts();
  const auto visit_tile = [&](std::int64_t i, std::int64_t j) {
    visit({i * tile, j * tile, std::min(tile, facts.rows - i * tile),
           std::min(tile, facts.columns - j * tile)});
  };
  if (facts.is_sparse() && y.facts().is_sparse()) {
    TileSet reached;
    add_reached(x, tile, reached);
    add_reached(y, tile, reached);
    for (const auto& [i, j] : reached) visit_tile(i, j);
    return;
  }
  for (std::int64_t i = 0; i * tile < facts.rows; ++i)
    for (std::int64_t j = 0; j * tile < facts.columns; ++j) visit_tile(i, j);
}

class Comparison {
 public:
  Comparison(const MatrixReader& x, const MatrixReader& y, std::size_t most) : x_(x), y_(y), most_(most) {}

  void add(const MatrixRectangle& r) {
    const ElementType type = x_.facts().element;
    const auto bytes = static_cast<std::size_t>(r.rows * r.columns * type.bytes());
    first_.resize(bytes);
    second_.resize(bytes);
    x_.read(r, first_.data(), r.rows);
    y_.read(r, second_.data(), r.rows);
    with_element(type, [&](auto zero) { add_elements<decltype(zero)>(r); });
  }

  MatrixDifference result() {
    found_.norm = static_cast<double>(std::sqrt(squares_));
    found_.reference_norm = reference_.norm();
    found_.relative = found_.norm == 0 ? 0 : found_.norm / found_.reference_norm;
    return std::move(found_);
  }

 private:
  template <class Element>
  void add_elements(const MatrixRectangle& r) {
    const auto* const x = reinterpret_cast<const Element*>(first_.data());
    const auto* const y = reinterpret_cast<const Element*>(second_.data());
    long double squares = 0;
    for (std::int64_t at = 0; at < r.rows * r.columns; ++at) {
      const std::complex<double> value(x[at]), reference(y[at]);
      reference_.add(reference);
      if (value == reference) continue;
      squares += add_difference(value - reference, r.row + at % r.rows, r.column + at / r.rows);
    }
    squares_ += squares;
    if (squares != 0) keep({r, static_cast<double>(std::sqrt(squares))});
  }

  long double add_difference(std::complex<double> difference, std::int64_t row, std::int64_t column) {
    const double size = std::abs(difference);
    if (!std::isfinite(size)) ++found_.not_finite;
    if (std::isfinite(size) && size > found_.largest) {
      found_.largest = size;
      found_.largest_row = row;
      found_.largest_column = column;
    }
    return square_of(difference);
  }

  void keep(const TileDifference& tile) {
    const auto rank = [](double norm) { return std::isnan(norm) ? INFINITY : norm; };
    auto& worst = found_.worst;
    const auto at = std::find_if(worst.begin(), worst.end(), [&](const TileDifference& other) {
      return rank(other.norm) < rank(tile.norm);
    });
    worst.insert(at, tile);
    if (worst.size() > most_) worst.pop_back();
  }

  const MatrixReader& x_;
  const MatrixReader& y_;
  std::size_t most_;
  MatrixDifference found_;
  MatrixSums reference_;
  long double squares_ = 0;
  std::vector<std::byte> first_, second_;
};

void require_comparable(const MatrixPlace& x_name, const MatrixFacts& x, const MatrixPlace& y_name,
                        const MatrixFacts& y) {
  const std::string where = fmt::format("{} and {}", quote(name_of(x_name)), quote(name_of(y_name)));
  if (x.rows != y.rows || x.columns != y.columns)
    throw input_error(where, fmt::format("{} x {} and {} x {}", x.rows, x.columns, y.rows, y.columns),
                      "equal extents");
  if (x.element != y.element)
    throw input_error(where, fmt::format("{} and {} numbers", name_of(x.element), name_of(y.element)),
                      "one type of numbers", "convert one of them, for example with NumPy's astype()");
}

}  // namespace

MatrixDifference compare_matrices(const MatrixPlace& name, const MatrixReader& matrix,
                                  const MatrixPlace& reference_name, const MatrixReader& reference,
                                  std::int64_t tile, std::size_t most) {
  require_comparable(name, matrix.facts(), reference_name, reference.facts());
  Comparison comparison(matrix, reference, most);
  for_each_tile(matrix, reference, tile, [&](const MatrixRectangle& place) { comparison.add(place); });
  return comparison.result();
}

}  // namespace foretile
