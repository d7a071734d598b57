// SPDX-License-Identifier: BSD-3-Clause
// Problem kind "molecule": the ABCD term of coupled cluster, R[ij,ab] = T[ij,cd] V[cd,ab] (RR-9365, equation
// 1 and section 5.2; the "TESSE" paper, equation 1). docs/problems.md describes the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/problem/contraction.hpp"
#include "planner/problem/kinds/orbitals.hpp"

namespace foretile {

class TableReader;

/// What a, b, c and d count.
enum class OrbitalSpace : std::uint8_t {
  ao,       ///< atomic orbitals (RR-9365)
  virtuals  ///< the orbitals that are not occupied ("TESSE")
};

/// Lengths in angstrom. The defaults are fitted to RR-9365, Table 1, mostly tiling v1.
struct MoleculeParameters {
  std::string xyz;  ///< the text of an XYZ file
  Basis basis = Basis::def2_svp;
  Electrons electrons = {};
  bool core = false;  ///< orbitals of closed inner shells are among i and j; else they are frozen
  OrbitalSpace space = OrbitalSpace::ao;
  std::int64_t occ_clusters = 0;   ///< of the localized occupied orbitals i, j
  std::int64_t ao_clusters = 0;    ///< of the atoms with their AOs or virtual orbitals a, b, c, d
  bool whole_molecules = false;    ///< atoms that bonds connect are in one cluster, and so are their orbitals
  std::uint64_t cluster_seed = 1;  ///< of both k-means clusterings
  std::uint64_t seed = 1;          ///< of the numbers in the tiles

  bool dense = false;  ///< all pairs and all tiles, of norm 1 per element; the lengths below do not count
  double pair_cutoff = 37.0;      ///< pairs ij of orbitals farther apart correlate too weakly and are dropped
  double amplitude_decay = 3.0;   ///< |T[ij,cd]| falls as exp(-(d_ic + d_jd) / amplitude_decay)
  double amplitude_reach = 11.6;  ///< T is zero where i and c, or j and d, are farther apart
  double overlap_length = 4.0;    ///< |V[cd,ab]| falls as exp(-(d_ca^2 + d_db^2) / overlap_length^2)
  double overlap_reach = 6.8;     ///< V is zero where c and a, or d and b, are farther apart
  /// R is not computed where i and a, or j and b, are farther apart ("opt." in Table 1); 0: it is computed
  /// wherever the product of shapes has a tile.
  double residual_reach = 15.1;
  /// R's tile is computed when some |T_tile| |V_tile| reaches this.
  double c_threshold = 0;
  /// Least and largest extent of a tile, in rows (kept pairs ij) and in columns (pairs of AOs); 0: no bound.
  std::int64_t tile_min = 0;
  std::int64_t tile_max = 0;
  /// Only so many tile rows of T and R, the first ones; 0: all. For machines that cannot hold all.
  std::int64_t tile_rows = 0;
};

/// Keys: the members' names.
MoleculeParameters read_molecule(TableReader& table);
/// The text of a problem file, the molecule included.
std::string molecule_problem_toml(const MoleculeParameters& parameters);
/// M = kept pairs ij, N = K = (number of AOs or virtual orbitals)^2; tiles are pairs of clusters. V, the
/// matrix B, is made (RR-9365, section 5.2). Throws InputError when there are less than `tile_rows`.
Contraction molecule_contraction(const MoleculeParameters& parameters);

/// Extents of the clusters of the occupied orbitals, and of the functions or virtual orbitals, as
/// molecule_contraction() has them: of each, not of their pairs. Throw InputError.
std::vector<std::int64_t> occupied_clusters(const MoleculeParameters& parameters);
std::vector<std::int64_t> function_clusters(const MoleculeParameters& parameters);

/// How many there are of each spin in the closed shell: --o and --v of a program.
struct OrbitalCounts {
  std::int64_t occupied = 0;   ///< without core orbitals, where these are frozen
  std::int64_t core = 0;       ///< of closed inner shells
  bool frozen = true;          ///< MoleculeParameters::core is not set
  std::int64_t virtuals = 0;   ///< atomic orbitals less core and other occupied orbitals
  std::int64_t functions = 0;  ///< what a, b, c, d count: atomic or virtual orbitals
};
/// Whatever the clusters are. Throws InputError for a molecule that has none.
OrbitalCounts count_orbitals(const MoleculeParameters& parameters);

}  // namespace foretile
