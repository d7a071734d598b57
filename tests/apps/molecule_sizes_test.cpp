// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/molecule_sizes.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"

namespace foretile::molecule_sizes_test {
namespace {

namespace fs = std::filesystem;

class MoleculeSizes : public testing::Test {
 protected:
  MoleculeSizes() {
    std::ofstream(water_) << "3\n\nO 0 0 0\nH 0 0.757 0.586\nH 0 -0.757 0.586\n";
    arguments_.xyz = water_.string();
    arguments_.basis = "cc-pVDZ";
  }
  ~MoleculeSizes() override { fs::remove(water_); }

  std::string refusal() {
    try {
      take_molecule(arguments_, problem_, sizes_, {});
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  }

  fs::path water_ = fs::path(testing::TempDir()) / "molecule_sizes_test_water.xyz";
  MoleculeArguments arguments_;
  std::string problem_ = "ccsd";
  ProgramSizes sizes_;
};

/// By hand: O has 14 functions, H 5. 24 functions, 10 electrons; 6.3 * 24 = 151.2 vectors.
TEST_F(MoleculeSizes, AreThoseOfWater) {
  const auto molecule = take_molecule(arguments_, problem_, sizes_, {});
  ASSERT_TRUE(molecule);
  EXPECT_TRUE(problem_.ends_with("examples/cholesky_ccsd_lean.txt")) << problem_;
  EXPECT_EQ(sizes_.occupied, 5);
  EXPECT_EQ(sizes_.virtuals, 19);
  EXPECT_EQ(sizes_.vectors, 151);
  EXPECT_NE(molecule_text(*molecule).find("151, assumed: 6.3 for each function"), std::string::npos);
  const auto json = molecule_json(*molecule);
  EXPECT_EQ(json["electrons"], 10);
  EXPECT_EQ(json["vectors_per_function"], 6.3);
}

TEST_F(MoleculeSizes, TakesGivenVectorsAndFrozenCore) {
  arguments_.freeze_core = true;
  sizes_.vectors = 77;
  const auto molecule = take_molecule(arguments_, problem_, sizes_, {});
  EXPECT_EQ(sizes_.occupied, 4);
  EXPECT_EQ(sizes_.vectors, 77);
  EXPECT_EQ(molecule_text(*molecule).find("assumed"), std::string::npos);
  EXPECT_FALSE(molecule_json(*molecule).contains("vectors_per_function"));
}

TEST_F(MoleculeSizes, ConventionalIntegralsHaveNoVectors) {
  arguments_.integrals = "conventional";
  const auto molecule = take_molecule(arguments_, problem_, sizes_, {});
  EXPECT_TRUE(problem_.ends_with("examples/ccsd.txt")) << problem_;
  EXPECT_EQ(sizes_.vectors, 0);
  EXPECT_EQ(molecule_text(*molecule).find("vectors"), std::string::npos);
}

/// Helium in 6-31G has 2 functions, so 3 pairs, not 11 vectors.
TEST_F(MoleculeSizes, NoMoreVectorsThanPairs) {
  std::ofstream(water_) << "1\n\nHe 0 0 0\n";
  arguments_.basis = "6-31g";
  EXPECT_TRUE(take_molecule(arguments_, problem_, sizes_, {}));
  EXPECT_EQ(sizes_.vectors, 3);
}

TEST_F(MoleculeSizes, ExachemHasAProgramOfItsOwn) {
  arguments_.as_exachem = true;
  EXPECT_TRUE(take_molecule(arguments_, problem_, sizes_, {}));
  EXPECT_TRUE(problem_.ends_with("examples/cholesky_ccsd.txt")) << problem_;
}

TEST_F(MoleculeSizes, TheMoleculeIsNotWrittenOver) {
  try {
    take_molecule(arguments_, problem_, sizes_, {{"--output", water_.string()}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("--output and --xyz: found the same file"), 0U) << error.what();
  }
}

/// Of a name without a molecule, sizes come from --o, --v and --vectors.
TEST_F(MoleculeSizes, NamesTheProgramWithoutAMolecule) {
  EXPECT_FALSE(take_molecule({}, problem_, sizes_, {}));
  EXPECT_TRUE(problem_.ends_with("examples/cholesky_ccsd_lean.txt")) << problem_;
  problem_ = "c65-v1";
  EXPECT_FALSE(take_molecule({}, problem_, sizes_, {}));
  EXPECT_EQ(problem_, "c65-v1");
}

TEST_F(MoleculeSizes, RefusesWhatDoesNotGoTogether) {
  sizes_.occupied = 3;
  EXPECT_NE(refusal().find("--o: found it beside --xyz"), std::string::npos) << refusal();
  sizes_ = {};
  arguments_.basis = "sto-3g";
  EXPECT_NE(refusal().find("--basis: found \"sto-3g\""), std::string::npos) << refusal();
  arguments_.basis.clear();
  EXPECT_NE(refusal().find("--xyz: found no --basis"), std::string::npos) << refusal();
  arguments_ = {.xyz = arguments_.xyz, .basis = "cc-pVDZ", .charge = 1};
  EXPECT_NE(refusal().find("9 electrons"), std::string::npos) << refusal();
  problem_ = "h2o12";
  EXPECT_NE(refusal().find("--xyz: found h2o12"), std::string::npos) << refusal();
  arguments_ = {.integrals = "cholesky"};
  EXPECT_NE(refusal().find("--integrals: found h2o12"), std::string::npos) << refusal();
  arguments_ = {.freeze_core = true};
  EXPECT_NE(refusal().find("--freeze-core: found no --xyz"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace foretile::molecule_sizes_test
