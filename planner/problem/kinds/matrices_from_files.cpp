// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/matrices_from_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/matrix_files/matrix_reader.hpp"
#include "base/one_line.hpp"
#include "planner/problem/kinds/stored_tiles.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

using Sizes = std::vector<std::int64_t>;

/// A matrix as the product has it: op of what the file has.
struct Operand {
  char name;
  std::string place;
  bool transposed;
  std::unique_ptr<MatrixReader> reader;

  const MatrixFacts& facts() const { return reader->facts(); }
  std::int64_t rows() const { return transposed ? facts().columns : facts().rows; }
  std::int64_t columns() const { return transposed ? facts().rows : facts().columns; }
  const Sizes& row_tiles() const { return transposed ? facts().column_tiles : facts().row_tiles; }
  const Sizes& column_tiles() const { return transposed ? facts().row_tiles : facts().column_tiles; }
  /// "op(A) of a.npy is 4 x 5".
  std::string text() const {
    return fmt::format("{} of {} is {} x {}", transposed ? fmt::format("op({})", name) : std::string(1, name),
                       quote(place), rows(), columns());
  }
};

/// Absolute, so that the problem can be used from every folder. A problem's text holds no other letters.
MatrixPlace absolute_place(const std::string& text) {
  MatrixPlace place = parse_matrix_place(text);
  place.file = std::filesystem::absolute(place.file).lexically_normal();
  const std::string name = name_of(place);
  if (one_line(name, name.size() + 1) != name)
    throw input_error(name, "letters that cannot be printed", "a path and a name in printable UTF-8",
                      "rename the file");
  return place;
}

Operand open_operand(char name, const std::string& text, Op op) {
  const MatrixPlace place = absolute_place(text);
  return {name, name_of(place), op != Op::none, open_matrix(place)};
}

void require_same_element(const Operand& x, const Operand& y) {
  if (x.facts().element == y.facts().element) return;
  throw input_error(fmt::format("{} and {}", quote(x.place), quote(y.place)),
                    fmt::format("{} and {} numbers", name_of(x.facts().element), name_of(y.facts().element)),
                    "one type of numbers", "convert one of them, for example with NumPy's astype()");
}

void require_same_extent(const Operand& x, std::int64_t of_x, const Operand& y, std::int64_t of_y,
                         std::string_view index) {
  if (of_x == of_y) return;
  throw input_error("matrices", fmt::format("{}, and {}", x.text(), y.text()),
                    fmt::format("the same {} in both", index), "check the files, --op-a and --op-b");
}

/// How a matrix in a file wants an index cut; empty: it does not say.
struct Proposal {
  const Operand& operand;
  const Sizes& sizes;
};

/// What the request says of the tiles of an index.
struct Index {
  std::string_view name;
  std::int64_t& tile;
  Sizes& sizes;
};

bool is_chosen(const Index& index, const DenseParameters& request) {
  return index.tile != 0 || !index.sizes.empty() || request.tile != 0;
}

void check_sizes(const Index& index, std::int64_t extent) {
  std::int64_t sum = 0;
  for (const std::int64_t size : index.sizes) {
    sum += size;
    if (size < 1 || sum > extent) break;
  }
  if (index.sizes.empty() || sum == extent) return;
  throw input_error(fmt::format("--{}-tiles", index.name), "sizes that do not add up",
                    fmt::format("positive sizes that add up to {}", extent));
}

/// Takes the tiles of the files. False when no file has any.
bool take_tiles(const Index& index, const std::vector<Proposal>& proposals) {
  const Proposal* taken = nullptr;
  for (const Proposal& proposal : proposals) {
    if (proposal.sizes.empty()) continue;
    if (taken && taken->sizes != proposal.sizes)
      throw input_error("matrices",
                        fmt::format("other tiles of {} in {} than in {}", index.name,
                                    quote(proposal.operand.place), quote(taken->operand.place)),
                        "the same sizes",
                        fmt::format("choose sizes with --{0}-tile or --{0}-tiles", index.name));
    taken = &proposal;
  }
  if (taken) index.sizes = taken->sizes;
  return taken != nullptr;
}

/// Also a list for an index of uniform tiles: lists of tiles belong to lists of sizes.
void list_sizes(const Tiling& tiling, std::int64_t& tile, Sizes& sizes) {
  sizes.clear();
  for (std::int32_t t = 0; t < tiling.tiles(); ++t) sizes.push_back(tiling.size(t));
  tile = 0;
}

void list_all_sizes(DenseParameters& p) {
  const Tilings cut = tilings_of(p);
  list_sizes(cut.m, p.m_tile, p.m_tiles);
  list_sizes(cut.n, p.n_tile, p.n_tiles);
  list_sizes(cut.k, p.k_tile, p.k_tiles);
  p.tile = 0;
}

MatrixInput input_of(const Operand& operand, const Tiling& rows, const Tiling& columns) {
  MatrixInput input{operand.place, operand.facts().bytes(), operand.reader->digest(), std::nullopt};
  if (!operand.facts().is_sparse()) return input;
  input.tiles = operand.transposed ? stored_tiles(*operand.reader, columns, rows)
                                   : stored_tiles(*operand.reader, rows, columns);
  if (!operand.transposed) return input;
  for (Shape::Entry& tile : *input.tiles) std::swap(tile.row, tile.column);
  return input;
}

struct OpenOperands {
  Operand a, b;
  std::optional<Operand> c;

  bool any_sparse() const {
    return a.facts().is_sparse() || b.facts().is_sparse() || (c && c->facts().is_sparse());
  }
};

OpenOperands open_operands(const MatrixRequest& request) {
  OpenOperands all{
      open_operand('A', request.a, request.a_op), open_operand('B', request.b, request.b_op), {}};
  require_same_element(all.a, all.b);
  require_same_extent(all.a, all.a.columns(), all.b, all.b.rows(), "K");
  if (request.c.empty()) return all;
  all.c = open_operand('C', request.c, Op::none);
  require_same_element(all.a, *all.c);
  require_same_extent(all.a, all.a.rows(), *all.c, all.c->rows(), "M");
  require_same_extent(all.b, all.b.columns(), *all.c, all.c->columns(), "N");
  return all;
}

/// Sets what cuts the indices. True when they have the usual tiles.
bool cut_indices(const OpenOperands& all, DenseParameters& p) {
  p.m = all.a.rows(), p.n = all.b.columns(), p.k = all.a.columns();
  const TileSize usual = usual_tiles(p.m, p.n, p.k);
  const DenseParameters request = p;
  std::vector<Proposal> m{{all.a, all.a.row_tiles()}}, n{{all.b, all.b.column_tiles()}};
  if (all.c) {
    m.push_back({*all.c, all.c->row_tiles()});
    n.push_back({*all.c, all.c->column_tiles()});
  }
  const std::vector<Proposal> k{{all.a, all.a.column_tiles()}, {all.b, all.b.row_tiles()}};
  const auto cut = [&](const Index& index, const std::vector<Proposal>& proposals, std::int64_t extent,
                       std::int64_t usual_size) {
    check_sizes(index, extent);
    if (is_chosen(index, request) || take_tiles(index, proposals)) return false;
    index.tile = usual_size;
    return true;
  };
  const bool usual_m = cut({"m", p.m_tile, p.m_tiles}, m, p.m, usual.m);
  const bool usual_n = cut({"n", p.n_tile, p.n_tiles}, n, p.n, usual.n);
  const bool usual_k = cut({"k", p.k_tile, p.k_tiles}, k, p.k, usual.k);
  return usual_m && usual_n && usual_k;
}

}  // namespace

MatrixProblem matrices_from_files(const MatrixRequest& request) {
  const OpenOperands all = open_operands(request);
  MatrixProblem problem;
  DenseParameters& indices = problem.parameters.indices;
  indices = request.indices;
  problem.parameters.window = request.window;
  problem.parameters.keep_c = request.keep_c;
  problem.element = all.a.facts().element;
  problem.usual_tiles = cut_indices(all, indices);
  if (all.any_sparse()) list_all_sizes(indices);
  const auto [m, n, k] = tilings_of(indices);
  problem.parameters.a = input_of(all.a, m, k);
  problem.parameters.b = input_of(all.b, k, n);
  if (all.c) problem.parameters.c = input_of(*all.c, m, n);
  return problem;
}

}  // namespace foretile
