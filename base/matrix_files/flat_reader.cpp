// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/flat_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/transpose.hpp"

namespace foretile {

namespace {

/// Of the rows that are read before they are transposed: they stay in the second cache.
constexpr std::int64_t kPanel_bytes = std::int64_t{256} << 10;

void require_bytes(const std::string& name, const InputFile& file, std::int64_t begin,
                   const MatrixFacts& facts) {
  if (begin < 0 || begin > file.bytes() || facts.bytes() > file.bytes() - begin)
    throw input_error(name,
                      fmt::format("{} bytes of numbers", std::max<std::int64_t>(0, file.bytes() - begin)),
                      fmt::format("{} for {} x {} elements", facts.bytes(), facts.rows, facts.columns),
                      "is the file whole?");
}

bool is_aligned(const std::byte* data, std::int64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(bytes) == 0;
}

}  // namespace

FlatReader::FlatReader(const std::string& name, std::shared_ptr<InputFile> file, std::int64_t begin,
                       MatrixFacts facts)
    : MatrixReader(std::move(facts)),
      file_(std::move(file)),
      begin_(begin),
      line_(this->facts().layout == MatrixLayout::row_major ? this->facts().columns : this->facts().rows) {
  require_bytes(name, *file_, begin_, this->facts());
}

std::optional<MappedRectangle> FlatReader::mapped(const MatrixRectangle& rectangle) const {
  if (facts().layout != MatrixLayout::column_major) return std::nullopt;
  const std::byte* map = file_->mapped();
  const ElementType element = facts().element;
  if (!map || !is_aligned(map + begin_, bytes_of(element.precision))) return std::nullopt;
  return MappedRectangle{map + begin_ + (rectangle.row + rectangle.column * facts().rows) * element.bytes(),
                         facts().rows};
}

std::unique_ptr<MatrixReader> FlatReader::transposed() const {
  if (facts().layout != MatrixLayout::row_major) return nullptr;
  MatrixFacts turned = facts();
  std::swap(turned.rows, turned.columns);
  turned.layout = MatrixLayout::column_major;
  return std::make_unique<FlatReader>("its transpose", file_, begin_, std::move(turned));
}

void FlatReader::read_inside(const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const {
  if (facts().layout == MatrixLayout::row_major) {
    read_rows(rectangle, to, ld);
  } else {
    read_lines(rectangle.column, rectangle.row, rectangle.columns, rectangle.rows, to, ld);
  }
}

void FlatReader::read_rows(const MatrixRectangle& r, std::byte* to, std::int64_t ld) const {
  const std::int64_t bytes = facts().element.bytes();
  const std::int64_t rows = std::clamp<std::int64_t>(kPanel_bytes / (r.columns * bytes), 1, r.rows);
  std::vector<std::byte> panel(static_cast<std::size_t>(rows * r.columns * bytes));
  for (std::int64_t i = 0; i < r.rows; i += rows) {
    const std::int64_t count = std::min(rows, r.rows - i);
    read_lines(r.row + i, r.column, count, r.columns, panel.data(), r.columns);
    transpose_block(facts().element, panel.data(), r.columns, to + i * bytes, ld, r.columns, count);
  }
}

void FlatReader::read_lines(std::int64_t line, std::int64_t at, std::int64_t count, std::int64_t length,
                            std::byte* to, std::int64_t ld) const {
  const std::int64_t bytes = facts().element.bytes();
  const std::int64_t begin = begin_ + (line * line_ + at) * bytes;
  if (length == line_ && ld == length) return file_->read(begin, count * length * bytes, to);
  for (std::int64_t i = 0; i < count; ++i)
    file_->read(begin + i * line_ * bytes, length * bytes, to + i * ld * bytes);
}

void FlatReader::read_content(std::int64_t begin, std::span<std::byte> to) const {
  file_->read(begin_ + begin, std::ssize(to), to.data());
}

}  // namespace foretile
