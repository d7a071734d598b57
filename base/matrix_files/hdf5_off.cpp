// SPDX-License-Identifier: BSD-3-Clause
// Stands in for the files hdf5_*.cpp where HDF5 was not found.
#include "base/error.hpp"
#include "base/matrix_files/hdf5.hpp"

namespace foretile {

namespace {

[[noreturn]] void refuse(const MatrixPlace& place) {
  throw input_error(place.file.string(), "a build without HDF5", "HDF5",
                    "install libhdf5-dev and build again");
}

}  // namespace

std::unique_ptr<MatrixReader> open_hdf5(const MatrixPlace& place) {
  refuse(place);
}

std::int64_t add_to_hdf5(const std::string&, bool, const MatrixPlace& place, const MatrixFacts&, bool) {
  refuse(place);
}

bool shares_hdf5_object(const MatrixPlace&, const MatrixPlace& y) {
  refuse(y);
}

bool is_in_hdf5(const MatrixPlace& place) {
  refuse(place);
}

}  // namespace foretile
