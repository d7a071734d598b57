// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_place.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/error.hpp"

namespace foretile {

namespace {

std::optional<MatrixFormat> format_of(std::string_view file) {
  if (file.ends_with(".npy")) return MatrixFormat::npy;
  if (file.ends_with(".mtx")) return MatrixFormat::matrix_market;
  if (file.ends_with(".h5") || file.ends_with(".hdf5")) return MatrixFormat::hdf5;
  return std::nullopt;
}

std::optional<MatrixPlace> find_place(std::string_view text) {
  if (const auto format = format_of(text)) return MatrixPlace{text, {}, *format};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view file = text.substr(0, colon), dataset = text.substr(colon + 1);
  if (format_of(file) != MatrixFormat::hdf5) return std::nullopt;
  const bool rooted = dataset.empty() || dataset.starts_with('/');
  return MatrixPlace{file, fmt::format("{}{}", rooted ? "" : "/", dataset), MatrixFormat::hdf5};
}

/// How to convert a matrix file that is not read; empty for other files.
std::string_view conversion_of(std::string_view text) {
  if (text.ends_with(".npz"))
    return "convert it: numpy.save('a.npy', numpy.load('a.npz')['NAME']), or of SciPy "
           "scipy.io.mmwrite('a.mtx', "
           "scipy.sparse.load_npz('a.npz'))";
  if (text.ends_with(".mtx.gz") || text.ends_with(".npy.gz")) return "unpack it: gunzip FILE.gz";
  if (text.ends_with(".csv")) return "convert it: numpy.save('a.npy', numpy.loadtxt('a.csv', delimiter=','))";
  if (text.ends_with(".mat")) return "convert it: numpy.save('a.npy', scipy.io.loadmat('a.mat')['NAME'])";
  return {};
}

}  // namespace

bool is_matrix_place(std::string_view text) {
  return find_place(text).has_value() || !conversion_of(text).empty();
}

MatrixPlace parse_matrix_place(std::string_view text) {
  if (auto place = find_place(text)) return *std::move(place);
  throw input_error(text, "an unknown ending", "FILE.npy, FILE.mtx or FILE.h5:/DATASET",
                    conversion_of(text).empty() ? "name the file after its format" : conversion_of(text));
}

MatrixPlace parse_output_place(std::string_view text) {
  auto place = find_place(text);
  if (place && place->format != MatrixFormat::matrix_market) return *std::move(place);
  throw input_error(text, place ? "an output in Matrix Market format" : "an unknown ending",
                    "FILE.npy or FILE.h5:/DATASET", "these formats are written, for example --output c.npy");
}

std::string name_of(const MatrixPlace& place) {
  return place.dataset.empty() ? place.file.string() : place.file.string() + ":" + place.dataset;
}

}  // namespace foretile
