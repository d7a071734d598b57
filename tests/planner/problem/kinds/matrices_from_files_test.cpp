// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/matrices_from_files.hpp"

#include <fstream>
#include <random>

#include "base/error.hpp"
#include "base/matrix_files/matrix_reader.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::matrices_from_files_test {
namespace {

class MatricesFromFiles : public ScratchFolder {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string npy(const std::string& name, std::int64_t rows, std::int64_t columns,
                  ElementType element = {}) const {
    const MatrixPlace place = parse_matrix_place(path(name));
    const MatrixFacts facts = dense_output(place, rows, columns, element);
    MatrixOutput output(place, facts);
    MatrixWriter(output.ticket(), facts).close();
    output.finish();
    return path(name);
  }

  std::string mtx(const std::string& name, const std::string& sizes_and_entries) const {
    std::ofstream(path(name)) << "%%MatrixMarket matrix coordinate real general\n" << sizes_and_entries;
    return path(name);
  }

  /// Blocks of zeros.
  std::string blocks(const std::string& name, const std::vector<std::int64_t>& rows,
                     const std::vector<std::int64_t>& columns, const std::vector<MatrixTile>& tiles) const {
    const MatrixPlace place = parse_matrix_place(path(name));
    const MatrixFacts facts = block_sparse_facts("test", rows, columns, tiles, {});
    MatrixOutput output(place, facts);
    MatrixWriter(output.ticket(), facts).close();
    output.finish();
    return path(name);
  }

  std::string message_of(const MatrixRequest& request) const {
    try {
      matrices_from_files(request);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }
};

TEST_F(MatricesFromFiles, FactsComeFromTheFiles) {
  const MatrixProblem p =
      matrices_from_files({npy("a.npy", 6, 4, {Precision::f32, true}),
                           npy("b.npy", 6, 5, {Precision::f32, true}), "", Op::transpose});
  EXPECT_EQ(p.element, (ElementType{Precision::f32, true}));
  EXPECT_EQ(p.parameters.indices.m, 4);
  EXPECT_EQ(p.parameters.indices.n, 5);
  EXPECT_EQ(p.parameters.indices.k, 6);
  EXPECT_TRUE(p.usual_tiles);
  EXPECT_EQ(p.parameters.a.bytes, 6 * 4 * 8);
  EXPECT_EQ(p.parameters.a.digest, open_matrix(parse_matrix_place(path("a.npy")))->digest());
  EXPECT_FALSE(p.parameters.a.tiles.has_value());
}

// A is the file's matrix transposed: its entry (1, 4) of value 3 is op(A)'s (4, 1), in tile (1, 0) of tiles
// of 3.
TEST_F(MatricesFromFiles, TilesAreThoseOfTheOperation) {
  DenseParameters tiles;
  tiles.tile = 3;
  const MatrixProblem p = matrices_from_files(
      {mtx("a.mtx", "4 5 2\n1 1 0\n2 5 3\n"), npy("b.npy", 4, 2), "", Op::transpose, Op::none, tiles});
  EXPECT_EQ(p.parameters.indices.m_tiles, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(p.parameters.indices.tile, 0);
  ASSERT_TRUE(p.parameters.a.tiles.has_value());
  ASSERT_EQ(p.parameters.a.tiles->size(), 2U);
  const Shape a(2, 2, *p.parameters.a.tiles);
  EXPECT_EQ(a.norm(*a.find(0, 0)), 0.0F);  // a stored zero
  EXPECT_EQ(a.norm(*a.find(1, 0)), 3.0F);
}

TEST_F(MatricesFromFiles, ErrorsNameBothFiles) {
  const std::string a = npy("a.npy", 6, 4);
  const std::string wrong = message_of({a, npy("b.npy", 5, 3), ""});
  EXPECT_NE(wrong.find("a.npy is 6 x 4"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("b.npy is 5 x 3"), std::string::npos) << wrong;
  const std::string other = message_of({a, npy("b.npy", 4, 3, {Precision::f32, false}), ""});
  EXPECT_NE(other.find("found double and single numbers"), std::string::npos) << other;
  const std::string no_c = message_of({a, npy("b.npy", 4, 3), npy("c.npy", 3, 6)});
  EXPECT_NE(no_c.find("c.npy is 3 x 6"), std::string::npos) << no_c;
  for (const auto& sizes : {std::vector<std::int64_t>{6, 1}, {3}, {7, -1}, {INT64_MAX, INT64_MAX}, {0, 6}}) {
    DenseParameters tiles;
    tiles.m_tiles = sizes;
    EXPECT_NE(message_of({a, npy("b.npy", 4, 3), "", Op::none, Op::none, tiles}).find("--m-tiles"),
              std::string::npos);
  }
}

TEST_F(MatricesFromFiles, BlockSparseFilesChooseTheTiles) {
  if (!FORETILE_HAS_HDF5) GTEST_SKIP() << "a build without HDF5";
  const std::string a = blocks("a.h5:/A", {2, 3}, {4, 1}, {{1, 0}});
  const MatrixProblem p = matrices_from_files({a, npy("b.npy", 5, 7), ""});
  EXPECT_FALSE(p.usual_tiles);
  EXPECT_EQ(p.parameters.indices.m_tiles, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(p.parameters.indices.k_tiles, (std::vector<std::int64_t>{4, 1}));
  EXPECT_EQ(p.parameters.indices.n_tiles, (std::vector<std::int64_t>{7}));
  EXPECT_FALSE(p.parameters.b.tiles.has_value());
  const std::string b = blocks("b.h5:/B", {1, 4}, {7}, {{0, 0}});
  EXPECT_NE(message_of({a, b, ""}).find("other tiles of k in"), std::string::npos) << message_of({a, b, ""});
  DenseParameters tiles;
  tiles.k_tile = 2;  // B's block of one row is in the first of three tiles, A's block of four columns in two
  const MatrixProblem q = matrices_from_files({a, b, "", Op::none, Op::none, tiles});
  EXPECT_EQ(q.parameters.b.tiles->size(), 1U);
  EXPECT_EQ(q.parameters.a.tiles->size(), 2U);
}

// Against a search through all elements.
TEST_F(MatricesFromFiles, NormsOfRandomTiles) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    const std::int64_t rows = 1 + below(30), columns = 1 + below(30), tile = 1 + below(9);
    std::vector<double> dense(static_cast<std::size_t>(rows * columns), 0.0);
    for (int i = 0; i < 25; ++i)
      dense[static_cast<std::size_t>(below(static_cast<unsigned>(rows * columns)))] =
          0.5 * static_cast<double>(i + 1);
    std::string text;
    std::int64_t count = 0;
    const std::int64_t tile_columns = (columns + tile - 1) / tile;
    std::vector<double> squares(static_cast<std::size_t>((rows + tile - 1) / tile * tile_columns), 0.0);
    for (std::int64_t at = 0; at < rows * columns; ++at) {
      const double value = dense[static_cast<std::size_t>(at)];
      if (value == 0) continue;
      ++count;
      text += std::to_string(at / columns + 1) + " " + std::to_string(at % columns + 1) + " " +
              std::to_string(value) + "\n";
      squares[static_cast<std::size_t>(at / columns / tile * tile_columns + at % columns / tile)] +=
          value * value;
    }
    DenseParameters tiles;
    tiles.tile = tile;
    const std::string sizes =
        std::to_string(rows) + " " + std::to_string(columns) + " " + std::to_string(count) + "\n";
    const MatrixProblem p = matrices_from_files(
        {mtx("a.mtx", sizes + text), npy("b.npy", columns, 1), "", Op::none, Op::none, tiles});
    std::size_t nonzero = 0;
    for (const double square : squares) nonzero += square != 0;
    ASSERT_EQ(p.parameters.a.tiles->size(), nonzero);
    for (const auto& [i, j, norm] : *p.parameters.a.tiles)
      EXPECT_FLOAT_EQ(norm * norm,
                      static_cast<float>(squares[static_cast<std::size_t>(i * tile_columns + j)]));
  }
}

}  // namespace
}  // namespace foretile::matrices_from_files_test
