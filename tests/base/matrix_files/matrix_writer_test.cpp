// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_writer.hpp"

#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/matrix_files/matrix_reader.hpp"
#include "base/matrix_files/tile_cuts.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::matrix_writer_test {
namespace {

constexpr ElementType kComplex{Precision::f32, true};

class MatrixWriterTest : public ScratchFolder {
 protected:
  MatrixPlace place(const std::string& name) const { return parse_matrix_place((folder_ / name).string()); }
  /// Where the build reads and writes dense matrices.
  std::vector<std::string> dense_names() const {
    return FORETILE_HAS_HDF5 ? std::vector<std::string>{"c.npy", "c.h5:/C"}
                             : std::vector<std::string>{"c.npy"};
  }
};

std::vector<std::byte> random_bytes(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

/// The rectangle's elements in `all`, which is column-major.
const std::byte* at(const std::vector<std::byte>& all, const MatrixFacts& facts, const MatrixRectangle& r) {
  return all.data() + (r.row + r.column * facts.rows) * facts.element.bytes();
}

std::vector<std::byte> read_all(const MatrixPlace& place, const MatrixFacts& facts) {
  std::vector<std::byte> all(static_cast<std::size_t>(facts.rows * facts.columns * facts.element.bytes()));
  open_matrix(place)->read({0, 0, facts.rows, facts.columns}, all.data(), facts.rows);
  return all;
}

TEST_F(MatrixWriterTest, SeveralWritersFillOneFile) {
  for (const std::string& name : dense_names()) {
    SCOPED_TRACE(name);
    const MatrixFacts facts = dense_output(place(name), 50, 40, kComplex);
    const auto numbers = random_bytes(facts.bytes(), 5);
    MatrixOutput output(place(name), facts);
    MatrixWriter first(output.ticket(), facts), second(output.ticket(), facts);
    for (const MatrixRectangle& r : {MatrixRectangle{0, 0, 50, 11}, {0, 11, 17, 29}})
      first.write(r, at(numbers, facts, r), facts.rows);
    const MatrixRectangle rest{17, 11, 33, 29};
    second.write(rest, at(numbers, facts, rest), facts.rows);
    first.close();
    second.close();
    EXPECT_FALSE(std::filesystem::exists(place(name).file));
    output.finish();
    EXPECT_EQ(read_all(place(name), facts), numbers);
    std::filesystem::remove(place(name).file);
    EXPECT_EQ(entries(), 0U);
  }
}

/// Column-major numbers and row-major ones side by side; strips of several panels, whole lines and parts of
/// them.
TEST_F(MatrixWriterTest, StripsAreWrittenTogether) {
  for (const std::string& name : dense_names()) {
    SCOPED_TRACE(name);
    const MatrixFacts facts = dense_output(place(name), 700, 500, kComplex);
    const auto numbers = random_bytes(facts.bytes(), 6);
    std::vector<std::byte> by_rows(numbers.size());
    for (std::int64_t i = 0; i < facts.rows; ++i) {
      for (std::int64_t j = 0; j < facts.columns; ++j)
        std::copy_n(numbers.data() + 8 * (i + j * facts.rows), 8,
                    by_rows.data() + 8 * (i * facts.columns + j));
    }
    const auto part = [&](const MatrixRectangle& r, bool row_major) {
      return row_major ? RectangleNumbers{r, by_rows.data() + 8 * (r.row * facts.columns + r.column),
                                          facts.columns, true}
                       : RectangleNumbers{r, at(numbers, facts, r), facts.rows, false};
    };
    MatrixOutput output(place(name), facts);
    MatrixWriter writer(output.ticket(), facts);
    std::vector<MatrixRectangle> strips{{0, 0, 300, 500}, {300, 0, 400, 120}, {300, 120, 400, 380}};
    for (const MatrixRectangle& strip : strips) {
      std::vector<RectangleNumbers> parts;
      const bool rows = writer.by_rows();
      const std::int64_t length = rows ? strip.columns : strip.rows;
      for (std::int64_t begin = 0; begin < length; begin += 90) {
        const std::int64_t count = std::min<std::int64_t>(90, length - begin);
        const MatrixRectangle r =
            rows ? MatrixRectangle{strip.row, strip.column + begin, strip.rows, count}
                 : MatrixRectangle{strip.row + begin, strip.column, count, strip.columns};
        parts.push_back(part(r, parts.size() % 2 == 1));
      }
      writer.write(parts);
    }
    const std::vector<RectangleNumbers> apart{part({0, 0, 10, 10}, false), part({20, 20, 10, 10}, false)};
    EXPECT_THROW(writer.write(apart), std::out_of_range);
    writer.close();
    output.finish();
    EXPECT_EQ(read_all(place(name), facts), numbers);
    std::filesystem::remove(place(name).file);
  }
}

/// A row-major file is the transpose of a column-major one: rows are columns there, and mapped.
TEST_F(MatrixWriterTest, TransposeOfARowMajorFile) {
  if (!FORETILE_HAS_HDF5) GTEST_SKIP() << "a build without HDF5";
  const MatrixFacts facts = dense_output(place("c.h5:/C"), 5, 4, {});
  const auto numbers = random_bytes(facts.bytes(), 8);
  MatrixOutput output(place("c.h5:/C"), facts);
  MatrixWriter writer(output.ticket(), facts);
  writer.write({0, 0, 5, 4}, numbers.data(), 5);
  writer.close();
  output.finish();
  auto reader = open_matrix(place("c.h5:/C"));
  EXPECT_FALSE(reader->mapped({0, 0, 5, 4}).has_value());
  const auto turned = reader->transposed();
  ASSERT_NE(turned, nullptr);
  EXPECT_EQ(turned->transposed(), nullptr);  // column-major: nothing to turn
  reader.reset();
  EXPECT_EQ(turned->facts().rows, 4);
  EXPECT_EQ(turned->facts().columns, 5);
  const auto mapped = turned->mapped({1, 2, 3, 2});
  ASSERT_TRUE(mapped.has_value());
  EXPECT_EQ(mapped->ld, 4);
  std::vector<std::byte> read(8 * 3 * 2);
  turned->read({1, 2, 3, 2}, read.data(), 3);
  for (std::int64_t j = 0; j < 2; ++j) {
    for (std::int64_t i = 0; i < 3; ++i) {
      const std::byte* const expected =
          numbers.data() + 8 * ((2 + j) + (1 + i) * 5);  // element (2 + j, 1 + i)
      EXPECT_EQ(std::memcmp(read.data() + 8 * (i + 3 * j), expected, 8), 0);
      EXPECT_EQ(std::memcmp(mapped->data + 8 * (i + 4 * j), expected, 8), 0);
    }
  }
}

TEST_F(MatrixWriterTest, ReadersSeeThatTheirFileChanged) {
  for (const std::string& name : dense_names()) {
    SCOPED_TRACE(name);
    const MatrixFacts facts = dense_output(place(name), 5, 4, {});
    MatrixOutput output(place(name), facts);
    MatrixWriter(output.ticket(), facts).close();
    output.finish();
    const auto reader = open_matrix(place(name));
    EXPECT_FALSE(reader->file().is_changed());
    std::ofstream(place(name).file, std::ios::app) << "more";
    EXPECT_TRUE(reader->file().is_changed());
  }
}

/// The other datasets were copied when the output began.
TEST_F(MatrixWriterTest, GoesBesideAFileThatChangedMeanwhile) {
  if (!FORETILE_HAS_HDF5) GTEST_SKIP() << "a build without HDF5";
  const MatrixFacts facts = dense_output(place("c.h5:/C"), 5, 4, {});
  for (const bool changes : {false, false, true}) {  // the first run makes the file
    MatrixOutput output(place("c.h5:/C"), facts, true);
    MatrixWriter(output.ticket(), facts).close();
    if (!changes) {
      output.finish();
      continue;
    }
    std::ofstream(folder_ / "c.h5", std::ios::app) << "more";
    const auto found = output.finish();
    EXPECT_EQ(found, folder_ / "c-1.h5");
    EXPECT_THROW(require_in_place(place("c.h5:/C"), found), WorkError);
    EXPECT_NO_THROW(open_matrix(place("c-1.h5:/C")));
  }
  EXPECT_EQ(entries(), 2U);
}

/// Another run may have put it there since the check.
TEST_F(MatrixWriterTest, ReplacesADatasetWhereItIsAskedForAlone) {
  if (!FORETILE_HAS_HDF5) GTEST_SKIP() << "a build without HDF5";
  const MatrixFacts facts = dense_output(place("c.h5:/C"), 5, 4, {});
  const auto write = [&](unsigned seed, bool overwrite) {
    MatrixOutput output(place("c.h5:/C"), facts, overwrite);
    MatrixWriter writer(output.ticket(), facts);
    writer.write({0, 0, 5, 4}, random_bytes(facts.bytes(), seed).data(), 5);
    writer.close();
    output.finish();
  };
  write(1, false);
  EXPECT_THROW(write(2, false), InputError);
  EXPECT_EQ(read_all(place("c.h5:/C"), facts), random_bytes(facts.bytes(), 1));
  EXPECT_EQ(entries(), 1U);
  write(2, true);
  EXPECT_EQ(read_all(place("c.h5:/C"), facts), random_bytes(facts.bytes(), 2));
}

TEST_F(MatrixWriterTest, NothingChangesWithoutFinish) {
  std::ofstream(folder_ / "c.npy") << "old";
  { MatrixOutput output(place("c.npy"), dense_output(place("c.npy"), 5, 4, {})); }
  EXPECT_EQ(entries(), 1U);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "c.npy"), 3U);
}

TEST_F(MatrixWriterTest, TilesOfABlockSparseMatrix) {
  if (!FORETILE_HAS_HDF5) GTEST_SKIP() << "a build without HDF5";
  const MatrixFacts facts = block_sparse_facts("test", {3, 5}, {4, 1, 2}, {{1, 2}, {0, 0}, {1, 0}}, {});
  EXPECT_EQ(facts.stored, 10 + 12 + 20);
  const auto rows = cuts_of(facts.row_tiles), columns = cuts_of(facts.column_tiles);
  std::vector<std::byte> expected(8 * 8 * 7);
  MatrixOutput output(place("c.h5:/g/C"), facts);
  MatrixWriter writer(output.ticket(), facts);
  for (const auto& [i, j] : facts.tiles) {
    const auto row = static_cast<std::size_t>(i), column = static_cast<std::size_t>(j);
    const MatrixRectangle r{rows[row], columns[column], facts.row_tiles[row], facts.column_tiles[column]};
    const auto numbers = random_bytes(8 * r.rows * r.columns, static_cast<unsigned>(7 + 3 * i + j));
    writer.write(r, numbers.data(), r.rows);
    for (std::int64_t k = 0; k < r.columns; ++k)
      std::copy_n(numbers.data() + 8 * k * r.rows, 8 * r.rows,
                  expected.data() + 8 * (r.row + (r.column + k) * facts.rows));
  }
  EXPECT_THROW(writer.write({0, 4, 3, 1}, expected.data(), 3), std::out_of_range);  // a zero tile
  EXPECT_THROW(writer.write({0, 0, 4, 4}, expected.data(), 4), std::out_of_range);  // two tiles
  writer.close();
  output.finish();
  EXPECT_EQ(read_all(place("c.h5:/g/C"), facts), expected);
  const auto reader = open_matrix(place("c.h5:/g/C"));
  EXPECT_EQ(reader->facts().tiles, facts.tiles);
  ASSERT_TRUE(reader->mapped({3, 5, 5, 2}).has_value());
  EXPECT_EQ(reader->mapped({3, 5, 5, 2})->ld, 5);
  EXPECT_FALSE(reader->mapped({2, 0, 2, 2}).has_value());
}

TEST_F(MatrixWriterTest, RefusesRectanglesOutside) {
  const MatrixFacts facts = dense_output(place("c.npy"), 5, 4, {});
  MatrixOutput output(place("c.npy"), facts);
  const MatrixWriter writer(output.ticket(), facts);
  const std::vector<std::byte> numbers(8 * 30);
  EXPECT_THROW(writer.write({0, 0, 6, 4}, numbers.data(), 6), std::out_of_range);
  EXPECT_THROW(writer.write({0, -1, 5, 4}, numbers.data(), 5), std::out_of_range);
}

TEST_F(MatrixWriterTest, RefusesWhatAFormatCannotHold) {
  const MatrixFacts blocks = block_sparse_facts("test", {3}, {4}, {}, {});
  EXPECT_THROW(MatrixOutput(place("c.npy"), blocks), InputError);
  EXPECT_THROW(MatrixOutput(place("c.h5"), blocks), InputError);
  EXPECT_THROW(dense_output(place("c.mtx"), 3, 4, {}), InputError);
  EXPECT_THROW(dense_output(place("c.npy"), 0, 4, {}), InputError);
  EXPECT_THROW(dense_output(place("c.npy"), max_extent, max_extent, {}), InputError);
  EXPECT_THROW(MatrixOutput(place("none/c.npy"), dense_output(place("c.npy"), 3, 4, {})), InputError);
  std::filesystem::create_directory(folder_ / "folder.npy");
  EXPECT_THROW(MatrixOutput(place("folder.npy"), dense_output(place("c.npy"), 3, 4, {})), InputError);
  EXPECT_EQ(entries(), 1U);
}

// The limit on the size of files stands for a full disk.
TEST_F(MatrixWriterTest, FindsAFullDiskAtOnce) {
  struct rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = old;
  small.rlim_cur = 1 << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (const std::string& name : dense_names())
    EXPECT_THROW(MatrixOutput(place(name), dense_output(place(name), 2000, 2000, {})), WorkError) << name;
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(entries(), 0U);
}

}  // namespace
}  // namespace foretile::matrix_writer_test
