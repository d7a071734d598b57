// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile::hdf5_reader_test {
namespace {

int decompressed = 0;

/// Changes nothing, and counts chunks that are read.
std::size_t count_chunks(unsigned flags, std::size_t, const unsigned*, std::size_t bytes, std::size_t*,
                         void**) {
  if ((flags & H5Z_FLAG_REVERSE) != 0) ++decompressed;
  return bytes;
}

constexpr H5Z_filter_t kCounting = H5Z_FILTER_RESERVED + 1;

void write_chunked(const std::string& path, std::int64_t extent, std::int64_t chunk) {
  const hsize_t size[] = {static_cast<hsize_t>(extent), static_cast<hsize_t>(extent)};
  const hsize_t chunks[] = {static_cast<hsize_t>(chunk), static_cast<hsize_t>(chunk)};
  std::vector<double> numbers(static_cast<std::size_t>(extent * extent));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, size, nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 2, chunks);
  H5Pset_filter(creation, kCounting, 0, 0, nullptr);
  const hid_t dataset = H5Dcreate2(file, "A", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(space);
  H5Fclose(file);
}

/// 16 chunks of 512 KiB, twice the library's usual cache in a row of them, read in strips of 8 rows.
TEST(Hdf5Reader, DecompressesEachChunkOnce) {
  constexpr std::int64_t kExtent = 1024, kRows = 8;
  const H5Z_class2_t counting{H5Z_CLASS_T_VERS, kCounting, 1, 1, "counting", nullptr, nullptr, count_chunks};
  ASSERT_GE(H5Zregister(&counting), 0);
  const std::string path =
      std::filesystem::temp_directory_path() / ("chunks-" + std::to_string(getpid()) + ".h5");
  write_chunked(path, kExtent, kExtent / 4);
  decompressed = 0;
  {
    const auto matrix = open_matrix({path, "/A", MatrixFormat::hdf5});
    std::vector<double> strip(kRows * kExtent);
    for (std::int64_t row = 0; row < kExtent; row += kRows) {
      matrix->read({row, 0, kRows, kExtent}, reinterpret_cast<std::byte*>(strip.data()), kRows);
      EXPECT_EQ(strip[kRows * 5 + 1], static_cast<double>((row + 1) * kExtent + 5));
    }
  }
  EXPECT_EQ(decompressed, 16);
  std::filesystem::remove(path);
  H5Zunregister(kCounting);
}

}  // namespace
}  // namespace foretile::hdf5_reader_test
