// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/hdf5_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/matrix_files/input_file.hpp"

namespace foretile::hdf5 {

namespace {

/// Elements in a file, one behind the other.
class FlatList final : public ElementList {
 public:
  FlatList(std::shared_ptr<InputFile> file, std::int64_t begin, ElementType element)
      : file_(std::move(file)), begin_(begin), element_(element) {}

  void read(std::int64_t first, std::int64_t count, std::byte* to) const override {
    file_->read(begin_ + first * element_.bytes(), count * element_.bytes(), to);
  }
  const std::byte* mapped() const override {
    const bool aligned = begin_ % bytes_of(element_.precision) == 0;
    const std::byte* map = aligned ? file_->mapped() : nullptr;
    return map ? map + begin_ : nullptr;
  }
  const InputFile& file() const override { return *file_; }

 private:
  std::shared_ptr<InputFile> file_;
  std::int64_t begin_;
  ElementType element_;
};

/// Elements that the library reads.
class LibraryList final : public ElementList {
 public:
  LibraryList(SharedFile file, Object dataset, ElementType element, std::string name)
      : file_(std::move(file)), dataset_(std::move(dataset)), element_(element), name_(std::move(name)) {}
  ~LibraryList() override {
    const auto held = lock();
    dataset_.close();
    file_.reset();
  }

  void read(std::int64_t first, std::int64_t count, std::byte* to) const override {
    read_elements(dataset_, element_, first, count, to, name_);
  }
  const InputFile& file() const override { return *file_->input; }

 private:
  SharedFile file_;
  Object dataset_;
  ElementType element_;
  std::string name_;
};

/// Selects elements [first, first + count) of a row, or of the whole of a list.
void select(const Object& space, std::size_t dimensions, hsize_t row, hsize_t first, hsize_t count) {
  std::array<hsize_t, 2> start{row, first}, size{1, count};
  const std::size_t skip = 2 - dimensions;
  H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data() + skip, nullptr, size.data() + skip, nullptr);
}

}  // namespace

InputError unreadable_elements(const std::string& name) {
  return input_error(name, "numbers that cannot be read", "a whole file", "copy or write it again");
}

std::vector<std::int64_t> whole_numbers(const Object& dataset, const std::string& name, std::int64_t most) {
  const Object stored = type(dataset ? H5Dget_type(dataset.id()) : -1);
  const auto sizes = dataset ? extents(dataset) : std::nullopt;
  if (!stored || H5Tget_class(stored.id()) != H5T_INTEGER || !sizes || sizes->size() != 1)
    throw input_error(name, "no list of whole numbers", "a dataset of one dimension of whole numbers");
  if ((*sizes)[0] > static_cast<hsize_t>(most))
    throw input_error(name, fmt::format("{} numbers", (*sizes)[0]), fmt::format("at most {}", most));
  std::vector<std::int64_t> numbers((*sizes)[0]);
  if (!numbers.empty() &&
      H5Dread(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0)
    throw unreadable_elements(name);
  return numbers;
}

void read_elements(const Object& dataset, ElementType element, std::int64_t first, std::int64_t count,
                   std::byte* to, const std::string& name) {
  const auto held = lock();
  const Object from = space(H5Dget_space(dataset.id()));
  const auto sizes = extents(dataset);
  const Object in_memory = memory_type(element);
  if (!from || !sizes) throw WorkError(fmt::format("{}: could not be read", name));
  const auto line = static_cast<std::int64_t>(sizes->back());
  while (count > 0) {  // row by row
    const std::int64_t row = first / line, at = first % line, part = std::min(count, line - at);
    select(from, sizes->size(), static_cast<hsize_t>(row), static_cast<hsize_t>(at),
           static_cast<hsize_t>(part));
    const auto length = static_cast<hsize_t>(part);
    const Object memory = space(H5Screate_simple(1, &length, nullptr));
    if (H5Dread(dataset.id(), in_memory.id(), memory.id(), from.id(), H5P_DEFAULT, to) < 0)
      throw unreadable_elements(name);
    first += part;
    count -= part;
    to += part * element.bytes();
  }
}

std::unique_ptr<ElementList> element_list(const SharedFile& file, Object dataset, ElementType element,
                                          std::int64_t count, const std::string& name, bool native) {
  require_filters(dataset, name);
  const auto begin = native ? contiguous_begin(file->object, dataset) : std::nullopt;
  if (!begin) return std::make_unique<LibraryList>(file, std::move(dataset), element, name);
  if (count > (file->input->bytes() - *begin) / element.bytes())
    throw input_error(name, fmt::format("{} bytes in the file", file->input->bytes()),
                      fmt::format("{} elements from byte {} on", count, *begin), "is the file whole?");
  return std::make_unique<FlatList>(file->input, *begin, element);
}

}  // namespace foretile::hdf5
