// SPDX-License-Identifier: BSD-3-Clause
// Adds a matrix to an HDF5 file.
#include <fmt/format.h>

#include <vector>

#include "base/matrix_files/hdf5.hpp"
#include "base/matrix_files/hdf5_blocks.hpp"
#include "base/matrix_files/hdf5_objects.hpp"
#include "base/matrix_files/tile_cuts.hpp"

namespace foretile {

namespace {

using hdf5::Object;

WorkError failed(const MatrixPlace& place) {
  return WorkError(fmt::format("{}: HDF5 could not add it to the file", name_of(place)));
}

/// Numbers begin at multiples of pages, so that they can be mapped to memory.
Object access_properties() {
  Object access = hdf5::properties(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_alignment(access.id(), hsize_t{64} << 10, 4096);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.id(), false, true);  // on NFS it would meet the lock of AtomicFile
#endif
  return access;
}

Object open_or_create(const std::string& path, bool is_new, const MatrixPlace& place) {
  const Object access = access_properties();
  Object file = hdf5::file(is_new ? H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id())
                                  : H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()));
  if (!file)
    throw input_error(place.file.string(), "a file that is no whole HDF5 file", "an HDF5 file or a new name",
                      "remove it or choose another name");
  return file;
}

/// A dataset, or a group of blocks, may be replaced where it is asked for.
void remove_old(const Object& file, const MatrixPlace& place, bool overwrite) {
  Object old = hdf5::any(H5Oopen(file.id(), place.dataset.c_str(), H5P_DEFAULT));
  if (!old) return;
  const H5I_type_t kind = H5Iget_type(old.id());
  if (kind != H5I_DATASET && !(kind == H5I_GROUP && hdf5::is_block_group(old)))
    throw input_error(name_of(place), "a group that is there already", "a dataset or a new name",
                      "choose another name");
  if (!overwrite)
    throw input_error(name_of(place), "a dataset that is there already", "the name of a new one",
                      "choose another name, or add --overwrite to replace it");
  old.close();
  H5Ldelete(file.id(), place.dataset.c_str(), H5P_DEFAULT);
}

Object groups_on_the_way() {
  Object properties = hdf5::properties(H5Pcreate(H5P_LINK_CREATE));
  H5Pset_create_intermediate_group(properties.id(), 1);
  return properties;
}

/// One behind the other, with room from the start, and not filled.
Object create_room(const Object& in, const char* name, const std::vector<hsize_t>& sizes,
                   ElementType element) {
  const Object creation = hdf5::properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_layout(creation.id(), H5D_CONTIGUOUS);
  H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  const Object space = hdf5::space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr));
  const Object type = hdf5::memory_type(element);
  const Object links = groups_on_the_way();
  return hdf5::dataset(
      H5Dcreate2(in.id(), name, type.id(), space.id(), links.id(), creation.id(), H5P_DEFAULT));
}

bool write_numbers(const Object& group, const char* name, const std::vector<std::int64_t>& numbers) {
  const auto size = static_cast<hsize_t>(numbers.size());
  const Object space = hdf5::space(H5Screate_simple(1, &size, nullptr));
  const Object dataset = hdf5::dataset(
      H5Dcreate2(group.id(), name, H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  return dataset && (numbers.empty() || H5Dwrite(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL,
                                                 H5P_DEFAULT, numbers.data()) >= 0);
}

bool write_dimensions(const Object& group) {
  const std::int64_t two = 2;
  const Object space = hdf5::space(H5Screate(H5S_SCALAR));
  const Object dataset = hdf5::dataset(
      H5Dcreate2(group.id(), "ndims", H5T_STD_I64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  return dataset && H5Dwrite(dataset.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &two) >= 0;
}

bool write_attribute(const Object& group, const char* name, hid_t type, const void* value) {
  const Object space = hdf5::space(H5Screate(H5S_SCALAR));
  const Object attribute =
      hdf5::attribute(H5Acreate2(group.id(), name, type, space.id(), H5P_DEFAULT, H5P_DEFAULT));
  return attribute && H5Awrite(attribute.id(), type, value) >= 0;
}

/// As ITensor marks its groups: "BlockSparse{Float64}", version 1.
bool mark_blocks(const Object& group, ElementType element) {
  const std::string text = fmt::format("BlockSparse{{{}{}}}", element.is_complex ? "ComplexF" : "Float",
                                       8 * bytes_of(element.precision));
  const Object type = hdf5::type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), text.size());
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  const std::int64_t version = 1;
  return write_attribute(group, "type", type.id(), text.data()) &&
         write_attribute(group, "version", H5T_NATIVE_INT64, &version);
}

std::vector<std::int64_t> offset_list(const MatrixFacts& facts) {
  const std::vector<std::int64_t> offsets = gapless_offsets(facts);
  std::vector<std::int64_t> list;
  for (std::size_t i = 0; i < facts.tiles.size(); ++i)
    list.insert(list.end(), {facts.tiles[i].row + 1, facts.tiles[i].column + 1, offsets[i]});
  return list;
}

Object create_blocks(const Object& file, const MatrixPlace& place, const MatrixFacts& facts) {
  const Object links = groups_on_the_way();
  const Object group(H5Gcreate2(file.id(), place.dataset.c_str(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
                     H5Gclose);
  const bool good = group && mark_blocks(group, facts.element) && write_dimensions(group) &&
                    write_numbers(group, "offsets", offset_list(facts)) &&
                    write_numbers(group, "row_tiles", facts.row_tiles) &&
                    write_numbers(group, "column_tiles", facts.column_tiles);
  if (!good) throw failed(place);
  return create_room(group, "data", {static_cast<hsize_t>(facts.stored)}, facts.element);
}

Object create_dense(const Object& file, const MatrixPlace& place, const MatrixFacts& facts) {
  return create_room(file, place.dataset.c_str(),
                     {static_cast<hsize_t>(facts.rows), static_cast<hsize_t>(facts.columns)}, facts.element);
}

}  // namespace

std::int64_t add_to_hdf5(const std::string& path, bool is_new, const MatrixPlace& place,
                         const MatrixFacts& facts, bool overwrite) {
  const auto held = hdf5::lock();
  Object file = open_or_create(path, is_new, place);
  if (!is_new) remove_old(file, place, overwrite);
  Object dataset = facts.layout == MatrixLayout::block_sparse ? create_blocks(file, place, facts)
                                                              : create_dense(file, place, facts);
  if (!dataset) throw failed(place);
  const auto begin = hdf5::contiguous_begin(file, dataset);
  if (!begin && facts.stored > 0) throw failed(place);
  if (!dataset.close() || !file.close()) throw failed(place);
  return begin.value_or(0);
}

}  // namespace foretile
