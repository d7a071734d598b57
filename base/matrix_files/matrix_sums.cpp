// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_sums.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/matrix_files/tile_cuts.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kPanelElements = std::int64_t{1} << 20;

/// Rectangles of at most `most` elements, along the direction in which the file is contiguous.
std::vector<MatrixRectangle> panels(const MatrixRectangle& r, bool by_rows) {
  std::vector<MatrixRectangle> all;
  const std::int64_t length = std::clamp<std::int64_t>(by_rows ? r.columns : r.rows, 1, kPanelElements);
  const std::int64_t count = std::max<std::int64_t>(1, kPanelElements / length);
  const std::int64_t rows = by_rows ? count : length, columns = by_rows ? length : count;
  for (std::int64_t j = 0; j < r.columns; j += columns) {
    for (std::int64_t i = 0; i < r.rows; i += rows)
      all.push_back({r.row + i, r.column + j, std::min(rows, r.rows - i), std::min(columns, r.columns - j)});
  }
  return all;
}

MatrixSums sums_of_panel(const MatrixReader& matrix, const MatrixRectangle& r,
                         std::vector<std::byte>& space) {
  const ElementType type = matrix.facts().element;
  space.resize(static_cast<std::size_t>(r.rows * r.columns * type.bytes()));
  matrix.read(r, space.data(), r.rows);
  MatrixSums sums;
  with_element(type, [&](auto zero) {
    const auto* const at = reinterpret_cast<const decltype(zero)*>(space.data());
    for (std::int64_t i = 0; i < r.rows * r.columns; ++i) sums.add(std::complex<double>(at[i]));
  });
  return sums;
}

MatrixSums sums_of_tiles(const MatrixReader& matrix) {
  const MatrixFacts& facts = matrix.facts();
  const auto rows = cuts_of(facts.row_tiles), columns = cuts_of(facts.column_tiles);
  MatrixSums sums;
  for (const auto& tile : facts.tiles) {
    const auto i = static_cast<std::size_t>(tile.row), j = static_cast<std::size_t>(tile.column);
    sums.add(sums_of_rectangle(matrix, {rows[i], columns[j], facts.row_tiles[i], facts.column_tiles[j]}));
  }
  return sums;
}

}  // namespace

void MatrixSums::add(std::complex<double> x) {
  squares += square_of(x);
  nonzeros += x != 0.0;
  if (std::isfinite(x.real()) && std::isfinite(x.imag())) {
    largest = std::max(largest, std::abs(x));
  } else {
    ++not_finite;
  }
}

void MatrixSums::add(const MatrixSums& other) {
  squares += other.squares;
  nonzeros += other.nonzeros;
  not_finite += other.not_finite;
  largest = std::max(largest, other.largest);
}

double MatrixSums::norm() const {
  return static_cast<double>(std::sqrt(squares));
}

MatrixSums sums_of_rectangle(const MatrixReader& matrix, const MatrixRectangle& rectangle) {
  const MatrixLayout layout = matrix.facts().layout;
  std::vector<std::byte> space;
  MatrixSums sums;
  for (const MatrixRectangle& panel :
       panels(rectangle, layout == MatrixLayout::row_major || layout == MatrixLayout::chunked))
    sums.add(sums_of_panel(matrix, panel, space));
  return sums;
}

MatrixSums sums_of(const MatrixReader& matrix) {
  const MatrixFacts& facts = matrix.facts();
  if (facts.layout == MatrixLayout::block_sparse) return sums_of_tiles(matrix);
  if (facts.layout != MatrixLayout::coordinates)
    return sums_of_rectangle(matrix, {0, 0, facts.rows, facts.columns});
  MatrixSums sums;
  for (const MatrixEntry& entry : matrix.entries()) sums.add(entry.value);
  return sums;
}

}  // namespace foretile
