// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/molecule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "planner/problem/kinds/geometry.hpp"
#include "planner/problem/kinds/kmeans.hpp"
#include "planner/problem/kinds/pair_fusion.hpp"
#include "planner/problem/kinds/screening.hpp"
#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/limits.hpp"

namespace foretile {

namespace {

constexpr double shortest = 1e-3;  // no length of a molecule is below a thousandth of an angstrom
constexpr double longest = 1e6;
constexpr std::int64_t max_charge = 1'000'000;

using Groups = std::vector<std::vector<std::int32_t>>;

/// k-means of groups of centres that stay together, by the means of their centres.
Clusters clusters_named(std::string_view key, const ClusteredCentres& all, const Groups& groups,
                        std::int64_t count, std::uint64_t seed, WeightRange range) {
  std::vector<Point> means;
  std::vector<double> weights;
  for (const auto& group : groups) {
    Point sum;
    weights.push_back(0);
    for (const std::int32_t i : group) {
      sum = sum + all.centres[i];
      weights.back() += all.weights[i];
    }
    means.push_back(1.0 / static_cast<double>(group.size()) * sum);
  }
  Clusters clusters;
  try {
    clusters = k_means(means, weights, count, seed, range);
  } catch (const InputError& e) {
    throw within(fmt::format("key '{}'", key), e);
  }
  for (auto& cluster : clusters) {
    std::vector<std::int32_t> members;
    for (const std::int32_t group : cluster)
      members.insert(members.end(), groups[group].begin(), groups[group].end());
    std::sort(members.begin(), members.end());
    cluster = std::move(members);
  }
  return clusters;
}

/// A tile holds the pairs of two clusters, so clusters of these sizes give tiles of tile_min to tile_max.
WeightRange cluster_sizes(const MoleculeParameters& p) {
  WeightRange range;
  range.least = std::ceil(std::sqrt(static_cast<double>(p.tile_min)));
  if (p.tile_max > 0) range.most = std::floor(std::sqrt(static_cast<double>(p.tile_max)));
  return range;
}

/// Centres of these atoms, each for itself or those of a molecule together.
Groups groups_of(const std::vector<std::int32_t>& atom_of, const std::vector<std::int32_t>& fragment_of,
                 bool whole_molecules) {
  std::map<std::int32_t, std::vector<std::int32_t>> groups;
  for (std::int32_t i = 0; i < std::ssize(atom_of); ++i)
    groups[whole_molecules ? fragment_of[atom_of[i]] : i].push_back(i);
  Groups list;
  for (auto& [number, members] : groups) list.push_back(std::move(members));
  return list;
}

struct Molecule {
  std::vector<Atom> atoms;
  LewisStructure structure;
  std::vector<std::int32_t> fragments;  // by atom

  explicit Molecule(const MoleculeParameters& p)
      : atoms(parse_xyz(p.xyz, "key 'xyz'")),
        structure(lewis_structure(atoms, p.electrons, "key 'xyz'")),
        fragments(fragment_of(atoms.size(), structure.bonds)) {}
};

ClusteredCentres clustered_orbitals(const Molecule& molecule, const MoleculeParameters& p) {
  ClusteredCentres o;
  std::vector<std::int32_t> atom_of;
  for (const OccupiedOrbital& orbital : occupied_orbitals(molecule.atoms, molecule.structure, p.core)) {
    o.centres.push_back(orbital.centre);
    atom_of.push_back(orbital.atom);
  }
  if (o.centres.empty()) throw input_error("key 'xyz'", "no valence electrons", "some");
  o.weights.assign(o.centres.size(), 1.0);
  o.clusters = clusters_named("occ_clusters", o, groups_of(atom_of, molecule.fragments, p.whole_molecules),
                              p.occ_clusters, p.cluster_seed, cluster_sizes(p));
  return o;
}

/// All functions of an atom share its centre and so its cluster.
ClusteredCentres clustered_functions(const Molecule& molecule, const MoleculeParameters& p) {
  ClusteredCentres u;
  std::vector<std::int32_t> atom_of;
  for (const Atom& atom : molecule.atoms) {
    atom_of.push_back(static_cast<std::int32_t>(u.centres.size()));
    u.centres.push_back(atom.position);
    u.weights.push_back(static_cast<double>(functions(p.basis, atom.element, "key 'basis'")));
  }
  if (p.space == OrbitalSpace::virtuals) {
    const std::vector<std::int64_t> counts =
        virtual_orbitals(molecule.atoms, molecule.structure, p.basis, "key 'xyz'");
    u.weights.assign(counts.begin(), counts.end());
  }
  // Another seed, so that the two clusterings are independent.
  u.clusters = clusters_named("ao_clusters", u, groups_of(atom_of, molecule.fragments, p.whole_molecules),
                              p.ao_clusters, p.cluster_seed + 1, cluster_sizes(p));
  return u;
}

std::vector<std::int64_t> functions_per_cluster(const ClusteredCentres& all) {
  std::vector<std::int64_t> sizes;
  for (const auto& members : all.clusters) {
    double sum = 0;
    for (const std::int32_t i : members) sum += all.weights[i];
    sizes.push_back(static_cast<std::int64_t>(sum));
  }
  return sizes;
}

void check_size(const std::vector<std::int64_t>& sizes) {
  const std::int64_t functions = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  if (functions > max_extent / functions) {
    throw input_error("key 'xyz'",
                      fmt::format("{} basis functions, {} pairs", functions, functions * functions),
                      fmt::format("at most {} pairs", max_extent), "take a smaller basis or molecule");
  }
}

void check_pairs(std::int64_t orbitals) {
  if (orbitals > max_extent / orbitals)
    throw input_error("key 'xyz'",
                      fmt::format("{} occupied orbitals, {} pairs", orbitals, orbitals * orbitals),
                      fmt::format("at most {} pairs", max_extent), "take a smaller molecule");
}

Shape checked_shape(const std::vector<PairTile>& rows, const Links& links,
                    const std::vector<std::int64_t>& sizes) {
  check_tile_count(fused_tiles(rows, links), 1);
  return fused_shape(rows, links, sizes);
}

Shape residual_shape(const MoleculeParameters& p, const ClusteredCentres& orbitals,
                     const ClusteredCentres& aos, const std::vector<PairTile>& ij,
                     const std::vector<std::int64_t>& sizes, const Shape& t, const Shape& v) {
  if (p.residual_reach == 0) return symbolic_product(t, v, p.c_threshold);
  const Decay decay{Decay::Kind::exponential, p.amplitude_decay};
  const Shape allowed = checked_shape(ij, links_within(orbitals, aos, decay, p.residual_reach), sizes);
  return symbolic_product(t, v, p.c_threshold, &allowed);
}

/// Tile rows are numbered along the molecule, so these pairs ij begin at its one end.
std::vector<PairTile> first_rows(std::vector<PairTile> ij, std::int64_t tile_rows) {
  if (tile_rows > std::ssize(ij)) {
    throw input_error("key 'tile_rows'", fmt::to_string(tile_rows),
                      fmt::format("at most {}, the number of tile rows", ij.size()),
                      "lower it, or leave it out to keep all");
  }
  if (tile_rows > 0) ij.resize(static_cast<std::size_t>(tile_rows));
  return ij;
}

/// Pairs beyond the cutoff are missing in some tile rows, which may so become too small.
std::vector<PairTile> tile_rows(const MoleculeParameters& p, ClusteredCentres& orbitals) {
  std::vector<PairTile> ij = pairs_within(orbitals, p.pair_cutoff);
  const std::int64_t most = p.tile_max > 0 ? p.tile_max : max_extent;
  if (p.tile_min > 0) join_small_tiles(ij, orbitals, p.pair_cutoff, p.tile_min, most);
  return first_rows(std::move(ij), p.tile_rows);
}

/// Nothing is too far away, and no norm falls: coordinates are at most 1e7.
MoleculeParameters unscreened(MoleculeParameters p) {
  constexpr double endless = 1e30;
  p.pair_cutoff = p.amplitude_decay = p.amplitude_reach = p.overlap_length = p.overlap_reach = endless;
  p.residual_reach = p.c_threshold = 0;
  return p;
}

/// What may stand between the ''' of a TOML text: printable ASCII and line ends.
std::string plain_text(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c == '\r') continue;
    plain += c == '\n' || (c >= ' ' && c <= '~' && c != '\'') ? c : ' ';
  }
  if (!plain.ends_with('\n')) plain += '\n';
  return plain;
}

/// Whether the key has the second of two words; the first one where it is missing.
bool choice(TableReader& table, std::string_view key, std::string_view first, std::string_view second) {
  const std::string word = table.text_or(key, first);
  if (word != first && word != second)
    throw table.error(key, fmt::format("\"{}\"", word), fmt::format("\"{}\" or \"{}\"", first, second));
  return word == second;
}

/// What is not as usual.
std::string special_toml(const MoleculeParameters& p) {
  std::string text;
  if (p.electrons.charge != 0) text += fmt::format("charge = {}\n", p.electrons.charge);
  if (p.electrons.pairs_rest) text += "unpaired = \"pair\"  # electrons without a bond become lone pairs\n";
  if (p.core) text += "core = true  # core orbitals are among i and j\n";
  if (p.space == OrbitalSpace::virtuals) text += "space = \"virtual\"  # of a, b, c and d\n";
  if (p.whole_molecules) text += "whole_molecules = true  # in a cluster\n";
  if (p.dense) text += "dense = true  # all pairs and all tiles\n";
  return text;
}

std::string lengths_toml(const MoleculeParameters& p) {
  return fmt::format(
      "\n# Lengths in angstrom. T[ij,cd] V[cd,ab] = R[ij,ab]: i, j occupied orbitals; a, b, c, d {}.\n"
      "pair_cutoff = {}      # pairs ij farther apart are dropped\n"
      "amplitude_decay = {}  # |T| falls as exp(-(d_ic + d_jd) / amplitude_decay)\n"
      "amplitude_reach = {}  # T is zero beyond, for ic or jd\n"
      "overlap_length = {}   # |V| falls as exp(-(d_ca^2 + d_db^2) / overlap_length^2)\n"
      "overlap_reach = {}    # V is zero beyond, for ca or db\n"
      "residual_reach = {}   # R is not computed beyond, for ia or jb; 0: wherever T V has a tile\n"
      "c_threshold = {}      # least |T tile| |V tile| that makes a tile of R\n\n",
      p.space == OrbitalSpace::ao ? "AOs" : "virtual orbitals", p.pair_cutoff, p.amplitude_decay,
      p.amplitude_reach, p.overlap_length, p.overlap_reach, p.residual_reach, p.c_threshold);
}

std::string bound_toml(std::string_view key, std::int64_t bound, std::string_view meaning) {
  return bound > 0 ? fmt::format("{} = {}  # {}\n\n", key, bound, meaning) : "";
}

}  // namespace

MoleculeParameters read_molecule(TableReader& table) {
  MoleculeParameters p;
  p.xyz = table.text("xyz");
  parse_xyz(p.xyz, table.source(), table.first_text_line("xyz"));
  p.basis = basis_named(table.text("basis"), table.where("basis"));
  p.electrons.charge = table.integer_or("charge", 0, -max_charge, max_charge);
  p.electrons.pairs_rest = choice(table, "unpaired", "refuse", "pair");
  p.core = table.boolean_or("core", false);
  p.space = choice(table, "space", "ao", "virtual") ? OrbitalSpace::virtuals : OrbitalSpace::ao;
  p.whole_molecules = table.boolean_or("whole_molecules", false);
  p.dense = table.boolean_or("dense", false);
  p.occ_clusters = table.integer("occ_clusters", 1, max_clusters);
  p.ao_clusters = table.integer("ao_clusters", 1, max_clusters);
  p.cluster_seed = static_cast<std::uint64_t>(table.integer_or("cluster_seed", 1, 0, max_seed));
  p.seed = static_cast<std::uint64_t>(table.integer_or("seed", 1, 0, max_seed));
  p.pair_cutoff = table.real_or("pair_cutoff", p.pair_cutoff, 0, longest);
  p.amplitude_decay = table.real_or("amplitude_decay", p.amplitude_decay, shortest, longest);
  p.amplitude_reach = table.real_or("amplitude_reach", p.amplitude_reach, 0, longest);
  p.overlap_length = table.real_or("overlap_length", p.overlap_length, shortest, longest);
  p.overlap_reach = table.real_or("overlap_reach", p.overlap_reach, 0, longest);
  p.residual_reach = table.real_or("residual_reach", p.residual_reach, 0, longest);
  p.c_threshold = table.real_or("c_threshold", p.c_threshold, 0, longest);
  if (table.has("tile_max")) p.tile_max = table.integer("tile_max", 1, max_extent);
  if (table.has("tile_min"))
    p.tile_min = table.integer("tile_min", 1, p.tile_max > 0 ? p.tile_max : max_extent);
  if (table.has("tile_rows")) p.tile_rows = table.integer("tile_rows", 1, max_tiles);
  return p;
}

std::string molecule_problem_toml(const MoleculeParameters& p) {
  return fmt::format(
             "kind = \"molecule\"\nbasis = \"{}\"\nocc_clusters = {}\nao_clusters = {}\ncluster_seed = {}\n"
             "seed = {}\n",
             name(p.basis), p.occ_clusters, p.ao_clusters, p.cluster_seed, p.seed) +
         special_toml(p) + (p.dense ? "\n" : lengths_toml(p)) +
         bound_toml("tile_min", p.tile_min, "least extent of a tile") +
         bound_toml("tile_max", p.tile_max, "largest extent of a tile") +
         (p.tile_rows > 0 ? fmt::format("tile_rows = {}  # the first ones of T and R\n\n", p.tile_rows)
                          : "") +
         fmt::format("xyz = '''\n{}'''\n", plain_text(p.xyz));
}

Contraction molecule_contraction(const MoleculeParameters& given) {
  const MoleculeParameters p = given.dense ? unscreened(given) : given;
  const Molecule molecule(p);
  ClusteredCentres orbitals = clustered_orbitals(molecule, p);
  const ClusteredCentres aos = clustered_functions(molecule, p);
  const std::vector<std::int64_t> sizes = functions_per_cluster(aos);
  check_size(sizes);
  check_tile_count(std::ssize(sizes), std::ssize(sizes));
  check_pairs(std::ssize(orbitals.centres));
  const std::vector<PairTile> ij = tile_rows(p, orbitals);
  const std::vector<PairTile> cd = all_pairs(sizes);

  const Decay amplitude{Decay::Kind::exponential, p.amplitude_decay};
  const Decay overlap{Decay::Kind::gaussian, p.overlap_length};
  Shape t = checked_shape(ij, links_within(orbitals, aos, amplitude, p.amplitude_reach), sizes);
  Shape v = checked_shape(cd, links_within(aos, aos, overlap, p.overlap_reach), sizes);
  check_product_count(t, v);
  Shape r = residual_shape(p, orbitals, aos, ij, sizes, t, v);
  Contraction contraction{"molecule",   tiling_of(ij), tiling_of(cd), tiling_of(cd),
                          std::move(t), std::move(v),  std::move(r),  p.seed};
  contraction.sources.b = Source::generated;
  return contraction;
}

std::vector<std::int64_t> occupied_clusters(const MoleculeParameters& parameters) {
  return functions_per_cluster(clustered_orbitals(Molecule(parameters), parameters));
}

std::vector<std::int64_t> function_clusters(const MoleculeParameters& parameters) {
  return functions_per_cluster(clustered_functions(Molecule(parameters), parameters));
}

OrbitalCounts count_orbitals(const MoleculeParameters& parameters) {
  MoleculeParameters whole = parameters;
  whole.occ_clusters = whole.ao_clusters = 1;
  const auto sum = [](const std::vector<std::int64_t>& of_clusters) {
    return std::accumulate(of_clusters.begin(), of_clusters.end(), std::int64_t{0});
  };
  OrbitalCounts counts{.occupied = sum(occupied_clusters(whole)),
                       .frozen = !parameters.core,
                       .functions = sum(function_clusters(whole))};
  whole.space = OrbitalSpace::virtuals;
  counts.virtuals = sum(function_clusters(whole));
  whole.core = true;
  const std::int64_t all = sum(occupied_clusters(whole));
  whole.core = false;
  counts.core = all - sum(occupied_clusters(whole));
  return counts;
}

}  // namespace foretile
