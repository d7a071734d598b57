#include "planner/problem/kinds/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "planner/problem/kinds/limits.hpp"
#include "planner/problem/kinds/text.hpp"

namespace foretile {

namespace {

struct Line {
  std::string_view text;
  std::string where;
};

struct Header {
  std::size_t values;  ///< numbers after row and column
  bool both_halves;    ///< (j, i) stands for (i, j) too
};

std::string lower(std::string_view word) {
  std::string small(word);
  std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) { return std::tolower(c); });
  return small;
}

Header header_of(const Line& line) {
  std::vector<std::string> words;
  for (const std::string_view word : words_of(line.text)) words.push_back(lower(word));
  const std::map<std::string, std::size_t> fields{
      {"real", 1}, {"integer", 1}, {"complex", 2}, {"pattern", 0}};
  const std::map<std::string, bool> symmetries{
      {"general", false}, {"symmetric", true}, {"skew-symmetric", true}, {"hermitian", true}};
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" || words[2] != "coordinate" ||
      !fields.contains(words[3]) || !symmetries.contains(words[4])) {
    throw input_error(
        line.where, fmt::format("'{}'", line.text.substr(0, 80)),
        "\"%%MatrixMarket matrix coordinate FIELD SYMMETRY\"",
        "FIELD is real, integer, complex or pattern, SYMMETRY general, symmetric, skew-symmetric or "
        "hermitian");
  }
  return {fields.at(words[3]), symmetries.at(words[4])};
}

std::int64_t whole(std::string_view word, const Line& line, std::int64_t low, std::int64_t high) {
  const auto value = number<std::int64_t>(word);
  if (!value || *value < low || *value > high) {
    throw input_error(line.where, fmt::format("'{}'", word),
                      fmt::format("an integer from {} to {}", low, high));
  }
  return *value;
}

double real(std::string_view word, const Line& line) {
  const auto value = number<double>(word);
  if (!value || !std::isfinite(*value)) throw input_error(line.where, fmt::format("'{}'", word), "a number");
  return *value;
}

CoordinateMatrix::Entry entry_of(const Line& line, const Header& header, const CoordinateMatrix& matrix) {
  const auto words = words_of(line.text);
  if (words.size() != 2 + header.values) {
    throw input_error(line.where, fmt::format("{} words", words.size()),
                      fmt::format("row, column and {} numbers", header.values));
  }
  CoordinateMatrix::Entry entry{whole(words[0], line, 1, matrix.rows) - 1,
                                whole(words[1], line, 1, matrix.columns) - 1, 1.0};
  if (header.values == 1) entry.magnitude = std::abs(real(words[2], line));
  if (header.values == 2) entry.magnitude = std::hypot(real(words[2], line), real(words[3], line));
  return entry;
}

/// Lines with content, comments left out but for the header.
std::vector<Line> meaningful_lines(std::string_view text, const std::string& source) {
  std::vector<Line> lines;
  std::int64_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const bool comment = line.starts_with('%') && number > 1;
    if (!comment && !words_of(line).empty()) lines.push_back({line, fmt::format("{}:{}", source, number)});
  }
  return lines;
}

}  // namespace

CoordinateMatrix parse_matrix_market(std::string_view text, const std::string& source) {
  const std::vector<Line> lines = meaningful_lines(text, source);
  if (lines.size() < 2) throw input_error(source, "no Matrix Market text", "a header and a line of sizes");
  const Header header = header_of(lines[0]);
  const auto sizes = words_of(lines[1].text);
  if (sizes.size() != 3)
    throw input_error(lines[1].where, fmt::format("'{}'", lines[1].text), "\"ROWS COLUMNS ENTRIES\"");
  CoordinateMatrix matrix;
  matrix.rows = whole(sizes[0], lines[1], 1, max_extent);
  matrix.columns = whole(sizes[1], lines[1], 1, max_extent);
  if (header.both_halves && matrix.rows != matrix.columns) {
    throw input_error(lines[1].where, fmt::format("{} rows and {} columns", matrix.rows, matrix.columns),
                      "a square matrix, as it is symmetric");
  }
  const auto announced = whole(sizes[2], lines[1], 0, max_extent);
  if (std::ssize(lines) - 2 != announced) {
    throw input_error(lines[1].where,
                      fmt::format("{} entries announced and {} there", announced, lines.size() - 2),
                      "as many", "is the file whole?");
  }
  for (std::size_t l = 2; l < lines.size(); ++l) {
    const auto entry = entry_of(lines[l], header, matrix);
    matrix.entries.push_back(entry);
    if (header.both_halves && entry.row != entry.column) {
      matrix.entries.push_back({entry.column, entry.row, entry.magnitude});
    }
  }
  return matrix;
}

std::vector<Shape::Entry> nonzero_tiles(const CoordinateMatrix& matrix, const Tiling& rows,
                                        const Tiling& columns) {
  const auto tile_of = [](const Tiling& tiling, std::int64_t at) {
    const auto& cuts = tiling.cuts();
    return static_cast<std::int32_t>(std::upper_bound(cuts.begin(), cuts.end(), at) - cuts.begin() - 1);
  };
  std::map<std::pair<std::int32_t, std::int32_t>, double> squares;
  for (const auto& [row, column, magnitude] : matrix.entries) {
    squares[{tile_of(rows, row), tile_of(columns, column)}] += magnitude * magnitude;
  }
  std::vector<Shape::Entry> tiles;
  for (const auto& [tile, square] : squares) {
    tiles.push_back({tile.first, tile.second, static_cast<float>(std::sqrt(square))});
  }
  return tiles;
}

}  // namespace foretile
