// SPDX-License-Identifier: BSD-3-Clause
// Opens matrices in HDF5 files, and reads those that only the library can read.
#include <fmt/format.h>

#include <algorithm>

#include "base/matrix_files/flat_reader.hpp"
#include "base/matrix_files/hdf5.hpp"
#include "base/matrix_files/hdf5_blocks.hpp"
#include "base/matrix_files/hdf5_lists.hpp"
#include "base/matrix_files/hdf5_objects.hpp"
#include "base/matrix_files/transpose.hpp"

namespace foretile {

namespace {

/// Of the rows that are read before they are transposed: chunks are decompressed once, where they are lower.
constexpr std::int64_t kHdf5Panel_bytes = std::int64_t{64} << 20;

class ChunkedReader final : public MatrixReader {
 public:
  ChunkedReader(hdf5::SharedFile file, hdf5::Object dataset, MatrixFacts facts, std::string name)
      : MatrixReader(std::move(facts)),
        file_(std::move(file)),
        dataset_(std::move(dataset)),
        name_(std::move(name)) {}
  ~ChunkedReader() override {
    const auto held = hdf5::lock();
    dataset_.close();
    file_.reset();
  }

  const InputFile& file() const override { return *file_->input; }

 private:
  void read_inside(const MatrixRectangle& r, std::byte* to, std::int64_t ld) const override {
    const std::int64_t bytes = facts().element.bytes();
    const std::int64_t rows = std::clamp<std::int64_t>(kHdf5Panel_bytes / (r.columns * bytes), 1, r.rows);
    std::vector<std::byte> panel(static_cast<std::size_t>(rows * r.columns * bytes));
    for (std::int64_t i = 0; i < r.rows; i += rows) {
      const std::int64_t count = std::min(rows, r.rows - i);
      read_panel({r.row + i, r.column, count, r.columns}, panel.data());
      transpose_block(facts().element, panel.data(), r.columns, to + i * bytes, ld, r.columns, count);
    }
  }

  /// Row-major.
  void read_panel(const MatrixRectangle& r, std::byte* to) const {
    const auto held = hdf5::lock();
    const hsize_t start[] = {static_cast<hsize_t>(r.row), static_cast<hsize_t>(r.column)};
    const hsize_t count[] = {static_cast<hsize_t>(r.rows), static_cast<hsize_t>(r.columns)};
    const hdf5::Object from = hdf5::space(H5Dget_space(dataset_.id()));
    const hdf5::Object memory = hdf5::space(H5Screate_simple(2, count, nullptr));
    const hdf5::Object type = hdf5::memory_type(facts().element);
    if (H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
        H5Dread(dataset_.id(), type.id(), memory.id(), from.id(), H5P_DEFAULT, to) < 0)
      throw hdf5::unreadable_elements(name_);
  }

  void read_content(std::int64_t begin, std::span<std::byte> to) const override {
    const std::int64_t bytes = facts().element.bytes();
    hdf5::read_elements(dataset_, facts().element, begin / bytes, std::ssize(to) / bytes, to.data(), name_);
  }

  hdf5::SharedFile file_;
  hdf5::Object dataset_;
  std::string name_;
};

/// The library opens the path for itself.
void require_same_file(const hdf5::Object& file, const InputFile& input) {
  const Descriptor own(hdf5::duplicate_descriptor(file));
  if (stamp_of(own.get()) == input.stamp()) return;
  throw input_error(input.path(), "a file that another program wrote to when it was opened",
                    "a file that stays", "run again when no program writes to it");
}

hdf5::SharedFile open_file(const std::string& path) {
  auto input = std::make_shared<InputFile>(path);  // a FIFO, a folder or a missing file has its own message
  hdf5::Object file = hdf5::file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  if (!file)
    throw input_error(path, "no HDF5 file that can be read", "a whole HDF5 file",
                      "is it whole, closed by its writer, and written by HDF5?");
  require_same_file(file, *input);
  return std::make_shared<hdf5::OpenFile>(hdf5::OpenFile{std::move(file), std::move(input)});
}

/// The dataset with a cache that has room for a row of large chunks. It must not be open: the
/// first open sets the size of the cache for all.
hdf5::Object open_dataset(const hdf5::Object& file, const std::string& dataset) {
  constexpr std::size_t slots = 12421;  // a prime, many times the chunks in the cache
  const hdf5::Object access = hdf5::properties(H5Pcreate(H5P_DATASET_ACCESS));
  H5Pset_chunk_cache(access.id(), slots, std::size_t{64} << 20, H5D_CHUNK_CACHE_W0_DEFAULT);
  return hdf5::dataset(H5Dopen2(file.id(), dataset.c_str(), access.id()));
}

MatrixFacts dataset_facts(const hdf5::Object& dataset, const hdf5::StoredType& type,
                          const std::string& name) {
  const auto sizes = hdf5::extents(dataset);
  if (!sizes || sizes->size() != 2)
    throw input_error(name, fmt::format("a dataset of {} dimensions", sizes ? sizes->size() : 0),
                      "2: a matrix", "reshape it to a matrix before writing");
  const auto extent = [](hsize_t size) {
    return static_cast<std::int64_t>(std::min<hsize_t>(size, INT64_MAX));
  };
  return dense_facts(name, extent((*sizes)[0]), extent((*sizes)[1]), type.element, MatrixLayout::row_major);
}

std::unique_ptr<MatrixReader> open_dense(const hdf5::SharedFile& file, hdf5::Object dataset,
                                         const std::string& name) {
  const auto type = hdf5::stored_type(dataset);
  if (!type)
    throw input_error(name, hdf5::type_name(dataset), "float or double, or complex as h5py stores it",
                      "convert it: dataset = array.astype('<f8')");
  MatrixFacts facts = dataset_facts(dataset, *type, name);
  hdf5::require_filters(dataset, name);
  const auto begin = type->native ? hdf5::contiguous_begin(file->object, dataset) : std::nullopt;
  if (begin) return std::make_unique<FlatReader>(name, file->input, *begin, std::move(facts));
  facts.layout = MatrixLayout::chunked;
  return std::make_unique<ChunkedReader>(file, std::move(dataset), std::move(facts), name);
}

InputError unknown_dataset(const MatrixPlace& place, const hdf5::Object& file) {
  return input_error(place.file.string(),
                     place.dataset.empty() ? "no name of a dataset" : fmt::format("no '{}'", place.dataset),
                     fmt::format("{}:/DATASET", place.file.string()),
                     fmt::format("its datasets: {}", hdf5::names_in(file)));
}

}  // namespace

std::unique_ptr<MatrixReader> open_hdf5(const MatrixPlace& place) {
  const auto held = hdf5::lock();
  const hdf5::SharedFile file = open_file(place.file.string());
  if (place.dataset.empty()) throw unknown_dataset(place, file->object);
  hdf5::Object object = hdf5::any(H5Oopen(file->object.id(), place.dataset.c_str(), H5P_DEFAULT));
  const H5I_type_t kind = object ? H5Iget_type(object.id()) : H5I_BADID;
  if (kind == H5I_DATASET) {
    object.close();
    return open_dense(file, open_dataset(file->object, place.dataset), name_of(place));
  }
  if (kind == H5I_GROUP && hdf5::is_block_group(object))
    return hdf5::open_blocks(file, object, name_of(place));
  if (kind == H5I_GROUP)
    throw input_error(name_of(place), "a group", "a dataset, or a group with ndims, data and offsets",
                      fmt::format("the file's datasets: {}", hdf5::names_in(file->object)));
  throw unknown_dataset(place, file->object);
}

}  // namespace foretile
