// SPDX-License-Identifier: BSD-3-Clause
// Tensors of programs in HDF5 files.
#pragma once

#include <mpi.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/matrix_files/matrix_reader.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "executor/program/program_numbers.hpp"

namespace foretile {

/// A tensor v[hp|hp] is the dataset of this name: a matrix with its upper indices as rows and its lower ones
/// as columns, of each the last one fastest, of all spin orbitals, alpha before beta. With NumPy:
/// array.reshape(h * p, h * p).
class FileNumbers final : public ProgramNumbers {
 public:
  /// Opens the given tensors of `tensors`. `orbitals` must outlive this. Throws InputError for one that is
  /// not in the file, has other extents, or is not of real numbers in double precision.
  FileNumbers(const std::filesystem::path& file, const Program& program,
              const std::vector<ProgramTensor>& tensors, const SpinOrbitals& orbitals);
  /// Throws InputError where the numbers do not have the symmetry of the tensor: of it only a part is read.
  void fill(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
            const std::vector<std::int64_t>& extents, double* to) const override;

  /// Throws InputError on all ranks, as agree() has it, when they opened different files. Collective.
  void require_one_file(MPI_Comm communicator) const;
  /// Throws InputError when a program wrote to the file since it was opened; with a communicator on all
  /// ranks.
  void require_untouched() const;
  void require_untouched(MPI_Comm communicator) const;

 private:
  void read(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
            const std::vector<std::int64_t>& extents, double* to) const;

  void require_symmetry(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
                        const std::vector<std::int64_t>& extents, const double* numbers) const;

  std::filesystem::path file_;
  const Program& program_;
  const SpinOrbitals& orbitals_;
  std::map<std::string, std::unique_ptr<MatrixReader>> readers_;  // by text_of()
};

MatrixPlace tensor_place(const std::filesystem::path& file, const std::string& name);

/// A tensor as such a dataset; others of the file stay. From the beginning its room is reserved, and what
/// another program writes to the file is noticed. Throws InputError and WorkError as MatrixOutput.
class TensorOutput {
 public:
  /// Tensor and orbitals must outlive this.
  TensorOutput(const std::filesystem::path& file, const std::string& name, const ProgramTensor& tensor,
               const SpinOrbitals& orbitals, bool overwrite);
  /// All elements, the first index fastest; once. Returns the file: MatrixOutput::finish() may choose
  /// another.
  std::filesystem::path write(const std::vector<double>& elements);
  std::filesystem::path temporary_file() const { return path_of_ticket(output_.ticket()); }

 private:
  const ProgramTensor& tensor_;
  const SpinOrbitals& orbitals_;
  MatrixFacts facts_;
  MatrixOutput output_;
};

}  // namespace foretile
