// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/output_conflict.hpp"

#include <system_error>

#include "base/atomic_file.hpp"
#include "base/matrix_files/hdf5.hpp"

namespace foretile {

namespace {

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

}  // namespace

bool would_replace(const MatrixPlace& output, const MatrixPlace& input) {
  if (!is_file(output.file) || !is_file(input.file)) return false;
  if (output.format != MatrixFormat::hdf5 || input.format != MatrixFormat::hdf5)
    return is_same_file(output.file, input.file);
  return shares_hdf5_object(output, input);
}

bool is_taken(const MatrixPlace& output) {
  return output.format == MatrixFormat::hdf5 && is_file(output.file) && is_in_hdf5(output);
}

}  // namespace foretile
