// Problems, molecules, sparse matrices and plans.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan_file.hpp"
#include "planner/plan_json.hpp"
#include "planner/problem.hpp"
#include "planner/problems/dense.hpp"
#include "planner/problems/geometry.hpp"
#include "planner/problems/matrix_market.hpp"
#include "planner/problems/molecule.hpp"
#include "planner/problems/random.hpp"
#include "planner/problems/table_reader.hpp"
#include "planner/problems/tiles.hpp"
#include "tests/fuzz/targets.hpp"

namespace foretile::fuzz {

namespace {

/// Tiles of one index and atoms up to which a problem is also built: larger ones are sound but slow.
constexpr std::int64_t max_tiles_built = 60;
constexpr std::ptrdiff_t max_lines_built = 24;

bool few(std::int64_t extent, std::int64_t tile, const std::vector<std::int64_t>& sizes) {
  return !sizes.empty() || tile <= 0 || extent / tile < max_tiles_built;
}

bool quick(const DenseParameters& p) {
  return few(p.m, p.tile, p.m_tiles) && few(p.n, p.tile, p.n_tiles) && few(p.k, p.tile, p.k_tiles);
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
  if (kind == "tiles") return same_again(table, read_tiles, tiles_problem_toml);
  return true;
}

std::string xyz_text(const std::vector<Atom>& atoms) {
  std::string text = fmt::format("{}\n\n", atoms.size());
  for (const auto& [element, at] : atoms)
    text += fmt::format("{} {} {} {}\n", symbol(element), at.x, at.y, at.z);
  return text;
}

std::string matrix_market_text(const CoordinateMatrix& matrix) {
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", matrix.rows,
                                 matrix.columns, matrix.entries.size());
  for (const auto& [row, column, magnitude] : matrix.entries)
    text += fmt::format("{} {} {}\n", row + 1, column + 1, magnitude);
  return text;
}

}  // namespace

void parse_problem(std::string_view text) {
  const Problem problem{"fuzz", std::string(text), "fuzz.toml"};
  bool build = true;
  try {
    build = same_again(toml::parse(text));
  } catch (const toml::parse_error&) {
    // build_contraction() says so.
  }
  if (build) build_contraction(problem);
}

void parse_xyz_file(std::string_view text) {
  const std::string written = xyz_text(parse_xyz(text, "fuzz.xyz"));
  expect_same(written, xyz_text(parse_xyz(written, "again.xyz")));
}

void parse_matrix_market_file(std::string_view text) {
  const std::string written = matrix_market_text(parse_matrix_market(text, "fuzz.mtx"));
  expect_same(written, matrix_market_text(parse_matrix_market(written, "again.mtx")));
}

void parse_plan(std::string_view text) {
  const std::string written = plan_file_json(parse_plan_file(std::string(text), "fuzz.json"));
  expect_same(written, plan_file_json(parse_plan_file(written, "again.json")));
}

}  // namespace foretile::fuzz
