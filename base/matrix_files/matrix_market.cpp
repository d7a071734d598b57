// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/words.hpp"

namespace foretile {

namespace {

enum class Symmetry : std::uint8_t { general, symmetric, skew, hermitian };

struct Line {
  std::string_view text;
  std::int64_t number = 0;
  const std::string& source;

  std::string where() const { return fmt::format("{}:{}", source, number); }
};

struct Header {
  bool is_array = false;
  bool is_complex = false;
  std::size_t values = 0;  ///< numbers of an element
  Symmetry symmetry = Symmetry::general;
};

std::string lower(std::string_view word) {
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

/// The lines with content one by one, comments left out but for the header.
class LineReader {
 public:
  LineReader(std::string_view text, const std::string& source) : rest_(text), source_(source) {}

  /// False after the last one.
  bool next() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      const bool comment = line_.starts_with('%') && number_ > 1;
      if (!comment && line_.find_first_not_of(" \t\r") != std::string_view::npos) return true;
    }
    return false;
  }

  Line line() const { return {line_, number_, source_}; }

 private:
  std::string_view rest_, line_;
  std::int64_t number_ = 0;
  const std::string& source_;
};

[[noreturn]] void refuse_header(const Line& line) {
  throw input_error(
      line.where(), fmt::format("'{}'", line.text.substr(0, 80)),
      "\"%%MatrixMarket matrix FORMAT FIELD SYMMETRY\"",
      "FORMAT is coordinate or array, FIELD real, integer, complex or pattern, SYMMETRY general, symmetric, "
      "skew-symmetric or hermitian");
}

/// Combinations that the format has: mm_is_valid() in https://math.nist.gov/MatrixMarket/mmio/c/mmio.c.
bool is_valid(const Header& header) {
  const bool pattern = header.values == 0;
  if (header.symmetry == Symmetry::hermitian) return header.is_complex;
  return !pattern || (!header.is_array && header.symmetry != Symmetry::skew);
}

Header header_of(const Line& line) {
  std::vector<std::string> words;
  for (const std::string_view word : words_of(line.text)) words.push_back(lower(word));
  const std::map<std::string, std::size_t> fields{
      {"real", 1}, {"integer", 1}, {"complex", 2}, {"pattern", 0}};
  const std::map<std::string, Symmetry> symmetries{{"general", Symmetry::general},
                                                   {"symmetric", Symmetry::symmetric},
                                                   {"skew-symmetric", Symmetry::skew},
                                                   {"hermitian", Symmetry::hermitian}};
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" ||
      (words[2] != "coordinate" && words[2] != "array") || !fields.contains(words[3]) ||
      !symmetries.contains(words[4]))
    refuse_header(line);
  const Header header{words[2] == "array", words[3] == "complex", fields.at(words[3]),
                      symmetries.at(words[4])};
  if (!is_valid(header)) refuse_header(line);
  return header;
}

std::int64_t whole(std::string_view word, const Line& line, std::int64_t low, std::int64_t high) {
  const auto value = number<std::int64_t>(word);
  if (!value || *value < low || *value > high) {
    throw input_error(line.where(), fmt::format("'{}'", word),
                      fmt::format("an integer from {} to {}", low, high));
  }
  return *value;
}

/// Infinity and "not a number" are numbers here: a file may have them.
double real(std::string_view word, const Line& line) {
  const auto value = number<double>(word);
  if (!value) throw input_error(line.where(), fmt::format("'{}'", word), "a number");
  return *value;
}

std::complex<double> value_of(const std::vector<std::string_view>& words, std::size_t first,
                              const Header& header, const Line& line) {
  if (header.values == 0) return 1;
  return {real(words[first], line), header.values == 2 ? real(words[first + 1], line) : 0.0};
}

/// Reads the elements of a file after the line of sizes.
class ElementReader {
 public:
  ElementReader(LineReader& lines, const Header& header, MarketMatrix& matrix)
      : lines_(lines), header_(header), matrix_(matrix) {}

  /// The number of lines.
  std::int64_t coordinates() {
    std::int64_t count = 0;
    for (; lines_.next(); ++count) {
      const Line line = lines_.line();
      const auto words = words_of(line.text);
      if (words.size() != 2 + header_.values)
        throw input_error(line.where(), fmt::format("{} words", words.size()),
                          fmt::format("row, column and {} numbers", header_.values));
      const std::int64_t row = whole(words[0], line, 1, matrix_.rows) - 1;
      add(row, whole(words[1], line, 1, matrix_.columns) - 1, value_of(words, 2, header_, line), line);
    }
    return count;
  }

  /// Column by column; of a symmetric matrix the lower triangle, of a skew-symmetric one without its
  /// diagonal.
  std::int64_t array() {
    std::int64_t count = 0;
    for (std::int64_t column = 0; column < matrix_.columns; ++column) {
      for (std::int64_t row = first_row(column); row < matrix_.rows; ++row, ++count) {
        if (!lines_.next()) return count;
        const Line line = lines_.line();
        const auto words = words_of(line.text);
        if (words.size() != header_.values)
          throw input_error(line.where(), fmt::format("{} words", words.size()),
                            fmt::format("{} for one element", header_.values));
        add(row, column, value_of(words, 0, header_, line), line);
      }
    }
    while (lines_.next()) ++count;
    return count;
  }

 private:
  std::int64_t first_row(std::int64_t column) const {
    if (header_.symmetry == Symmetry::general) return 0;
    return header_.symmetry == Symmetry::skew ? column + 1 : column;
  }

  void add(std::int64_t row, std::int64_t column, std::complex<double> value, const Line& line) {
    if (row == column) check_diagonal(value, line);
    matrix_.entries.push_back({row, column, value});
    if (header_.symmetry != Symmetry::general && row != column)
      matrix_.entries.push_back({column, row, mirrored(value)});
  }

  void check_diagonal(std::complex<double> value, const Line& line) const {
    if (header_.symmetry == Symmetry::skew && value != 0.0)
      throw input_error(line.where(), "an element of the diagonal", "none in a skew-symmetric matrix");
    if (header_.symmetry == Symmetry::hermitian && value.imag() != 0)
      throw input_error(line.where(), fmt::format("imaginary part {} on the diagonal", value.imag()),
                        "0 in a hermitian matrix");
  }

  std::complex<double> mirrored(std::complex<double> value) const {
    if (header_.symmetry == Symmetry::skew) return -value;
    return header_.symmetry == Symmetry::hermitian ? std::conj(value) : value;
  }

  LineReader& lines_;
  const Header& header_;
  MarketMatrix& matrix_;
};

std::int64_t array_elements(const MarketMatrix& matrix, Symmetry symmetry) {
  const std::int64_t n = matrix.rows;
  if (symmetry == Symmetry::general) return n * matrix.columns;
  return symmetry == Symmetry::skew ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

/// Reads the line of sizes. Returns the number of elements in the file.
std::int64_t read_sizes(const Line& line, const Header& header, MarketMatrix& matrix) {
  const auto sizes = words_of(line.text);
  if (sizes.size() != (header.is_array ? 2U : 3U))
    throw input_error(line.where(), fmt::format("'{}'", line.text),
                      header.is_array ? "\"ROWS COLUMNS\"" : "\"ROWS COLUMNS ENTRIES\"");
  matrix.rows = whole(sizes[0], line, 1, max_extent);
  matrix.columns = whole(sizes[1], line, 1, max_extent);
  if (header.symmetry != Symmetry::general && matrix.rows != matrix.columns)
    throw input_error(line.where(), fmt::format("{} rows and {} columns", matrix.rows, matrix.columns),
                      "a square matrix, as it is symmetric");
  if (header.is_array) {
    if (matrix.columns > INT64_MAX / matrix.rows)
      throw input_error(line.where(), fmt::format("{} x {} elements", matrix.rows, matrix.columns),
                        "fewer than 2^63");
    return array_elements(matrix, header.symmetry);
  }
  return whole(sizes[2], line, 0, INT64_MAX);
}

void sort_entries(MarketMatrix& matrix, const std::string& source) {
  auto& entries = matrix.entries;
  const auto place = [](const MatrixEntry& e) { return std::tuple(e.column, e.row); };
  const auto before = [&](const auto& x, const auto& y) { return place(x) < place(y); };
  if (!std::is_sorted(entries.begin(), entries.end(), before))
    std::sort(entries.begin(), entries.end(), before);
  const auto twice = std::adjacent_find(entries.begin(), entries.end(),
                                        [&](const auto& x, const auto& y) { return place(x) == place(y); });
  if (twice != entries.end())
    throw input_error(source, fmt::format("element ({}, {}) twice", twice->row + 1, twice->column + 1),
                      "each element once, and of a symmetric matrix one half only",
                      "add them up or remove one");
}

/// Of the diagonal that a skew-symmetric array leaves out.
void add_zero_diagonal(MarketMatrix& matrix) {
  for (std::int64_t i = 0; i < matrix.rows; ++i) matrix.entries.push_back({i, i, 0});
}

}  // namespace

MarketMatrix parse_matrix_market(std::string_view text, const std::string& source) {
  LineReader lines(text, source);
  if (!lines.next()) throw input_error(source, "no Matrix Market text", "a header and a line of sizes");
  const Header header = header_of(lines.line());
  if (!lines.next()) throw input_error(source, "no Matrix Market text", "a header and a line of sizes");
  const Line sizes = lines.line();
  MarketMatrix matrix;
  matrix.is_complex = header.is_complex;
  matrix.is_array = header.is_array;
  const std::int64_t announced = read_sizes(sizes, header, matrix);
  ElementReader elements(lines, header, matrix);
  const std::int64_t there = header.is_array ? elements.array() : elements.coordinates();
  if (there != announced)
    throw input_error(sizes.where(), fmt::format("{} entries announced and {} there", announced, there),
                      "as many", "is the file whole?");
  if (header.is_array && header.symmetry == Symmetry::skew) add_zero_diagonal(matrix);
  sort_entries(matrix, source);
  return matrix;
}

}  // namespace foretile
