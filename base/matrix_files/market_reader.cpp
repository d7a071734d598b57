// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/market_reader.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/input_file.hpp"
#include "base/matrix_files/matrix_market.hpp"

namespace foretile {

namespace {

MatrixFacts facts_of(const MarketMatrix& matrix, const std::string& source) {
  const ElementType element{Precision::f64, matrix.is_complex};
  if (matrix.is_array)
    return dense_facts(source, matrix.rows, matrix.columns, element, MatrixLayout::column_major);
  MatrixFacts facts;
  facts.rows = matrix.rows;
  facts.columns = matrix.columns;
  facts.element = element;
  facts.layout = MatrixLayout::coordinates;
  facts.stored = std::ssize(matrix.entries);
  return facts;
}

void store(const MatrixEntry& entry, bool is_complex, std::byte* to) {
  if (is_complex) {
    std::memcpy(to, &entry.value, sizeof entry.value);
  } else {
    const double real = entry.value.real();
    std::memcpy(to, &real, sizeof real);
  }
}

class MarketReader final : public MatrixReader {
 public:
  MarketReader(std::unique_ptr<InputFile> file, MarketMatrix matrix)
      : MatrixReader(facts_of(matrix, file->path())), file_(std::move(file)), matrix_(std::move(matrix)) {}

  const InputFile& file() const override { return *file_; }
  std::span<const MatrixEntry> entries() const override {
    if (matrix_.is_array) return {};
    return matrix_.entries;
  }

 private:
  void read_inside(const MatrixRectangle& r, std::byte* to, std::int64_t ld) const override {
    const std::int64_t bytes = facts().element.bytes();
    for (std::int64_t j = 0; j < r.columns; ++j) {
      std::byte* column = to + j * ld * bytes;
      std::memset(column, 0, static_cast<std::size_t>(r.rows * bytes));
      for (auto at = first(r.column + j, r.row); at != matrix_.entries.end(); ++at) {
        if (at->column != r.column + j || at->row >= r.row + r.rows) break;
        store(*at, matrix_.is_complex, column + (at->row - r.row) * bytes);
      }
    }
  }

  /// The first entry at this place or behind it.
  std::vector<MatrixEntry>::const_iterator first(std::int64_t column, std::int64_t row) const {
    return std::lower_bound(
        matrix_.entries.begin(), matrix_.entries.end(), std::tuple(column, row),
        [](const MatrixEntry& entry, const std::tuple<std::int64_t, std::int64_t>& place) {
          return std::tuple(entry.column, entry.row) < place;
        });
  }

  std::int64_t content_bytes() const override { return file_->bytes(); }
  void read_content(std::int64_t begin, std::span<std::byte> to) const override {
    file_->read(begin, std::ssize(to), to.data());
  }

  std::unique_ptr<InputFile> file_;
  MarketMatrix matrix_;
};

}  // namespace

std::unique_ptr<MatrixReader> open_matrix_market(const MatrixPlace& place) {
  auto file = std::make_unique<InputFile>(place.file.string());
  std::string text(static_cast<std::size_t>(file->bytes()), '\0');
  file->read(0, file->bytes(), reinterpret_cast<std::byte*>(text.data()));
  MarketMatrix matrix = parse_matrix_market(text, file->path());
  return std::make_unique<MarketReader>(std::move(file), std::move(matrix));
}

}  // namespace foretile
