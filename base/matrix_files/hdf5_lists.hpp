// SPDX-License-Identifier: BSD-3-Clause
// Datasets of one dimension.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/block_reader.hpp"
#include "base/matrix_files/hdf5_objects.hpp"
#include "base/matrix_files/input_file.hpp"

namespace foretile::hdf5 {

/// A file that stays open as long as anybody reads it: to the library, and to this program, which notices
/// whether it changes.
struct OpenFile {
  Object object;
  std::shared_ptr<InputFile> input;
};
using SharedFile = std::shared_ptr<OpenFile>;

/// Of a dataset that is there, such as of a damaged chunk.
InputError unreadable_elements(const std::string& name);

/// The whole numbers of a dataset of one dimension. Under lock(). Throws InputError, which begins with
/// `name`, when it is no such dataset or has more than `most` numbers.
std::vector<std::int64_t> whole_numbers(const Object& dataset, const std::string& name, std::int64_t most);

/// Elements [first, first + count) of a dataset, row by row, with the conversions of the library. Takes
/// lock(). Throws InputError, which begins with `name`.
void read_elements(const Object& dataset, ElementType element, std::int64_t first, std::int64_t count,
                   std::byte* to, const std::string& name);

/// The list of elements in `dataset`, which has one dimension. Under lock().
std::unique_ptr<ElementList> element_list(const SharedFile& file, Object dataset, ElementType element,
                                          std::int64_t count, const std::string& name, bool native);

}  // namespace foretile::hdf5
