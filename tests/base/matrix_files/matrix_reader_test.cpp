// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::matrix_reader_test {
namespace {

/// Element (i, j) of the test's matrices.
double number(std::int64_t i, std::int64_t j) {
  return static_cast<double>(i) + 1000.0 * static_cast<double>(j);
}

class MatrixReaderTest : public ScratchFolder {
 protected:
  MatrixPlace write_text(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return place(name);
  }
  MatrixPlace place(const std::string& name) const { return parse_matrix_place((folder_ / name).string()); }

  /// A .npy file with number(i, j).
  MatrixPlace write_npy(const std::string& name, std::int64_t rows, std::int64_t columns,
                        bool column_major) const {
    std::vector<double> numbers;
    const std::int64_t lines = column_major ? columns : rows, length = column_major ? rows : columns;
    for (std::int64_t l = 0; l < lines; ++l)
      for (std::int64_t k = 0; k < length; ++k) numbers.push_back(column_major ? number(k, l) : number(l, k));
    std::string header = "{'descr': '<f8', 'fortran_order': " + std::string(column_major ? "True" : "False") +
                         ", 'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }";
    header.resize(118, ' ');
    std::string text("\x93NUMPY\1\0\x76\0", 10);
    text += header;
    text.append(reinterpret_cast<const char*>(numbers.data()), 8 * numbers.size());
    return write_text(name, text);
  }
};

void expect_numbers(const MatrixReader& reader, const MatrixRectangle& r) {
  const std::int64_t ld = r.rows + 2;
  std::vector<double> found(static_cast<std::size_t>(ld * r.columns), -1.0);
  reader.read(r, reinterpret_cast<std::byte*>(found.data()), ld);
  for (std::int64_t j = 0; j < r.columns; ++j) {
    for (std::int64_t i = 0; i < ld; ++i)
      ASSERT_EQ(found[static_cast<std::size_t>(i + j * ld)],
                i < r.rows ? number(r.row + i, r.column + j) : -1.0)
          << i << " " << j;
  }
}

TEST_F(MatrixReaderTest, ReadsRectanglesOfBothOrders) {
  for (const bool column_major : {false, true}) {
    const auto reader = open_matrix(write_npy("a.npy", 70, 45, column_major));
    EXPECT_EQ(reader->facts().stored, 70 * 45);
    for (const MatrixRectangle& r : {MatrixRectangle{0, 0, 70, 45},
                                     {69, 44, 1, 1},
                                     {3, 0, 20, 45},
                                     {0, 7, 70, 5},
                                     {11, 13, 33, 17},
                                     {5, 5, 0, 3},
                                     {70, 45, 0, 0}})
      expect_numbers(*reader, r);
  }
}

// A row of 40000 numbers is longer than the panel of rows that is transposed at a time.
TEST_F(MatrixReaderTest, TransposesLongRows) {
  const auto reader = open_matrix(write_npy("a.npy", 3, 40000, false));
  expect_numbers(*reader, {0, 0, 3, 40000});
  expect_numbers(*reader, {1, 1, 2, 39998});
}

TEST_F(MatrixReaderTest, RefusesRectanglesOutside) {
  const auto reader = open_matrix(write_npy("a.npy", 7, 5, true));
  std::vector<std::byte> to(8 * 7 * 5);
  for (const MatrixRectangle& r : {MatrixRectangle{-1, 0, 1, 1},
                                   {0, 0, 8, 1},
                                   {0, 0, 1, 6},
                                   {7, 0, 1, 1},
                                   {0, 5, 1, 1},
                                   {0, 0, -1, 1},
                                   {1, 0, INT64_MAX, 1},
                                   {0, INT64_MAX, 1, 1}})
    EXPECT_THROW(reader->read(r, to.data(), 7), std::out_of_range);
}

TEST_F(MatrixReaderTest, MapsWhatIsColumnMajor) {
  const auto reader = open_matrix(write_npy("a.npy", 7, 5, true));
  const auto mapped = reader->mapped({2, 3, 4, 2});
  ASSERT_TRUE(mapped.has_value());
  EXPECT_EQ(mapped->ld, 7);
  double element = 0;
  std::memcpy(&element, mapped->data + 8 * (1 + 7), 8);
  EXPECT_EQ(element, number(3, 4));
  EXPECT_FALSE(open_matrix(write_npy("b.npy", 7, 5, false))->mapped({2, 3, 4, 2}).has_value());
}

TEST_F(MatrixReaderTest, SeveralThreadsReadAtOnce) {
  const auto reader = open_matrix(write_npy("a.npy", 300, 200, false));
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t k = 0; k < 20; ++k) expect_numbers(*reader, {t * 70, k * 10, 71, 10});
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(MatrixReaderTest, ReadsCoordinates) {
  const auto reader = open_matrix(
      write_text("a.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 3\n4 3 7\n1 1 5\n2 3 6\n"));
  EXPECT_TRUE(reader->facts().is_sparse());
  EXPECT_EQ(reader->entries().size(), 3U);
  std::vector<double> found(6, -1);
  reader->read({1, 1, 3, 2}, reinterpret_cast<std::byte*>(found.data()), 3);
  EXPECT_EQ(found, (std::vector<double>{0, 0, 0, 6, 0, 7}));
}

TEST_F(MatrixReaderTest, RefusesWhatIsNoFile) {
  std::filesystem::create_directory(folder_ / "folder.npy");
  ASSERT_EQ(::mkfifo((folder_ / "fifo.npy").c_str(), 0600), 0);
  write_text("empty.npy", "");
  write_text("empty.mtx", "");
  write_text("empty.h5", "");
  for (const std::string name : {"missing.npy", "missing.mtx", "missing.h5:/A", "folder.npy", "fifo.npy",
                                 "empty.npy", "empty.mtx", "empty.h5:/A"}) {
    EXPECT_THROW(open_matrix(place(name)), InputError) << name;
  }
}

TEST_F(MatrixReaderTest, RefusesTruncatedFiles) {
  const MatrixPlace whole = write_npy("a.npy", 7, 5, true);
  const auto bytes = std::filesystem::file_size(whole.file);
  const auto reader = open_matrix(whole);
  std::filesystem::resize_file(whole.file, bytes - 1);
  EXPECT_THROW(open_matrix(whole), InputError);
  std::vector<double> to(35);
  EXPECT_THROW(reader->read({0, 0, 7, 5}, reinterpret_cast<std::byte*>(to.data()), 7), WorkError);
}

TEST_F(MatrixReaderTest, DigestsTellFilesApart) {
  const std::string first = open_matrix(write_npy("a.npy", 6, 6, true))->digest();
  EXPECT_EQ(first.size(), 16U);
  EXPECT_EQ(first, open_matrix(write_npy("b.npy", 6, 6, true))->digest());
  EXPECT_NE(first, open_matrix(write_npy("c.npy", 6, 6, false))->digest());
  EXPECT_NE(first, open_matrix(write_npy("d.npy", 4, 9, true))->digest());
  std::fstream(folder_ / "b.npy", std::ios::in | std::ios::out).seekp(-1, std::ios::end).put('x');
  EXPECT_NE(first, open_matrix(place("b.npy"))->digest());
}

// 2100 x 1000 doubles are 16.8e6 bytes: two blocks of 16 MiB.
TEST_F(MatrixReaderTest, BlocksAreDigestedInAnyOrder) {
  const auto reader = open_matrix(write_npy("a.npy", 2100, 1000, true));
  ASSERT_EQ(reader->digest_blocks(), 2);
  const std::uint64_t second = reader->block_digest(1);
  const std::vector<std::uint64_t> blocks{reader->block_digest(0), second};
  EXPECT_EQ(reader->digest(blocks), reader->digest());
  const std::vector<std::uint64_t> swapped{blocks[1], blocks[0]};
  EXPECT_NE(reader->digest(swapped), reader->digest());
}

}  // namespace
}  // namespace foretile::matrix_reader_test
