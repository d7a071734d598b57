// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/problem_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "apps/foretile/tensor_view.hpp"
#include "apps/foretile/traits_view.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "planner/problem/kinds/retile.hpp"

namespace foretile {

namespace {

/// What the options say of the keys that every kind has.
ProductKeys product_keys(const ProblemOutput& output) {
  const auto source = [](const std::optional<std::string>& name) -> std::optional<Source> {
    if (!name) return {};
    return *name == name_of(Source::generated) ? Source::generated : Source::given;
  };
  ProductKeys keys;
  keys.element = {output.precision == name_of(Precision::f32) ? Precision::f32 : Precision::f64,
                  output.is_complex};
  keys.a_source = source(output.a_source);
  keys.b_source = source(output.b_source);
  keys.a_op = op_named(output.a_op);
  keys.b_op = op_named(output.b_op);
  if (output.alpha) keys.alpha = complex_number("--alpha", *output.alpha);
  if (output.beta) keys.beta = complex_number("--beta", *output.beta);
  return keys;
}

/// "KEY = [VALUE, VALUE]\n" of "KEY=VALUE,VALUE".
std::string tune_line(const std::string& option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == option.size())
    throw input_error("--tune", fmt::format("'{}'", option), "KEY=VALUE,VALUE",
                      "for example --tune tile=500,1000");
  const std::string key = option.substr(0, equals);
  const std::string where = "--tune " + key;
  std::vector<std::string> values = CLI::detail::split(option.substr(equals + 1), ',');
  std::set<std::string> seen;
  for (std::string& value : values) {
    value = spell_tiling_value(where, value);
    if (!seen.insert(value).second)
      throw input_error(where, fmt::format("{} twice", value), "each value once", "remove one");
  }
  return fmt::format("{} = [{}]\n", key, fmt::join(values, ", "));
}

std::string tune_table(const ProblemOutput& output) {
  std::string text;
  std::set<std::string> keys;
  for (const std::string& option : output.tune) {
    if (const std::string key = option.substr(0, option.find('=')); !keys.insert(key).second)
      throw input_error("--tune", fmt::format("{} twice", key), "each key once",
                        "give all its values at once");
    text += tune_line(option);
  }
  return text.empty() ? text : fmt::format("\n[{}]\n{}", kTuneTable, text);
}

std::string orbitals_text(const OrbitalCounts& counts) {
  return fmt::format(
      "orbitals of each spin: {} occupied ({} core orbitals {}), {} virtual; of a program: --o {} --v "
      "{}\n\n",
      counts.occupied, counts.core, counts.frozen ? "are frozen" : "among them", counts.virtuals,
      counts.occupied, counts.virtuals);
}

}  // namespace

void add_output_options(CLI::App& command, ProblemOutput& output) {
  command.add_option("-o,--output", output.file, "The problem file. Default: stdout")
      ->check(not_empty_check())
      ->type_name("FILE.toml");
  command
      .add_option("--tune", output.tune,
                  "Values of a tiling key that `foretile tune` may try. Repeatable, such as tile=500,1000")
      ->type_name("KEY=VALUE,VALUE")
      ->allow_extra_args(false);
  add_json_option(command, output.options);
}

void add_problem_options(CLI::App& command, ProblemOutput& output) {
  add_output_options(command, output);
  for (const auto& [option, op] : {std::pair("--op-a", &output.a_op), {"--op-b", &output.b_op}}) {
    command
        .add_option(option, *op, "How this operand enters: N as it is, T transposed, C conjugate transposed")
        ->check(CLI::IsMember({"N", "T", "C"}))
        ->capture_default_str();
  }
  command.add_option("--alpha", output.alpha, "Factor of op(A) op(B); complex: RE,IM. Default: 1")
      ->type_name("NUMBER");
  command.add_option("--beta", output.beta, "Factor of the initial C; with 0 it is not read. Default: 0")
      ->type_name("NUMBER");
}

void add_element_options(CLI::App& command, ProblemOutput& output) {
  command.add_option("--precision", output.precision, "Numbers of 8 bytes (double) or 4 bytes (single)")
      ->check(CLI::IsMember({"double", "single"}))
      ->capture_default_str();
  command.add_flag("--complex", output.is_complex, "Elements are complex, two such numbers each");
}

Op op_named(const std::string& name) {
  if (name == name_of(Op::none)) return Op::none;
  return name == name_of(Op::transpose) ? Op::transpose : Op::conjugate_transpose;
}

void add_tile_options(CLI::App& command, DenseParameters& p, const std::string& by_default) {
  command.add_option("--tile", p.tile, "Tile size of all indices. Default: " + by_default)
      ->check(whole_number_check(1));
  for (const auto& [option, size] :
       {std::pair("--m-tile", &p.m_tile), {"--n-tile", &p.n_tile}, {"--k-tile", &p.k_tile}}) {
    command.add_option(option, *size, "Tile size of this index, instead of --tile")
        ->check(whole_number_check(1));
  }
  for (const auto& [option, sizes] :
       {std::pair("--m-tiles", &p.m_tiles), {"--n-tiles", &p.n_tiles}, {"--k-tiles", &p.k_tiles}}) {
    command.add_option(option, *sizes, "Tile sizes that add up to this extent, instead of --tile")
        ->delimiter(',')
        ->type_name("N,N,...");
  }
}

bool has_tile_sizes(const DenseParameters& p) {
  return p.tile != 0 || p.m_tile != 0 || p.n_tile != 0 || p.k_tile != 0 || !p.m_tiles.empty() ||
         !p.n_tiles.empty() || !p.k_tiles.empty();
}

void tune_tiles(const DenseParameters& p, ProblemOutput& output) {
  if (!output.tune.empty()) return;
  for (const auto& [key, size] :
       {std::pair("m_tile", p.m_tile), {"n_tile", p.n_tile}, {"k_tile", p.k_tile}}) {
    if (size > 1) output.tune.push_back(fmt::format("{}={},{}", key, (size + 1) / 2, size));
  }
}

void write_problem(std::string toml, const ProblemOutput& output, const std::string& kind) {
  const std::size_t second_line = toml.find('\n') + 1;  // the first one names the kind
  ProductKeys keys = product_keys(output);
  const std::string kind_only = toml;
  toml.insert(second_line, product_keys_toml(keys));
  toml += tune_table(output);
  const std::string name = output.file.empty() ? kind : std::filesystem::path(output.file).stem().string();
  const Contraction planned = build_contraction({name, toml, ""});
  const Contraction contraction = planned.is_transposed ? transposed(planned) : planned;
  if (output.writes_sources && planned.sources.b != Source::in_file) {  // then the key `window` says it
    keys.a_source = contraction.sources.a;
    keys.b_source = contraction.sources.b;
  }
  toml = kind_only;
  toml.insert(second_line, product_keys_toml(keys));
  toml += tune_table(output);
  if (output.file.empty() && !output.options.json) {
    fmt::print("{}", toml);
    return;
  }
  if (!output.file.empty()) write_atomically(output.file, [&](std::ostream& out) { out << toml; });
  if (output.options.json) {
    nlohmann::ordered_json json = traits_json(contraction);
    if (const auto fusion = fusion_json({name, toml, ""}); !fusion.is_null()) json["fusion"] = fusion;
    if (!output.file.empty()) json["file"] = output.file;
    if (output.orbitals)
      json["orbitals"] = {{"occupied", output.orbitals->occupied},
                          {"core", output.orbitals->core},
                          {"frozen", output.orbitals->frozen},
                          {"virtual", output.orbitals->virtuals}};
    print_json(json);
  } else {
    fmt::print("{}{}{}\nWritten to {}\n", output.orbitals ? orbitals_text(*output.orbitals) : "",
               traits_text(contraction), fusion_text({name, toml, ""}), one_line(output.file));
  }
}

}  // namespace foretile
