// foretile problem KIND: writes a problem file.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <set>

#include "apps/foretile/commands.hpp"
#include "apps/foretile/traits_view.hpp"
#include "apps/options.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/geometry.hpp"
#include "planner/problem/kinds/molecule.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/problem/problem.hpp"
#include "planner/problem/product_keys.hpp"
#include "planner/problem/retile.hpp"

namespace foretile {

namespace {

struct Output {
  std::string file;
  std::string precision{name_of(Precision::f64)};
  bool is_complex = false;
  std::optional<std::string> a_source, b_source;  ///< none: the kind's own
  std::string a_op{name_of(Op::none)}, b_op{name_of(Op::none)};
  std::optional<std::string> alpha, beta;  ///< "RE" or "RE,IM"
  std::vector<std::string> tune;           ///< "KEY=VALUE,VALUE"
  Options options;
};

/// What the options say of the keys that every kind has.
ProductKeys product_keys(const Output& output) {
  const auto source = [](const std::optional<std::string>& name) -> std::optional<Source> {
    if (!name) return {};
    return *name == name_of(Source::made) ? Source::made : Source::given;
  };
  const auto op = [](const std::string& name) {
    return name == name_of(Op::none)        ? Op::none
           : name == name_of(Op::transpose) ? Op::transpose
                                            : Op::conjugate_transpose;
  };
  ProductKeys keys;
  keys.element = {output.precision == name_of(Precision::f32) ? Precision::f32 : Precision::f64,
                  output.is_complex};
  keys.a_source = source(output.a_source);
  keys.b_source = source(output.b_source);
  keys.a_op = op(output.a_op);
  keys.b_op = op(output.b_op);
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

std::string tune_table(const Output& output) {
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

// Building first means that no file is left behind that `show` would refuse.
void write_problem(std::string toml, const Output& output, const std::string& kind) {
  const std::size_t second_line = toml.find('\n') + 1;  // the first one names the kind
  ProductKeys keys = product_keys(output);
  const std::string kind_only = toml;
  toml.insert(second_line, product_keys_toml(keys));
  toml += tune_table(output);
  const std::string name = output.file.empty() ? kind : std::filesystem::path(output.file).stem().string();
  const Contraction contraction = build_contraction({name, toml, ""});
  keys.a_source = contraction.sources.a;
  keys.b_source = contraction.sources.b;
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
    if (!output.file.empty()) json["file"] = output.file;
    print_json(json);
  } else {
    fmt::print("{}\nWritten to {}\n", traits_text(contraction), one_line(output.file));
  }
}

/// One kind of problem: its options fill `Parameters`, which `to_toml` turns into the file's text. `complete`
/// sets what the user left open.
template <class Parameters>
std::shared_ptr<Parameters> add_kind(CLI::App& command, std::string (*to_toml)(const Parameters&),
                                     void (*complete)(Parameters&, Output&) = nullptr) {
  auto parameters = std::make_shared<Parameters>();
  const auto output = std::make_shared<Output>();
  command.add_option("-o,--output", output->file, "The problem file; without it the text goes to stdout")
      ->check(not_empty_check())
      ->type_name("FILE.toml");
  command.add_option("--precision", output->precision, "Numbers of 8 bytes (double) or of 4 (single)")
      ->check(CLI::IsMember({"double", "single"}))
      ->capture_default_str();
  command.add_flag("--complex", output->is_complex, "Complex numbers of two such numbers each");
  for (const auto& [option, op] : {std::pair("--op-a", &output->a_op), {"--op-b", &output->b_op}}) {
    command
        .add_option(option, *op, "How the matrix enters: N as it is, T transposed, C conjugate transposed")
        ->check(CLI::IsMember({"N", "T", "C"}))
        ->capture_default_str();
  }
  command.add_option("--alpha", output->alpha, "Factor of op(A) op(B); complex: RE,IM (1)")
      ->type_name("NUMBER");
  command.add_option("--beta", output->beta, "Factor of the initial C; 0: it is not read (0)")
      ->type_name("NUMBER");
  for (const auto& [option, source] :
       {std::pair("--a-source", &output->a_source), {"--b-source", &output->b_source}}) {
    command.add_option(option, *source, "given: in memory before the start; made: where and when it is used")
        ->check(CLI::IsMember({"given", "made"}));
  }
  command
      .add_option("--tune", output->tune,
                  "Values that `foretile tune` may give a key of the tiling; repeatable (tile=500,1000)")
      ->type_name("KEY=VALUE,VALUE")
      ->allow_extra_args(false);
  add_json_option(command, output->options);
  command.callback([parameters, output, to_toml, complete, kind = command.get_name()] {
    if (complete) complete(*parameters, *output);
    write_problem(to_toml(*parameters), *output, kind);
  });
  return parameters;
}

template <class Parameters>
void add_extents(CLI::App& command, Parameters& p) {
  command.add_option("--m", p.m, "Rows of A and C")->required();
  command.add_option("--n", p.n, "Columns of B and C")->required();
  command.add_option("--k", p.k, "Columns of A, rows of B")->required();
}

template <class Parameters>
void add_seed(CLI::App& command, Parameters& p) {
  command.add_option("--seed", p.seed, "The same seed gives the same problem everywhere")
      ->check(whole_number_check())
      ->capture_default_str();
}

template <class Parameters>
void add_accumulate(CLI::App& command, Parameters& p) {
  command.add_flag("--accumulate", p.accumulate, "C += A B with an initial C, instead of C = A B");
}

/// Tiles of a usual size, and smaller ones for the tuner, when the user names none.
void choose_tiles(DenseParameters& p, Output& output) {
  const bool any_size = p.tile != 0 || p.m_tile != 0 || p.n_tile != 0 || p.k_tile != 0;
  if (any_size || !p.m_tiles.empty() || !p.n_tiles.empty() || !p.k_tiles.empty()) return;
  if (p.m < 1 || p.n < 1 || p.k < 1) return;  // the problem's own checks say so
  const TileSize usual = usual_tiles(p.m, p.n, p.k);
  p.m_tile = usual.m;
  p.n_tile = usual.n;
  p.k_tile = usual.k;
  if (!output.tune.empty()) return;
  for (const auto& [key, size] : {std::pair("m_tile", usual.m), {"n_tile", usual.n}, {"k_tile", usual.k}}) {
    if (size > 1) output.tune.push_back(fmt::format("{}={},{}", key, (size + 1) / 2, size));
  }
}

void add_dense(CLI::App& group) {
  CLI::App& command = *group.add_subcommand("dense", "Every tile is nonzero");
  const auto p = add_kind<DenseParameters>(command, dense_problem_toml, choose_tiles);
  add_extents(command, *p);
  command
      .add_option(
          "--tile", p->tile,
          "Rows and columns of a tile. Without any size: at most 2048 rows of C and 1024 along K, and "
          "half of that for the tuner")
      ->check(whole_number_check(1));
  for (const auto& [option, size, index] : {std::tuple("--m-tile", &p->m_tile, "M"),
                                            {"--n-tile", &p->n_tile, "N"},
                                            {"--k-tile", &p->k_tile, "K"}}) {
    command.add_option(option, *size, fmt::format("Of {}, instead of --tile", index))
        ->check(whole_number_check(1));
  }
  command.add_option("--m-tiles", p->m_tiles, "Sizes that add up to M, instead of --tile")->delimiter(',');
  command.add_option("--n-tiles", p->n_tiles, "The same for N")->delimiter(',');
  command.add_option("--k-tiles", p->k_tiles, "The same for K")->delimiter(',');
  add_seed(command, *p);
  add_accumulate(command, *p);
}

void add_random(CLI::App& group) {
  CLI::App& command =
      *group.add_subcommand("random", "Tiles of random sizes, removed at random (RR-9365, section 5.1)");
  const auto p = add_kind<RandomParameters>(command, random_problem_toml);
  add_extents(command, *p);
  command.add_option("--tile-min", p->tile_min, "Smallest tile")->capture_default_str();
  command.add_option("--tile-max", p->tile_max, "Largest tile")->capture_default_str();
  command.add_option("--a-density", p->a_density, "Nonzero elements of A over all, in (0, 1]")
      ->capture_default_str();
  command.add_option("--b-density", p->b_density, "Nonzero elements of B over all, in (0, 1]")
      ->capture_default_str();
  command
      .add_option_function<double>(
          "--density", [p](double density) { p->a_density = p->b_density = density; }, "Both densities")
      ->excludes("--a-density")
      ->excludes("--b-density");
  add_seed(command, *p);
  add_accumulate(command, *p);
}

void add_length(CLI::App& command, const char* name, double& length, const char* meaning) {
  command.add_option(name, length, std::string(meaning) + ", angstrom")->capture_default_str();
}

void add_molecule(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "molecule", "The ABCD term of coupled cluster, of a molecule (RR-9365, section 5.2)");
  const auto p = add_kind<MoleculeParameters>(command, molecule_problem_toml);
  command
      .add_option_function<std::string>(
          "--xyz",
          [p](const std::string& file) {
            p->xyz = read_text(file);
            parse_xyz(p->xyz, file);  // so that errors name this file and its lines
          },
          "The molecule, an XYZ file")
      ->required()
      ->type_name("FILE.xyz");
  command
      .add_option_function<std::string>(
          "--basis", [p](const std::string& basis) { p->basis = basis_named(basis, "--basis"); }, "Basis set")
      ->default_str(std::string(name(p->basis)));
  command.add_option("--occ-clusters", p->occ_clusters, "Clusters of the occupied orbitals")->required();
  command.add_option("--ao-clusters", p->ao_clusters, "Clusters of the atoms and their AO functions")
      ->required();
  command.add_option("--cluster-seed", p->cluster_seed, "Seed of the k-means clusterings")
      ->check(whole_number_check())
      ->capture_default_str();
  add_length(command, "--pair-cutoff", p->pair_cutoff, "Pairs of orbitals farther apart are dropped");
  add_length(command, "--amplitude-decay", p->amplitude_decay, "T falls as exp(-distance / decay)");
  add_length(command, "--amplitude-reach", p->amplitude_reach, "T is zero beyond");
  add_length(command, "--overlap-length", p->overlap_length, "V falls as exp(-(distance / length)^2)");
  add_length(command, "--overlap-reach", p->overlap_reach, "V is zero beyond");
  add_length(command, "--residual-reach", p->residual_reach, "R is not computed beyond; 0: no such limit");
  command.add_option("--c-threshold", p->c_threshold, "Least |T tile| |V tile| that makes a tile of R")
      ->capture_default_str();
  command.add_option("--tile-min", p->tile_min, "Least extent of a tile; unbounded unless given")
      ->check(CLI::PositiveNumber);
  command.add_option("--tile-max", p->tile_max, "Largest extent of a tile; unbounded unless given")
      ->check(CLI::PositiveNumber);
  command.add_option("--tile-rows", p->tile_rows, "Only so many tile rows of T and R; all unless given")
      ->check(CLI::PositiveNumber);
  add_seed(command, *p);
}

}  // namespace

void add_problem_command(CLI::App& app) {
  CLI::App& group = *app.add_subcommand("problem", "Write a problem file");
  group.require_subcommand(1);
  add_dense(group);
  add_random(group);
  add_molecule(group);
}

}  // namespace foretile
