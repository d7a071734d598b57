// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/matrices.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/matrix_files/matrix_place.hpp"
#include "base/toml_text.hpp"
#include "planner/problem/kinds/problem_table.hpp"
#include "planner/problem/kinds/product_keys.hpp"
#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/kinds/tiles.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

std::string key_of(char matrix, std::string_view fact) {
  return fmt::format("{}_{}", matrix, fact);
}

MatrixInput read_input(TableReader& table, char matrix) {
  MatrixInput input;
  const std::string file = key_of(matrix, "file"), digest = key_of(matrix, "digest");
  input.place = table.text(file);
  if (!is_matrix_place(input.place))
    throw table.error(file, fmt::format("\"{}\"", input.place), "FILE.npy, FILE.mtx or FILE.h5:/DATASET");
  input.bytes = table.integer(key_of(matrix, "bytes"), 0, INT64_MAX);
  input.digest = table.text(digest);
  const bool hexadecimal = input.digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (input.digest.size() != 16 || !hexadecimal)
    throw table.error(digest, fmt::format("\"{}\"", input.digest), "16 hexadecimal digits",
                      "write the problem again with `foretile problem matrices`");
  return input;
}

/// A list of tiles belongs to one tiling, so no other may be chosen.
void require_listed_sizes(const TableReader& table, std::string_view list) {
  for (const std::string_view key : {"tile", "m_tile", "n_tile", "k_tile"}) {
    if (table.has(key))
      throw table.error(key, fmt::format("a size of tiles beside {}", list), "m_tiles, n_tiles and k_tiles",
                        "write the problem again with other tiles: `foretile problem matrices`");
  }
}

void read_tiles(TableReader& table, char matrix, MatrixInput& input, std::size_t rows, std::size_t columns) {
  const std::string key = key_of(matrix, "tiles");
  if (!table.has(key)) return;
  require_listed_sizes(table, key);
  input.tiles =
      read_tile_list(table, key, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns));
}

/// In ASCII, as parse_problem_table() wants it.
std::string toml_string(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return ascii_with_escapes(fmt::format("\"{}\"", escaped), "path");
}

std::string input_toml(char matrix, const MatrixInput& input) {
  return fmt::format("{0}_file = {1}\n{0}_bytes = {2}\n{0}_digest = \"{3}\"\n", matrix,
                     toml_string(input.place), input.bytes, input.digest);
}

Shape shape_of(std::string_view key, const MatrixInput& input, const Tiling& rows, const Tiling& columns) {
  if (!input.tiles) return Shape::dense(rows.tiles(), columns.tiles());
  return shape_of_list(key, rows, columns, *input.tiles);
}

/// The tiles of both; norms add up, as of upper bounds.
Shape join(const Shape& product, const Shape& initial) {
  std::vector<Shape::Entry> all;
  const auto entry = [](const Shape& shape, TileId id, float norm) {
    return Shape::Entry{shape.row_of(id), shape.column_of(id), norm};
  };
  for (TileId id = 0; id < initial.nonzeros(); ++id) {
    const auto same = product.find(initial.row_of(id), initial.column_of(id));
    all.push_back(entry(initial, id, initial.norm(id) + (same ? product.norm(*same) : 0.0F)));
  }
  for (TileId id = 0; id < product.nonzeros(); ++id) {
    if (!initial.contains(product.row_of(id), product.column_of(id)))
      all.push_back(entry(product, id, product.norm(id)));
  }
  return {product.rows(), product.columns(), std::move(all)};
}

/// Whether C keeps its shape.
bool read_c_shape(TableReader& table) {
  const std::string shape = table.text_or("c_shape", "computed");
  if (shape != "computed" && shape != "kept")
    throw table.error("c_shape", fmt::format("\"{}\"", shape), "\"computed\" or \"kept\"");
  if (shape == "kept" && !table.has("c_file"))
    throw table.error("c_shape", "\"kept\" without an initial C", "c_file and a beta that is not 0");
  return shape == "kept";
}

std::optional<Matrix> read_window(TableReader& table) {
  if (!table.has("window")) return std::nullopt;
  const std::string name = table.text("window");
  if (name != "A" && name != "B") throw table.error("window", fmt::format("\"{}\"", name), "\"A\" or \"B\"");
  return name == "A" ? Matrix::a : Matrix::b;
}

}  // namespace

MatricesParameters read_matrices(TableReader& table) {
  MatricesParameters p;
  read_tilings(table, p.indices);
  p.a = read_input(table, 'a');
  p.b = read_input(table, 'b');
  if (table.has("c_file")) p.c = read_input(table, 'c');
  p.keep_c = read_c_shape(table);
  p.window = read_window(table);
  const std::size_t m = p.indices.m_tiles.size(), n = p.indices.n_tiles.size(), k = p.indices.k_tiles.size();
  read_tiles(table, 'a', p.a, m, k);
  read_tiles(table, 'b', p.b, k, n);
  if (p.c) read_tiles(table, 'c', *p.c, m, n);
  return p;
}

std::string matrices_problem_toml(const MatricesParameters& p) {
  std::string text = "kind = \"matrices\"\n" + tilings_toml(p.indices);
  text += input_toml('a', p.a) + input_toml('b', p.b);
  if (p.c) text += input_toml('c', *p.c);
  if (p.keep_c) text += "c_shape = \"kept\"\n";
  if (p.window) text += fmt::format("window = \"{}\"\n", *p.window == Matrix::a ? 'A' : 'B');
  if (p.a.tiles) text += tile_list_toml("a_tiles", *p.a.tiles);
  if (p.b.tiles) text += tile_list_toml("b_tiles", *p.b.tiles);
  if (p.c && p.c->tiles) text += tile_list_toml("c_tiles", *p.c->tiles);
  return text;
}

Contraction matrices_contraction(const MatricesParameters& p) {
  auto [m, n, k] = tilings_of(p.indices);
  Shape a = shape_of("a_tiles", p.a, m, k);
  Shape b = shape_of("b_tiles", p.b, k, n);
  check_product_count(a, b);
  std::optional<Shape> initial;
  if (p.c) initial = shape_of("c_tiles", *p.c, m, n);
  Shape c = symbolic_product(a, b, 0, p.keep_c ? &*initial : nullptr);
  if (initial) c = join(c, *initial);
  Contraction contraction{"matrices",   std::move(m), std::move(n), std::move(k),
                          std::move(a), std::move(b), std::move(c)};
  return contraction;
}

Contraction with_window(const TableReader& table, Contraction contraction) {
  if (!table.has("window")) return contraction;
  for (const char* const key : {"a_source", "b_source"}) {
    if (table.has(key))
      throw table.error(key, table.value_text(key), "no source beside window", "leave one of the two out");
  }
  const bool of_a = table.value_text("window").find('A') != std::string::npos;
  if (of_a && contraction.complex_elements &&
      (contraction.a_op == Op::conjugate_transpose || contraction.b_op == Op::conjugate_transpose))
    throw table.error("window", "A beside a conjugate transpose",
                      "N or T: the product is planned as its transpose",
                      "take B as the window, or store the conjugate");
  if (of_a) contraction = transposed(contraction);
  contraction.sources.b = Source::in_file;
  return contraction;
}

void check_initial_c(const TableReader& table, bool reads_c) {
  if (reads_c && !table.has("c_file"))
    throw table.error("beta", "an initial C without a file", "c_file beside a beta that is not 0",
                      "write the problem again with `foretile problem matrices --c FILE`");
  if (!reads_c && table.has("c_file"))
    throw table.error("c_file", "a file of C that is not read", "beta that is not 0",
                      "set beta or leave out the keys of C");
}

std::optional<MatricesParameters> matrices_of(const Problem& problem) {
  const toml::table parsed = parse_problem_table(problem);
  TableReader table(parsed, problem.source);
  if (table.text("kind") != "matrices") return std::nullopt;
  return read_matrices(table);
}

}  // namespace foretile
