// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "executor/files/input_checks.hpp"
#include "executor/mpi/session.hpp"

namespace foretile {

namespace {

/// Of the upper indices, or of the lower ones.
struct Half {
  std::size_t begin = 0, end = 0;  ///< positions
};

std::array<Half, 2> halves_of(const ProgramTensor& tensor) {
  return {Half{0, tensor.rules.upper}, Half{tensor.rules.upper, tensor.rules.spaces.size()}};
}

std::int64_t count_of(const ProgramTensor& tensor, const SpinOrbitals& orbitals, const Half& half) {
  std::int64_t count = 1;
  for (std::size_t p = half.begin; p < half.end; ++p) count *= orbitals.count(tensor.rules.spaces[p]);
  return count;
}

/// The row or column of these numbers, the last one fastest.
std::int64_t line_of(const ProgramTensor& tensor, const SpinOrbitals& orbitals, const Half& half,
                     const std::vector<std::int64_t>& at) {
  std::int64_t line = 0;
  for (std::size_t p = half.begin; p < half.end; ++p)
    line = line * orbitals.count(tensor.rules.spaces[p]) + at[p];
  return line;
}

}  // namespace

MatrixPlace tensor_place(const std::filesystem::path& file, const std::string& name) {
  return {file, "/" + name, MatrixFormat::hdf5};
}

FileNumbers::FileNumbers(const std::filesystem::path& file, const Program& program,
                         const std::vector<ProgramTensor>& tensors, const SpinOrbitals& orbitals)
    : program_(program), orbitals_(orbitals) {
  for (const ProgramTensor& tensor : tensors) {
    if (tensor.role != TensorRole::given) continue;
    const std::string name = text_of(tensor, program);
    const MatrixPlace place = tensor_place(file, name);
    std::unique_ptr<MatrixReader> reader = open_matrix(place);
    const MatrixFacts& facts = reader->facts();
    const auto halves = halves_of(tensor);
    const std::int64_t rows = count_of(tensor, orbitals, halves[0]);
    const std::int64_t columns = count_of(tensor, orbitals, halves[1]);
    if (facts.rows != rows || facts.columns != columns)
      throw input_error(
          name_of(place), fmt::format("{} x {}", facts.rows, facts.columns),
          fmt::format("{} x {}: spin orbitals of the upper and of the lower indices", rows, columns),
          "reshape it, or change --o and --v");
    if (facts.element != ElementType{})
      throw input_error(name_of(place), fmt::format("{}", name_of(facts.element)), "real numbers of 8 bytes",
                        "convert it: array.astype('<f8')");
    readers_[name] = std::move(reader);
  }
}

void FileNumbers::fill(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
                       const std::vector<std::int64_t>& extents, double* to) const {
  const MatrixReader& reader = *readers_.at(text_of(tensor, program_));
  const auto halves = halves_of(tensor);
  // Rectangles whose rows and columns are neighbours: the last upper and the last lower index.
  std::vector<std::int64_t> outer = extents, strides;
  std::int64_t rows = 1, columns = 1, row_stride = 0, column_stride = 0, stride = 1;
  for (const std::int64_t extent : extents) {
    strides.push_back(stride);
    stride *= extent;
  }
  if (!extents.empty()) {
    const std::size_t last_row = halves[0].end - 1;
    rows = extents[last_row], row_stride = strides[last_row];
    outer[last_row] = 1;
  }
  if (halves[1].begin < halves[1].end) {
    const std::size_t last_column = halves[1].end - 1;
    columns = extents[last_column], column_stride = strides[last_column];
    outer[last_column] = 1;
  }
  std::vector<double> part(static_cast<std::size_t>(rows * columns));
  for_each_element(begins, outer, [&](const std::vector<std::int64_t>& at) {
    const MatrixRectangle where{line_of(tensor, orbitals_, halves[0], at),
                                line_of(tensor, orbitals_, halves[1], at), rows, columns};
    reader.read(where, reinterpret_cast<std::byte*>(part.data()), rows);
    std::int64_t first = 0;
    for (std::size_t p = 0; p < at.size(); ++p) first += (at[p] - begins[p]) * strides[p];
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i)
        to[first + i * row_stride + j * column_stride] = part[static_cast<std::size_t>(i + j * rows)];
    }
  });
}

void FileNumbers::require_one_file(MPI_Comm communicator) const {
  for (const auto& [name, reader] : readers_) foretile::require_one_file(reader->file(), communicator);
}

void FileNumbers::require_untouched() const {
  for (const auto& [name, reader] : readers_) {
    const InputFile& file = reader->file();
    if (file.is_changed() || file.stamp() != readers_.begin()->second->file().stamp())
      throw written_during_run(file.path());
  }
}

void FileNumbers::require_untouched(MPI_Comm communicator) const {
  agree(communicator, [&] { require_untouched(); });
}

TensorOutput::TensorOutput(const std::filesystem::path& file, const std::string& name,
                           const ProgramTensor& tensor, const SpinOrbitals& orbitals, bool overwrite)
    : tensor_(tensor),
      orbitals_(orbitals),
      facts_(dense_output(tensor_place(file, name), count_of(tensor, orbitals, halves_of(tensor)[0]),
                          count_of(tensor, orbitals, halves_of(tensor)[1]), {})),
      output_(tensor_place(file, name), facts_, overwrite) {}

std::filesystem::path TensorOutput::write(const std::vector<double>& elements) {
  const auto halves = halves_of(tensor_);
  std::vector<std::int64_t> extents;
  for (const std::size_t space : tensor_.rules.spaces) extents.push_back(orbitals_.count(space));
  std::vector<double> matrix(elements.size());
  std::size_t element = 0;
  for_each_element(
      std::vector<std::int64_t>(extents.size(), 0), extents, [&](const std::vector<std::int64_t>& at) {
        const std::int64_t row = line_of(tensor_, orbitals_, halves[0], at);
        matrix[static_cast<std::size_t>(row * facts_.columns + line_of(tensor_, orbitals_, halves[1], at))] =
            elements[element++];
      });
  MatrixWriter writer(output_.ticket(), facts_);
  const RectangleNumbers all{{0, 0, facts_.rows, facts_.columns},
                             reinterpret_cast<const std::byte*>(matrix.data()),
                             facts_.columns,
                             true};
  writer.write(std::span(&all, 1));
  writer.close();
  return output_.finish();
}

}  // namespace foretile
