// SPDX-License-Identifier: BSD-3-Clause
// Problems, molecules, sparse matrices and plans.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/matrix_files/matrix_market.hpp"
#include "base/matrix_files/npy.hpp"
#include "base/toml_text.hpp"
#include "planner/plan_file.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/geometry.hpp"
#include "planner/problem/kinds/molecule.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/kinds/tensor.hpp"
#include "planner/problem/kinds/tiles.hpp"
#include "planner/program/program_file.hpp"
#include "planner/tensor/program_memory.hpp"
#include "planner/tensor/program_text.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "planner/tensor/term_counts.hpp"
#include "planner/tensor/term_text.hpp"
#include "tests/fuzz/targets.hpp"

namespace foretile::fuzz {

namespace {

/// Tiles of one index and atoms up to which a problem is also built: larger ones are sound but slow.
constexpr std::int64_t max_tiles_built = 60;
constexpr std::ptrdiff_t max_lines_built = 24;
/// Nodes, ranks or GPUs up to which a plan is made.
constexpr int max_size_planned = 8;

bool few(std::int64_t extent, std::int64_t tile, const std::vector<std::int64_t>& sizes) {
  return !sizes.empty() || tile <= 0 || extent / tile < max_tiles_built;
}

bool quick(const DenseParameters& p) {
  const auto size = [&](std::int64_t own) { return own > 0 ? own : p.tile; };
  return few(p.m, size(p.m_tile), p.m_tiles) && few(p.n, size(p.n_tile), p.n_tiles) &&
         few(p.k, size(p.k_tile), p.k_tiles);
}

bool quick(const RandomParameters& p) {
  return few(std::max({p.m, p.n, p.k}), p.tile_min, {});
}

bool quick(const MoleculeParameters& p) {
  return std::count(p.xyz.begin(), p.xyz.end(), '\n') < max_lines_built && p.occ_clusters < max_tiles_built &&
         p.ao_clusters < max_lines_built;
}

bool quick(const TilesParameters& p) {
  return p.m_tiles.size() < max_tiles_built && p.n_tiles.size() < max_tiles_built;
}

/// By the number of all products of tiles.
bool quick(const TensorParameters& p) {
  constexpr double kMostProducts = 20'000;
  double most = 1;
  for (const IndexTiles& index : p.indices) {
    const std::int64_t tile = index.tile > 0 ? index.tile : p.tile;
    const auto tiles = std::max({static_cast<double>(index.sizes.size()), static_cast<double>(index.tiles),
                                 tile > 0 ? static_cast<double>(index.extent / tile + 1) : 1.0});
    most = std::max(most, index.spin ? 2 * tiles : tiles);
  }
  std::size_t indices = 0;
  const TermText term = parse_term(p.term, "fuzz.toml");
  for (const TextTensor& operand : term.operands) indices += operand.indices.size();
  return std::pow(most, static_cast<double>(indices)) < kMostProducts;
}

/// Reads, writes, reads and writes; says whether building takes little time.
template <class Parameters>
bool same_again(const toml::table& table, Parameters (*read)(TableReader&),
                std::string (*write)(const Parameters&)) {
  TableReader reader(table, "fuzz.toml");
  const Parameters parameters = read(reader);
  const std::string written = write(parameters);
  const toml::table second = toml::parse(written);
  TableReader again(second, "again.toml");
  expect_same(written, write(read(again)));
  return quick(parameters);
}

bool same_again(const toml::table& table) {
  const auto kind = table["kind"].value<std::string>();
  if (kind == "dense") return same_again(table, read_dense, dense_problem_toml);
  if (kind == "random") return same_again(table, read_random, random_problem_toml);
  if (kind == "molecule") return same_again(table, read_molecule, molecule_problem_toml);
  if (kind == "tensor") return same_again(table, read_tensor, tensor_problem_toml);
  if (kind == "tiles") return same_again(table, read_tiles, tiles_problem_toml);
  return true;
}

bool same_again(std::string_view problem) {
  try {
    return same_again(toml::parse(ascii_for_toml(problem, "fuzz.toml")));
  } catch (const toml::parse_error&) {
    return true;  // build_contraction() refuses it
  }
}

std::string xyz_text(const std::vector<Atom>& atoms) {
  std::string text = fmt::format("{}\n\n", atoms.size());
  for (const auto& [element, at] : atoms)
    text += fmt::format("{} {} {} {}\n", symbol(element), at.x, at.y, at.z);
  return text;
}

std::string matrix_market_text(const MarketMatrix& matrix) {
  std::string text = fmt::format("%%MatrixMarket matrix coordinate complex general\n{} {} {}\n", matrix.rows,
                                 matrix.columns, matrix.entries.size());
  for (const auto& [row, column, value] : matrix.entries)
    text += fmt::format("{} {} {} {}\n", row + 1, column + 1, value.real(), value.imag());
  return text;
}

std::string with_right_digest(std::string_view text) {
  constexpr auto replace = nlohmann::json::error_handler_t::replace;
  auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::string(text);
  json.erase("digest");
  json["digest"] = digest(json.dump(-1, ' ', false, replace));
  return json.dump(-1, ' ', false, replace);
}

bool quick(const PlanFile& file) {
  const MachineSize& size = file.size;
  return std::max({size.nodes.value_or(1), size.ranks.value_or(1), size.gpus.value_or(1)}) <=
             max_size_planned &&
         same_again(file.problem.toml);
}

bool quick(const ProgramFile& file) {
  constexpr std::int64_t kFewTiles = 6, kFewProducts = 2000;
  const auto few_tiles = [&](std::int64_t orbitals) { return orbitals / file.sizes.tile < kFewTiles; };
  if (file.ranks > max_size_planned || !few_tiles(file.sizes.occupied) || !few_tiles(file.sizes.virtuals))
    return false;
  const Program program = parse_program(file.text, "fuzz.txt");
  std::vector<TermCounts> counts;
  for (const ProgramTerm& term : program.terms)
    counts.push_back(count_term(term, spin_tiles_of(program, file.sizes), "fuzz.txt"));
  return sum_of(counts, "fuzz.txt").gemms < kFewProducts;
}

/// As it is, and with the right digest, without which nearly every text would be refused.
template <class File>
void parse_stored(std::string_view text, File (*read)(const std::string& text, const std::string& source),
                  std::string (*write)(const File&)) {
  try {
    read(std::string(text), "fuzz.json");
  } catch (const InputError& error) {
    expect_readable(error.what());
  }
  const File file = read(with_right_digest(text), "fuzz.json");
  const std::string written = write(file);
  expect_same(written, write(read(written, "again.json")));
  if (quick(file)) rebuild(file);
}

}  // namespace

void parse_problem(std::string_view text) {
  const Problem problem{"fuzz", std::string(text), "fuzz.toml"};
  if (same_again(text)) build_contraction(problem);
}

void parse_program_text(std::string_view text) {
  const Program program = parse_program(text, "fuzz.txt");
  const std::string once = written(program);
  expect_same(once, written(parse_program(once, "again.txt")));
  const std::vector<LabelledTiles> tiles = spin_tiles_of(program, {3, 5, 2});
  for (const ProgramTerm& term : program.terms) count_term(term, tiles, "fuzz.txt");
  memory_of(program, order_of_terms(program, "fuzz.txt"), tiles);
}

void parse_xyz_file(std::string_view text) {
  const std::string written = xyz_text(parse_xyz(text, "fuzz.xyz"));
  expect_same(written, xyz_text(parse_xyz(written, "again.xyz")));
}

void parse_matrix_market_file(std::string_view text) {
  const std::string written = matrix_market_text(parse_matrix_market(text, "fuzz.mtx"));
  expect_same(written, matrix_market_text(parse_matrix_market(written, "again.mtx")));
}

void parse_npy(std::string_view text) {
  const std::string written = npy_header(parse_npy_header(text, "fuzz.npy").facts);
  expect_same(written, npy_header(parse_npy_header(written, "again.npy").facts));
}

void parse_plan(std::string_view text) {
  parse_stored(text, parse_plan_file, plan_file_json);
}

void parse_program_plan(std::string_view text) {
  parse_stored(text, program_file_from_json, program_file_json);
}

}  // namespace foretile::fuzz
