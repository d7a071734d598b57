// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

/// A box of a tensor's elements, the first index fastest.
struct Box {
  std::vector<std::int64_t> begins, extents;

  std::int64_t place(const std::vector<std::int64_t>& at) const {
    std::int64_t place = 0, stride = 1;
    for (std::size_t p = 0; p < at.size(); ++p) {
      place += (at[p] - begins[p]) * stride;
      stride *= extents[p];
    }
    return place;
  }
  std::size_t count() const {
    return std::accumulate(
        extents.begin(), extents.end(), std::size_t{1},
        [](std::size_t all, std::int64_t one) { return all * static_cast<std::size_t>(one); });
  }
};

/// Where an element of a symmetric tensor is found again, times `sign`.
struct Image {
  std::vector<std::size_t> from;  ///< position p has the index of from[p]
  bool flips = false;             ///< alpha for beta, and the reverse
  double sign = 1;
  const char* rule = "";  ///< what is expected
  const char* change = "correct the file";

  std::vector<std::int64_t> of(const std::vector<std::int64_t>& at, const ProgramTensor& tensor,
                               const SpinOrbitals& orbitals) const {
    std::vector<std::int64_t> image;
    for (std::size_t p = 0; p < at.size(); ++p) {
      image.push_back(at[from[p]]);
      if (flips) image.back() = orbitals.of_other_spin(tensor.rules.spaces[p], image.back());
    }
    return image;
  }
};

std::vector<std::size_t> unchanged(const ProgramTensor& tensor) {
  std::vector<std::size_t> positions(tensor.rules.spaces.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return positions;
}

/// All symmetry of the tensor follows from these.
std::vector<Image> images_of(const ProgramTensor& tensor) {
  std::vector<Image> images;
  if (!tensor.rules.mirror.empty())
    images.push_back({tensor.rules.mirror, false, 1,
                      "equal numbers, as the symmetry of the tensor is declared",
                      "correct the file, or leave that symmetry out of the program"});
  for (const IndexList& group : tensor.rules.groups) {
    for (std::size_t p = 1; p < group.size(); ++p) {
      Image image{unchanged(tensor), false, -1,
                  "opposite numbers: spin orbitals of one half and one space exchanged"};
      std::swap(image.from[group[p - 1]], image.from[group[p]]);
      images.push_back(std::move(image));
    }
  }
  if (tensor.rules.closed_shell && !tensor.rules.spaces.empty())
    images.push_back({unchanged(tensor), true, 1, "equal numbers: a closed shell, and all spins exchanged"});
  return images;
}

bool has_one_spin_each(const Box& box, const ProgramTensor& tensor, const SpinOrbitals& orbitals) {
  for (std::size_t p = 0; p < box.begins.size(); ++p) {
    const std::size_t space = tensor.rules.spaces[p];
    if (orbitals.at(space, box.begins[p]).beta != orbitals.at(space, box.begins[p] + box.extents[p] - 1).beta)
      return false;
  }
  return true;
}

/// Amplitudes and integrals of other programs are symmetric up to what they rounded.
constexpr double kAlike = 1e-10;

InputError not_alike(const std::string& where, const Image& image, const std::vector<std::int64_t>& at,
                     double number, const std::vector<std::int64_t>& other, double other_number) {
  return input_error(where,
                     fmt::format("{} at [{}] and {} at [{}]", number, fmt::join(at, ","), other_number,
                                 fmt::join(other, ",")),
                     image.rule, image.change);
}

}  // namespace

MatrixPlace tensor_place(const std::filesystem::path& file, const std::string& name) {
  return {file, "/" + name, MatrixFormat::hdf5};
}

FileNumbers::FileNumbers(const std::filesystem::path& file, const Program& program,
                         const std::vector<ProgramTensor>& tensors, const SpinOrbitals& orbitals)
    : file_(file), program_(program), orbitals_(orbitals) {
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
  read(tensor, begins, extents, to);
  require_symmetry(tensor, begins, extents, to);
}

/// Reads all images of the box.
void FileNumbers::require_symmetry(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
                                   const std::vector<std::int64_t>& extents, const double* numbers) const {
  const Box box{begins, extents};
  double largest = 1;
  for (std::size_t n = 0; n < box.count(); ++n) largest = std::max(largest, std::abs(numbers[n]));
  for (const Image& image : images_of(tensor)) {
    if (box.count() == 0 || (image.flips && !has_one_spin_each(box, tensor, orbitals_))) continue;
    Box other{image.of(begins, tensor, orbitals_), {}};
    for (const std::size_t p : image.from) other.extents.push_back(extents[p]);
    std::vector<double> others(box.count());
    read(tensor, other.begins, other.extents, others.data());
    const double* number = numbers;
    for_each_element(begins, extents, [&](const std::vector<std::int64_t>& at) {
      const auto place = image.of(at, tensor, orbitals_);
      const double found = others[static_cast<std::size_t>(other.place(place))];
      if (!(std::abs(*number - image.sign * found) <= kAlike * largest))
        throw not_alike(name_of(tensor_place(file_, text_of(tensor, program_))), image, at, *number, place,
                        found);
      ++number;
    });
  }
}

void FileNumbers::read(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
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
