// SPDX-License-Identifier: BSD-3-Clause
// Names of matrices in files: "a.npy", "b.mtx", "c.h5:/A".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace foretile {

enum class MatrixFormat : std::uint8_t {
  npy,           ///< one array of NumPy: ending .npy
  hdf5,          ///< a dataset or a group of blocks in an HDF5 file: endings .h5 and .hdf5
  matrix_market  ///< text: ending .mtx
};

struct MatrixPlace {
  std::filesystem::path file;
  std::string
      dataset;  ///< of an HDF5 file, with a leading '/'; empty in other formats, or when none was named
  MatrixFormat format = MatrixFormat::npy;

  friend bool operator==(const MatrixPlace&, const MatrixPlace&) = default;
};

/// True when the name ends as a matrix's name does: parse_matrix_place() takes it, or says how to convert a
/// file of another format.
bool is_matrix_place(std::string_view text);

/// The ending of the file's name tells the format. Throws InputError for other endings.
MatrixPlace parse_matrix_place(std::string_view text);

/// The same for an output: not for formats that are only read.
MatrixPlace parse_output_place(std::string_view text);

/// As parse_matrix_place() reads it.
std::string name_of(const MatrixPlace& place);

}  // namespace foretile
