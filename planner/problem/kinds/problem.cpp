// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/problem.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/toml_text.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/matrices.hpp"
#include "planner/problem/kinds/molecule.hpp"
#include "planner/problem/kinds/problem_table.hpp"
#include "planner/problem/kinds/product_keys.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/kinds/tensor.hpp"
#include "planner/problem/kinds/tiles.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

namespace fs = std::filesystem;

/// A name without folder and ending may be an example.
fs::path example_named(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos) return {};
  return find_data(fs::path("examples") / (name + ".toml"));
}

std::vector<std::string> examples() {
  std::vector<std::string> names;
  const fs::path folder = find_data("examples");
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// What a tuner may choose has tiling keys only; their values are the tuner's to read.
void check_tune_table(TableReader& table, const toml::table& parsed, std::string_view kind) {
  if (!table.has(kTuneTable)) return;
  const toml::node& node = *parsed.get(kTuneTable);
  const std::vector<std::string> known = tiling_keys_of_kind(kind);
  table.note(kTuneTable);
  if (!node.is_table() || known.empty())
    throw table.error(kTuneTable,
                      node.is_table() ? "a table in a problem whose tiles are listed" : "no table",
                      "a table with tiling keys", "leave it out, or see docs/problems.md");
  for (const auto& [key, value] : *node.as_table()) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      throw unknown_key(
          table.source().empty() ? "--tune" : fmt::format("{}:{}", table.source(), key.source().begin.line),
          key.str(), known, " in [tune]");
  }
}

/// The term says what these keys say of other kinds.
void refuse_matrix_keys(const TableReader& table) {
  for (const char* key : {"a_source", "b_source", "a_op", "b_op", "alpha", "beta"}) {
    if (table.has(key))
      throw table.error(key, table.value_text(key), "no such key in a problem of tensors",
                        "say it in the term: +=, a factor; generated in [[operand]]");
  }
}

/// Reads the parameters of one kind, refuses other keys, and builds.
template <class Parameters>
Contraction build(TableReader& table, Parameters (*read)(TableReader&),
                  Contraction (*make)(const Parameters&)) {
  const Parameters parameters = read(table);
  table.refuse_other_keys();
  try {
    Contraction contraction = make(parameters);
    check_bytes(contraction);
    return contraction;
  } catch (const InputError& e) {
    if (table.source().empty()) throw;
    throw within(table.source(), e);
  }
}

}  // namespace

toml::table parse_problem_table(const Problem& problem) {
  try {
    return toml::parse(ascii_for_toml(problem.toml, problem.source), problem.source);
  } catch (const toml::parse_error& e) {
    throw InputError(
        fmt::format("{}:{}: not TOML: {}", problem.source, e.source().begin.line, e.description()),
        HelpPage::wrong_file);
  }
}

std::vector<std::string> tiling_keys_of_kind(std::string_view kind) {
  if (kind == "dense" || kind == "matrices") return {"tile", "m_tile", "n_tile", "k_tile"};
  if (kind == "random") return {"tile_min", "tile_max"};
  if (kind == "tensor") return {"tile"};
  if (kind == "molecule") return {"occ_clusters", "ao_clusters", "tile_min", "tile_max"};
  return {};
}

Problem load_problem(const std::string& path_or_name) {
  fs::path path = path_or_name;
  std::error_code error, ignored;  // an error, as a forbidden folder: read_text() says which
  if ((!fs::exists(path, error) && !error) || fs::is_directory(path, ignored)) {
    const fs::path example = example_named(path_or_name);
    if (example.empty()) {
      throw input_error(path_or_name, "neither a file nor an example",
                        fmt::format("a problem file or one of {}", fmt::join(examples(), ", ")),
                        "check the path; `foretile problem` writes such files", HelpPage::wrong_file);
    }
    path = example;
  }
  return {path.stem().string(), read_text(path), path.string()};
}

Contraction build_contraction(const Problem& problem) {
  const toml::table parsed = parse_problem_table(problem);
  TableReader table(parsed, problem.source);
  const std::string kind = table.text("kind");
  if (kind == "tensor") refuse_matrix_keys(table);
  const ProductKeys keys = read_product_keys(table);
  check_tune_table(table, parsed, kind);
  Contraction contraction = [&] {
    if (kind == "dense") return build(table, read_dense, dense_contraction);
    if (kind == "random") return build(table, read_random, random_contraction);
    if (kind == "molecule") return build(table, read_molecule, molecule_contraction);
    if (kind == "tiles") return build(table, read_tiles, tiles_contraction);
    if (kind == "matrices") return build(table, read_matrices, matrices_contraction);
    if (kind == "tensor") return build(table, read_tensor, tensor_contraction);
    throw table.error("kind", fmt::format("\"{}\"", kind),
                      "\"dense\", \"random\", \"molecule\", \"tiles\", \"matrices\" or \"tensor\"");
  }();
  contraction.name = problem.name;
  if (kind == "tensor") {
    contraction.precision = keys.element.precision;
    contraction.complex_elements = keys.element.is_complex;
    return contraction;
  }
  apply_product_keys(table, keys, contraction);
  if (kind != "matrices") return contraction;
  check_initial_c(table, contraction.reads_c());
  return with_window(table, std::move(contraction));
}

}  // namespace foretile
