// SPDX-License-Identifier: BSD-3-Clause
// A dense matrix whose elements are one behind the other in a file.
#pragma once

#include <memory>

#include "base/matrix_files/input_file.hpp"
#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// Column-major or row-major elements from byte `begin` on, in this machine's byte order.
class FlatReader final : public MatrixReader {
 public:
  /// Throws InputError when the file ends before the last element. `name` is for that message.
  FlatReader(const std::string& name, std::shared_ptr<InputFile> file, std::int64_t begin, MatrixFacts facts);

  std::optional<MappedRectangle> mapped(const MatrixRectangle& rectangle) const override;
  std::unique_ptr<MatrixReader> transposed() const override;
  const InputFile& file() const override { return *file_; }

 private:
  void read_inside(const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const override;
  void read_content(std::int64_t begin, std::span<std::byte> to) const override;
  void read_rows(const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const;
  /// Lines are columns or rows, whichever is contiguous: `count` lines of `length` elements at `to`.
  void read_lines(std::int64_t line, std::int64_t at, std::int64_t count, std::int64_t length, std::byte* to,
                  std::int64_t ld) const;

  std::shared_ptr<InputFile> file_;
  std::int64_t begin_;
  std::int64_t line_;  ///< elements from one line to the next
};

}  // namespace foretile
