// SPDX-License-Identifier: BSD-3-Clause
// foretile problem KIND: writes a problem file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>

#include "apps/foretile/commands.hpp"
#include "apps/foretile/problem_matrices.hpp"
#include "apps/foretile/problem_output.hpp"
#include "apps/foretile/problem_tensor.hpp"
#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/geometry.hpp"
#include "planner/problem/kinds/molecule.hpp"
#include "planner/problem/kinds/random.hpp"

namespace foretile {

namespace {

template <class Parameters>
using Complete = std::function<void(Parameters&, ProblemOutput&)>;

/// One kind of problem: its options fill `Parameters`, which `to_toml` turns into the file's text. `complete`
/// sets what the user left open.
template <class Parameters>
std::shared_ptr<Parameters> add_kind(CLI::App& command, std::string (*to_toml)(const Parameters&),
                                     const Complete<std::type_identity_t<Parameters>>& complete = {}) {
  auto parameters = std::make_shared<Parameters>();
  const auto output = std::make_shared<ProblemOutput>();
  add_problem_options(command, *output);
  add_element_options(command, *output);
  const Source usual_b = command.get_name() == "dense" ? Source::given : Source::generated;
  for (const auto& [option, source, usual] : {std::tuple("--a-source", &output->a_source, Source::given),
                                              {"--b-source", &output->b_source, usual_b}}) {
    command
        .add_option(option, *source,
                    fmt::format("Where this operand comes from: given (in memory before the start) or "
                                "generated (on demand, by the rank that uses it). Default: {}",
                                name_of(usual)))
        ->transform([](const std::string& text) {
          return text == kFormerGenerated ? std::string(name_of(Source::generated)) : text;
        })
        ->check(CLI::IsMember({"given", "generated"}));
  }
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
  command
      .add_option("--seed", p.seed,
                  "Seed of all random numbers; the same seed gives the same problem everywhere")
      ->check(whole_number_check())
      ->capture_default_str();
}

template <class Parameters>
void add_accumulate(CLI::App& command, Parameters& p) {
  command.add_flag("--accumulate", p.accumulate,
                   "C += A B with an initial C from the seed, instead of C = A B");
}

/// Tiles of a usual size, and smaller ones for the tuner, when the user names none.
void choose_tiles(DenseParameters& p, ProblemOutput& output) {
  if (has_tile_sizes(p)) return;
  if (p.m < 1 || p.n < 1 || p.k < 1) return;  // the problem's own checks say so
  const TileSize usual = usual_tiles(p.m, p.n, p.k);
  p.m_tile = usual.m;
  p.n_tile = usual.n;
  p.k_tile = usual.k;
  tune_tiles(p, output);
}

void add_dense(CLI::App& group) {
  CLI::App& command = *group.add_subcommand("dense", "Every tile is nonzero");
  const auto p = add_kind<DenseParameters>(command, dense_problem_toml, choose_tiles);
  add_extents(command, *p);
  add_tile_options(
      command, *p,
      "at most 2048 rows of C and 1024 along K, so that all cores have work; half of that for the tuner, "
      "too");
  add_seed(command, *p);
  add_accumulate(command, *p);
}

void add_random(CLI::App& group) {
  CLI::App& command =
      *group.add_subcommand("random", "Tiles of random sizes, removed at random (RR-9365, section 5.1)");
  const auto p = add_kind<RandomParameters>(command, random_problem_toml);
  add_extents(command, *p);
  command.add_option("--tile-min", p->tile_min, "Least extent of a tile")->capture_default_str();
  command.add_option("--tile-max", p->tile_max, "Largest extent of a tile")->capture_default_str();
  command.add_option("--a-density", p->a_density, "Share of nonzero elements of this operand, in (0, 1]")
      ->capture_default_str();
  command.add_option("--b-density", p->b_density, "Share of nonzero elements of this operand, in (0, 1]")
      ->capture_default_str();
  command
      .add_option_function<double>(
          "--density", [p](double density) { p->a_density = p->b_density = density; },
          "Density of both operands")
      ->excludes("--a-density")
      ->excludes("--b-density");
  add_seed(command, *p);
  add_accumulate(command, *p);
}

void add_length(CLI::App& command, const char* name, double& length, const char* meaning) {
  command.add_option(name, length, meaning)->capture_default_str()->type_name("ANGSTROM");
}

void add_electrons(CLI::App& command, const std::shared_ptr<MoleculeParameters>& p) {
  command.add_option("--charge", p->electrons.charge, "Charge of the molecule")->capture_default_str();
  command
      .add_option_function<std::string>(
          "--unpaired", [p](const std::string& word) { p->electrons.pairs_rest = word == "pair"; },
          "Valence electrons without a bond: refuse (an error) or pair (lone pairs of their atoms: CO, nitro "
          "groups)")
      ->check(CLI::IsMember({"refuse", "pair"}))
      ->default_str("refuse");
  command.add_flag("--core", p->core, "Core orbitals are among i and j; else they are frozen");
  command
      .add_option_function<std::string>(
          "--space",
          [p](const std::string& word) {
            p->space = word == "ao" ? OrbitalSpace::ao : OrbitalSpace::virtuals;
          },
          "What a, b, c and d count: ao (atomic orbitals) or virtual (virtual orbitals)")
      ->check(CLI::IsMember({"ao", "virtual"}))
      ->default_str("ao");
}

/// Clusters as large as those of v1 in RR-9365, Table 1: 196 occupied orbitals in 8, 1570 AOs in 60.
void complete_molecule(MoleculeParameters& p, ProblemOutput& output) {
  constexpr double kOfACluster = 25;
  const OrbitalCounts counts = count_orbitals(p);
  const auto clusters = [](std::int64_t orbitals) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(orbitals) / kOfACluster));
  };
  if (p.occ_clusters == 0) p.occ_clusters = clusters(counts.occupied);
  const std::int64_t atoms = std::ssize(parse_xyz(p.xyz, "--xyz"));
  if (p.ao_clusters == 0) p.ao_clusters = std::min(clusters(counts.functions), atoms);
  output.orbitals = counts;
}

void add_molecule(CLI::App& group) {
  CLI::App& command = *group.add_subcommand(
      "molecule", "The ABCD term of coupled cluster, of a molecule (RR-9365, section 5.2)");
  const auto source = std::make_shared<std::string>();
  const auto p = add_kind<MoleculeParameters>(command, molecule_problem_toml,
                                              [source](MoleculeParameters& of, ProblemOutput& output) {
                                                require_different("--output", output.file, "--xyz", *source);
                                                complete_molecule(of, output);
                                              });
  command
      .add_option_function<std::string>(
          "--xyz",
          [p, source](const std::string& file) {
            *source = file;
            p->xyz = read_text(file);
            parse_xyz(p->xyz, file);  // so that errors name this file and its lines
          },
          "The molecule, an XYZ file")
      ->required()
      ->type_name("FILE.xyz");
  command
      .add_option_function<std::string>(
          "--basis", [p](const std::string& basis) { p->basis = basis_named(basis, "--basis"); },
          "Basis set of the molecule")
      ->default_str(std::string(name(p->basis)))
      ->type_name("NAME");
  add_electrons(command, p);
  command
      .add_option("--occ-clusters", p->occ_clusters,
                  "Number of clusters of occupied orbitals. Default: of about 25 each")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--ao-clusters", p->ao_clusters,
                  "Number of clusters of atoms with their AOs or virtual orbitals. Default: of about 25 "
                  "orbitals each")
      ->check(CLI::PositiveNumber);
  command.add_flag("--whole-molecules", p->whole_molecules, "Atoms that bonds connect are in one cluster");
  command.add_flag("--dense", p->dense, "All pairs and all tiles; the lengths do not count");
  command.add_option("--cluster-seed", p->cluster_seed, "Seed of the k-means clusterings")
      ->check(whole_number_check())
      ->capture_default_str();
  add_length(command, "--pair-cutoff", p->pair_cutoff,
             "Pairs of orbitals that are farther apart are dropped");
  add_length(command, "--amplitude-decay", p->amplitude_decay, "T falls as exp(-distance / decay)");
  add_length(command, "--amplitude-reach", p->amplitude_reach, "T is zero beyond this distance");
  add_length(command, "--overlap-length", p->overlap_length, "V falls as exp(-(distance / length)^2)");
  add_length(command, "--overlap-reach", p->overlap_reach, "V is zero beyond this distance");
  add_length(command, "--residual-reach", p->residual_reach,
             "R is not computed beyond this distance; 0: no such limit");
  command
      .add_option("--c-threshold", p->c_threshold,
                  "Least product of the norms of two tiles that makes a tile of R")
      ->capture_default_str();
  command.add_option("--tile-min", p->tile_min, "Least extent of a tile. Default: no limit")
      ->check(CLI::PositiveNumber);
  command.add_option("--tile-max", p->tile_max, "Largest extent of a tile. Default: no limit")
      ->check(CLI::PositiveNumber);
  command.add_option("--tile-rows", p->tile_rows, "Only so many tile rows of T and R. Default: all")
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
  add_matrices(group);
  add_tensor(group);
}

}  // namespace foretile
