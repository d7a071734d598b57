// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/molecule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/random.hpp"
#include "planner/problem/kinds/electrons.hpp"
#include "planner/problem/kinds/kmeans.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile::molecule_test {
namespace {

const char* const water = "3\nwater\nO 0 0 0\nH 0.76 0.59 0\nH -0.76 0.59 0\n";

std::string problem_text(const std::string& lines, const std::string& xyz = water) {
  return "kind = \"molecule\"\n" + lines + "xyz = '''\n" + xyz + "'''\n";
}

std::string message_of(const std::string& toml) {
  try {
    build_contraction({"p", toml, "p.toml"});
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

void expect_same(const Shape& l, const Shape& r) {
  ASSERT_EQ(l.nonzeros(), r.nonzeros());
  for (TileId id = 0; id < l.nonzeros(); ++id) {
    EXPECT_EQ(l.row_of(id), r.row_of(id));
    EXPECT_EQ(l.column_of(id), r.column_of(id));
    EXPECT_EQ(l.norm(id), r.norm(id));
  }
}

void expect_tiles_within(const Tiling& tiling, std::int64_t least, std::int64_t most) {
  for (std::int32_t t = 0; t < tiling.tiles(); ++t) {
    EXPECT_GE(tiling.size(t), least) << t;
    EXPECT_LE(tiling.size(t), most) << t;
  }
}

TEST(Molecule, WrittenTextGivesTheSameContraction) {
  MoleculeParameters p;
  p.xyz = "3\r\nit's caf\xc3\xa9 '''\r\nO 0 0 0\r\nH 0.76 0.59 0\r\nH -0.76 0.59 0";
  p.occ_clusters = 2;
  p.ao_clusters = 3;
  p.amplitude_reach = 0.7;
  p.overlap_reach = 1.0;
  p.seed = 5;
  const Contraction direct = molecule_contraction(p);
  const Contraction read = build_contraction({"w", molecule_problem_toml(p), "w.toml"});
  EXPECT_EQ(read.name, "w");
  EXPECT_EQ(read.seed, 5U);
  EXPECT_EQ(direct.m.cuts(), read.m.cuts());
  EXPECT_EQ(direct.n.cuts(), read.n.cuts());
  expect_same(direct.a, read.a);
  expect_same(direct.b, read.b);
  expect_same(direct.c, read.c);
  EXPECT_EQ(read.k.extent(), 24 * 24);  // 14 + 2 * 5 functions
  EXPECT_EQ(read.m.extent(), 16);       // 4 orbitals, all pairs within 37 angstrom
}

// Reference: with each atom and each orbital place alone in its cluster the screening is plain distances.
// Every AO function is looked at on its own, for random reaches.
TEST(Molecule, ShapesEqualPlainDistancesWhenClustersAreSingle) {
  const std::string xyz = read_text(find_data("examples/c12h26.xyz"));
  const auto atoms = parse_xyz(xyz, "c12");
  std::vector<Point> orbitals;
  for (const OccupiedOrbital& orbital : occupied_orbitals(atoms, lewis_structure(atoms, {}, "c12"), false))
    orbitals.push_back(orbital.centre);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    MoleculeParameters p;
    p.xyz = xyz;
    p.occ_clusters = std::ssize(orbitals);
    p.ao_clusters = std::ssize(atoms);
    p.pair_cutoff = 3 + 10 * random.real();
    p.amplitude_reach = 2 + 3 * random.real();
    p.overlap_reach = 1 + 3 * random.real();
    p.residual_reach = 0;
    const Traits t = traits(molecule_contraction(p));

    std::int64_t m = 0;
    std::int64_t a_elements = 0;
    std::vector<std::int64_t> near_functions;
    for (const Point& i : orbitals) {
      std::int64_t near = 0;
      for (const Atom& c : atoms) {
        if (distance(i, c.position) <= p.amplitude_reach) near += functions(p.basis, c.element, "m");
      }
      near_functions.push_back(near);
    }
    for (std::size_t i = 0; i < orbitals.size(); ++i) {
      for (std::size_t j = 0; j < orbitals.size(); ++j) {
        if (distance(orbitals[i], orbitals[j]) > p.pair_cutoff) continue;
        ++m;
        a_elements += near_functions[i] * near_functions[j];
      }
    }
    std::int64_t overlapping = 0;
    for (const Atom& c : atoms) {
      for (const Atom& a : atoms) {
        if (distance(c.position, a.position) > p.overlap_reach) continue;
        overlapping += functions(p.basis, c.element, "m") * functions(p.basis, a.element, "m");
      }
    }
    EXPECT_EQ(t.m, m);
    EXPECT_EQ(t.a_bytes, 8 * a_elements);
    EXPECT_EQ(t.b_bytes, 8 * overlapping * overlapping);
  }
}

TEST(Molecule, TileRowsKeepsTheFirstRowsAsTheyAre) {
  MoleculeParameters p;
  p.xyz = read_text(find_data("examples/c12h26.xyz"));
  p.occ_clusters = 4;
  p.ao_clusters = 6;
  p.amplitude_reach = 5;
  p.overlap_reach = 4;
  p.residual_reach = 6;
  const Contraction all = molecule_contraction(p);
  p.tile_rows = 5;
  const Contraction some = build_contraction({"w", molecule_problem_toml(p), "w.toml"});
  ASSERT_EQ(some.m.tiles(), 5);
  ASSERT_GT(all.m.tiles(), 5);
  for (std::int32_t i = 0; i <= 5; ++i) EXPECT_EQ(some.m.cuts()[i], all.m.cuts()[i]);
  for (std::int32_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(std::ranges::equal(some.a.row(i), all.a.row(i)));
    EXPECT_TRUE(std::ranges::equal(some.c.row(i), all.c.row(i)));
  }
  expect_same(some.b, all.b);
}

// Every tile row and column is within the bounds; pairs and functions stay the same.
TEST(Molecule, TileBoundsHoldForRowsAndColumns) {
  MoleculeParameters p;
  p.xyz = read_text(find_data("examples/c12h26.xyz"));
  p.occ_clusters = 5;
  p.ao_clusters = 9;
  p.pair_cutoff = 9;
  const Contraction free = molecule_contraction(p);
  p.tile_min = 40;
  p.tile_max = 2500;
  const Contraction bounded = build_contraction({"w", molecule_problem_toml(p), "w.toml"});
  EXPECT_EQ(bounded.m.extent(), free.m.extent());
  EXPECT_EQ(bounded.n.extent(), free.n.extent());
  for (const Tiling* tiling : {&bounded.m, &bounded.n, &bounded.k}) expect_tiles_within(*tiling, 40, 2500);
}

TEST(Molecule, TileBoundsThatCannotBeMetAreRefused) {
  const std::string lines = "basis = \"def2-SVP\"\nocc_clusters = 1\nao_clusters = 1\n";
  const std::string message = message_of(problem_text(lines + "tile_max = 30\n"));  // O alone has 14^2
  EXPECT_NE(message.find("a cluster of weight 14"), std::string::npos) << message;
  EXPECT_NE(message_of(problem_text(lines + "tile_min = 9\ntile_max = 8\n")).find("key 'tile_min'"),
            std::string::npos);
}

/// However far apart: two waters 5,000,000 angstrom from each other, all norms exactly those of ones.
TEST(Molecule, DenseKeepsAll) {
  MoleculeParameters p;
  p.xyz =
      "6\n\nO 0 0 0\nO 5e6 0 0\nH 0.76 0.59 0\nH 5000000.76 0.59 0\nH -0.76 0.59 0\nH 4999999.24 0.59 0\n";
  p.dense = true;
  p.occ_clusters = p.ao_clusters = 2;
  const Contraction c = molecule_contraction(p);
  EXPECT_EQ(c.m.extent(), 64);
  EXPECT_EQ(c.b.nonzeros(), 16);
  for (TileId tile = 0; tile < c.b.nonzeros(); ++tile) EXPECT_FLOAT_EQ(c.b.norm(tile), 24 * 24);
}

/// 5000 argon atoms have 20,000 valence orbitals, and 400 million pairs; with core, 45,000.
TEST(Molecule, RefusesTooManyPairs) {
  MoleculeParameters p;
  p.xyz = "6100\n\n";  // 9 occupied orbitals each, 54900^2 > 3e9 pairs
  for (int atom = 0; atom < 6100; ++atom) p.xyz += fmt::format("Ar {} 0 0\n", 5 * atom);
  p.basis = Basis::pople_6_31g;
  p.core = p.dense = true;
  p.space = OrbitalSpace::virtuals;
  p.occ_clusters = p.ao_clusters = 1;
  EXPECT_THROW(molecule_contraction(p), InputError);
}

/// Two waters 9 angstrom apart: 2 x (4 + 1) occupied orbitals, 2 x 36 virtual ones; each molecule is a
/// cluster, whatever the seed.
TEST(Molecule, WholeMoleculesMakeClusters) {
  MoleculeParameters p;
  p.xyz = "6\n\nO 0 0 0\nO 9 0 0\nH 0.76 0.59 0\nH 9.76 0.59 0\nH -0.76 0.59 0\nH 8.24 0.59 0\n";
  p.basis = Basis::aug_cc_pvdz;
  p.core = true;
  p.space = OrbitalSpace::virtuals;
  p.whole_molecules = true;
  p.dense = true;
  p.occ_clusters = p.ao_clusters = 2;
  for (p.cluster_seed = 1; p.cluster_seed < 10; ++p.cluster_seed) {
    const Contraction c = molecule_contraction(p);
    EXPECT_EQ(c.m.cuts(), Tiling::from_sizes({25, 25, 25, 25}).cuts());
    EXPECT_EQ(c.n.cuts(), Tiling::from_sizes({1296, 1296, 1296, 1296}).cuts());
    EXPECT_EQ(c.a.nonzeros() + c.b.nonzeros() + c.c.nonzeros(), 16 + 16 + 16);
  }
  p.dense = false;
  p.amplitude_reach = p.overlap_reach = 5;  // nothing links the two: A has the diagonal, B too
  p.residual_reach = 0;
  const Contraction apart = molecule_contraction(p);
  EXPECT_EQ(apart.a.nonzeros(), 4);
  EXPECT_EQ(apart.b.nonzeros(), 4);
  const Contraction read = build_contraction({"w", molecule_problem_toml(p), "w.toml"});
  expect_same(apart.a, read.a);
  EXPECT_EQ(apart.n.cuts(), read.n.cuts());
}

TEST(Molecule, MoreTileRowsThanThereAreAreRefused) {
  const std::string lines = "basis = \"def2-SVP\"\nocc_clusters = 2\nao_clusters = 3\n";
  const std::string message = message_of(problem_text(lines + "tile_rows = 5\n"));
  EXPECT_NE(message.find("tile_rows"), std::string::npos) << message;
  EXPECT_NE(message.find("at most 4"), std::string::npos) << message;
  EXPECT_NE(message_of(problem_text(lines + "tile_rows = 0\n")).find("tile_rows"), std::string::npos);
  EXPECT_EQ(message_of(problem_text(lines + "tile_rows = 4\n")), "no error");
}

TEST(Molecule, ResidualReachAndThresholdOnlyRemoveTiles) {
  MoleculeParameters p;
  p.xyz = read_text(find_data("examples/c12h26.xyz"));
  p.occ_clusters = 6;
  p.ao_clusters = 12;
  p.amplitude_reach = 3;
  p.overlap_reach = 2;
  p.residual_reach = 0;
  const Contraction all = molecule_contraction(p);
  p.residual_reach = 4;
  const Contraction given = molecule_contraction(p);
  p.residual_reach = 0;
  p.c_threshold = all.a.norm(0) * all.b.norm(0);
  const Contraction above = molecule_contraction(p);
  for (const Contraction* fewer : {&given, &above}) {
    EXPECT_LT(fewer->c.nonzeros(), all.c.nonzeros());
    EXPECT_GT(fewer->c.nonzeros(), 0);
    for (TileId id = 0; id < fewer->c.nonzeros(); ++id) {
      EXPECT_TRUE(all.c.contains(fewer->c.row_of(id), fewer->c.column_of(id)));
    }
  }
}

TEST(Molecule, SaysThatABasisLacksAnElement) {
  for (const std::string space : {"ao", "virtual"}) {
    const std::string keys =
        "basis = \"aug-cc-pVDZ\"\nocc_clusters = 1\nao_clusters = 1\nspace = \"" + space + "\"\n";
    EXPECT_EQ(
        message_of(problem_text(keys, "2\n\nK 0 0 0\nCl 0 0 2.67\n")),
        "p.toml: key 'basis': found element K in aug-cc-pVDZ, which has no functions for it, expected a "
        "basis set that has K: def2-SVP, def2-TZVP, 6-31G, 6-31G*, 6-31G**, 6-31+G**");
  }
}

TEST(Molecule, ErrorsNameLineAndKey) {
  const std::string good = "basis = \"def2-SVP\"\nocc_clusters = 1\nao_clusters = 1\n";
  EXPECT_EQ(message_of(problem_text(good)), "no error");
  EXPECT_EQ(message_of(problem_text("basis = \"STO-3G\"\nocc_clusters = 1\nao_clusters = 1\n")),
            "p.toml:2: key 'basis': found \"STO-3G\", expected one of def2-SVP, def2-TZVP, cc-pVDZ, "
            "cc-pVTZ, cc-pVQZ, aug-cc-pVDZ, aug-cc-pVTZ, aug-cc-pVQZ, 6-31G, 6-31G*, 6-31G**, 6-31+G**");
  // Line 5 opens the text, so its first line is 6 and the first atom stands on 8.
  EXPECT_EQ(message_of(problem_text(good, "1\n\nQ 0 0 0\n")),
            "p.toml:8: XYZ: found element 'Q', expected one of H to Kr, as Cl, not CL");
  EXPECT_EQ(message_of("kind = \"molecule\"\n" + good + "xyz = '''1\n\nQ 0 0 0\n'''\n"),
            "p.toml:7: XYZ: found element 'Q', expected one of H to Kr, as Cl, not CL");
  EXPECT_EQ(
      message_of(problem_text("basis = \"def2-SVP\"\nocc_clusters = 1\nao_clusters = 4\n")),
      "p.toml: key 'ao_clusters': k-means: found 4 clusters of 3 distinct centres, expected 1 to 3 clusters");
  EXPECT_EQ(message_of(problem_text(good + "pair_cutoff = -1\n")),
            "p.toml:5: key 'pair_cutoff': found -1, expected a number from 0 to 1000000");
  EXPECT_EQ(message_of(problem_text(good + "overlap_length = 0\n")),
            "p.toml:5: key 'overlap_length': found 0, expected a number from 0.001 to 1000000");
  EXPECT_NE(message_of(problem_text(good + "cutoff = 1\n")).find("p.toml:5: unknown key \"cutoff\""),
            std::string::npos);
  EXPECT_NE(message_of(problem_text(good, "1\n\nC 0 0 0\n")).find("unpaired valence electrons"),
            std::string::npos);
  EXPECT_EQ(message_of(problem_text(good + "space = \"ri\"\n")),
            "p.toml:5: key 'space': found \"ri\", expected \"ao\" or \"virtual\"");
  EXPECT_EQ(message_of(problem_text(good + "unpaired = \"yes\"\n")),
            "p.toml:5: key 'unpaired': found \"yes\", expected \"refuse\" or \"pair\"");
  EXPECT_NE(message_of(problem_text(good + "charge = 1\n")).find("7 valence electrons with charge 1"),
            std::string::npos);
}

/// RR-9365, Table 1: teraflops, GEMM tasks and densities of T, V in percent; "opt." restricts R's shape.
struct PaperColumn {
  double tflop, tflop_opt;
  double gemms, gemms_opt;
  double t, v, r_opt;
};

void expect_within(double ours, double papers, double share, std::string_view what) {
  EXPECT_NEAR(ours / papers, 1.0, share) << what << ": " << ours << ", paper " << papers;
}

/// The same problem without a given shape of R.
Contraction without_given_shape(Problem problem) {
  const std::string key = "residual_reach = 15.1";
  problem.toml.replace(problem.toml.find(key), key.size(), "residual_reach = 0");
  return build_contraction(problem);
}

void expect_table(const std::string& example, const PaperColumn& paper, double share) {
  SCOPED_TRACE(example);
  const Problem problem = load_problem(example);
  const Traits opt = traits(build_contraction(problem));
  const Traits all = traits(without_given_shape(problem));
  expect_within(static_cast<double>(opt.m), 26576, 0.03, "M");
  EXPECT_EQ(opt.n, 2464900);
  EXPECT_EQ(opt.k, 2464900);
  expect_within(all.flops / 1e12, paper.tflop, share, "Tflop");
  expect_within(opt.flops / 1e12, paper.tflop_opt, share, "Tflop (opt.)");
  expect_within(static_cast<double>(all.gemms), paper.gemms, share, "GEMMs");
  expect_within(static_cast<double>(opt.gemms), paper.gemms_opt, share, "GEMMs (opt.)");
  expect_within(100 * opt.a_density, paper.t, share, "density of T");
  expect_within(100 * opt.b_density, paper.v, share, "density of V");
  expect_within(100 * opt.c_density, paper.r_opt, share, "density of R (opt.)");
}

TEST(MoleculeExamples, C65MeetsTheTableOfThePaper) {
  expect_table("c65-v1", {877, 850, 1899971, 1843309, 9.8, 2.4, 14.9}, 0.10);
  // Same lengths; cluster counts, seeds and bounds of the tiles are chosen.
  expect_table("c65-v2", {923, 899, 468368, 455159, 10.2, 2.6, 16.1}, 0.05);
  expect_table("c65-v3", {1237, 1209, 67818, 66315, 13.2, 3.1, 21.7}, 0.08);
}

// RR-9365, Table 1: rows and columns of the tiles of v2 and v3.
TEST(MoleculeExamples, C65TilesHaveTheRangesOfTheTable) {
  const Contraction v2 = build_contraction(load_problem("c65-v2"));
  const Contraction v3 = build_contraction(load_problem("c65-v3"));
  for (Tiling Contraction::*index : {&Contraction::m, &Contraction::n, &Contraction::k}) {
    expect_tiles_within(v2.*index, 500, 2500);
    expect_tiles_within(v3.*index, 1000, 5000);
  }
}

// v1 is what the platform summit is fitted to: a change needs a new fit (docs/results/rr9365.md).
TEST(MoleculeExamples, C65V1StaysAsItIs) {
  const Traits t = traits(build_contraction(load_problem("c65-v1")));
  EXPECT_EQ(t.gemms, 1834982);
  EXPECT_EQ(t.m_tiles, 52);
  EXPECT_EQ(t.n_tiles, 3721);
  EXPECT_NEAR(t.flops, 826.9e12, 0.05e12);
}

/// The model was fitted once, for this molecule; new problems begin with the same lengths.
TEST(MoleculeExamples, DefaultsAreTheFittedLengths) {
  const std::string written = molecule_problem_toml({.xyz = read_text(find_data("examples/c12h26.xyz"))});
  const std::string example = load_problem("c65-v1").toml;
  for (const std::string key : {"pair_cutoff", "amplitude_decay", "amplitude_reach", "overlap_length",
                                "overlap_reach", "residual_reach", "c_threshold"}) {
    const auto value = [&](const std::string& toml) {
      return std::stod(toml.substr(toml.find("\n" + key + " = ") + key.size() + 4));
    };
    EXPECT_EQ(value(written), value(example)) << key;
  }
}

TEST(MoleculeExamples, TilingsDifferInClustersAndBoundsOnly) {
  const auto lengths_and_atoms = [](const std::string& example) {
    const std::string toml = load_problem(example).toml;
    return toml.substr(toml.find("# Lengths"));
  };
  EXPECT_EQ(lengths_and_atoms("c65-v1"), lengths_and_atoms("c65-v2"));
  EXPECT_EQ(lengths_and_atoms("c65-v1"), lengths_and_atoms("c65-v3"));
  EXPECT_NE(lengths_and_atoms("c65-v1").find(read_text(find_data("examples/c65h132.xyz"))),
            std::string::npos);
}

/// The "TESSE" paper, section VII-B: O = 60 in two tiles, U = 432 in twelve; A and C of 5 GB, B of 260 GB.
TEST(MoleculeExamples, H2o12HasTheSizesOfThePaper) {
  const Contraction p = build_contraction(load_problem("h2o12"));
  const Traits t = traits(p);
  EXPECT_EQ(t.m, 60 * 60);
  EXPECT_EQ(t.n, 432 * 432);
  EXPECT_EQ(t.k, 186'624);
  EXPECT_EQ(t.m_tiles, 4);
  EXPECT_EQ(t.n_tiles, 144);
  EXPECT_EQ(t.k_tiles, 144);
  EXPECT_EQ(t.gemms, 82'944);
  EXPECT_EQ(t.b_bytes, 8 * t.k * t.n);  // 259.5 GiB
  EXPECT_EQ(t.a_bytes, 8 * t.m * t.k);  // 5.0 GiB
  EXPECT_EQ(t.c_bytes, t.a_bytes);
  EXPECT_EQ(p.sources, Sources{});
  expect_tiles_within(p.m, 900, 900);
  expect_tiles_within(p.n, 36 * 36, 36 * 36);
  EXPECT_NEAR(p.b.norm(77), 1296, 0.1);  // 1 per element
}

TEST(MoleculeExamples, C12RunsOnASmallMachine) {
  const Traits t = traits(build_contraction(load_problem("c12")));
  EXPECT_EQ(t.n, 298 * 298);  // 12 * 14 + 26 * 5 functions
  EXPECT_GT(t.flops, 3e12);
  EXPECT_LT(t.flops, 8e12);
  EXPECT_LT(t.a_bytes + t.c_bytes, 2'000'000'000);
}

/// Water in cc-pVDZ: 24 AOs, one core orbital, four pairs of valence electrons, so 19 virtual orbitals.
TEST(CountOrbitals, OfWater) {
  MoleculeParameters p;
  p.xyz = "3\n\nO 0 0 0.117\nH 0 0.757 -0.469\nH 0 -0.757 -0.469\n";
  p.basis = Basis::cc_pvdz;
  const OrbitalCounts frozen = count_orbitals(p);
  EXPECT_EQ(frozen.occupied, 4);
  EXPECT_EQ(frozen.core, 1);
  EXPECT_TRUE(frozen.frozen);
  EXPECT_EQ(frozen.virtuals, 19);
  EXPECT_EQ(frozen.functions, 24);
  p.core = true;
  p.space = OrbitalSpace::virtuals;
  const OrbitalCounts all = count_orbitals(p);
  EXPECT_EQ(all.occupied, 5);
  EXPECT_EQ(all.core, 1);
  EXPECT_FALSE(all.frozen);
  EXPECT_EQ(all.virtuals, 19);
  EXPECT_EQ(all.functions, 19);
}

/// KBr in def2-SVP: K 5 + 9 + 10 functions, Br 5 + 12 + 15; 27 pairs, 18 of them in cores and 5 in 3d of
/// Br.
TEST(CountOrbitals, OfPotassiumBromide) {
  MoleculeParameters p;
  p.xyz = "2\n\nK 0 0 0\nBr 0 0 2.82\n";
  const OrbitalCounts counts = count_orbitals(p);
  EXPECT_EQ(counts.functions, 24 + 32);
  EXPECT_EQ(counts.core, 18);
  EXPECT_EQ(counts.occupied, 9);
  EXPECT_EQ(counts.virtuals, 56 - 27);
  // Counted without bonds they are as many.
  const ClosedShell shell = orbital_counts(parse_xyz(p.xyz, "m"), p.basis, 0, true, "m");
  EXPECT_EQ(shell.occupied, counts.occupied);
  EXPECT_EQ(shell.virtuals, counts.virtuals);
}

}  // namespace
}  // namespace foretile::molecule_test
