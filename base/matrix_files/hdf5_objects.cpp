// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/hdf5_objects.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace foretile::hdf5 {

namespace {

struct Real {
  Precision precision;
  bool native;
};

std::optional<Real> real_type(hid_t type) {
  if (H5Tequal(type, H5T_NATIVE_DOUBLE) > 0) return Real{Precision::f64, true};
  if (H5Tequal(type, H5T_NATIVE_FLOAT) > 0) return Real{Precision::f32, true};
  if (H5Tequal(type, H5T_IEEE_F64BE) > 0) return Real{Precision::f64, false};
  if (H5Tequal(type, H5T_IEEE_F32BE) > 0) return Real{Precision::f32, false};
  return std::nullopt;
}

/// H5Tget_member_name() allocates the text.
bool member_is(hid_t type, unsigned number, std::string_view name) {
  char* found = H5Tget_member_name(type, number);
  const bool same = found && name == found;
  H5free_memory(found);
  return same;
}

std::optional<StoredType> complex_type(hid_t id) {
  if (H5Tget_nmembers(id) != 2 || !member_is(id, 0, "r") || !member_is(id, 1, "i")) return std::nullopt;
  const Object re = type(H5Tget_member_type(id, 0)), im = type(H5Tget_member_type(id, 1));
  const auto real = real_type(re.id());
  if (!real || H5Tequal(re.id(), im.id()) <= 0) return std::nullopt;
  const auto half = static_cast<std::size_t>(bytes_of(real->precision));
  const bool dense =
      H5Tget_size(id) == 2 * half && H5Tget_member_offset(id, 0) == 0 && H5Tget_member_offset(id, 1) == half;
  return StoredType{{real->precision, true}, real->native && dense};
}

bool has_blocks(hid_t file, const std::string& group) {
  return H5Lexists(file, (group + "/offsets").c_str(), H5P_DEFAULT) > 0 &&
         H5Lexists(file, (group + "/data").c_str(), H5P_DEFAULT) > 0;
}

/// A group comes before what is in it; a group of blocks stands for its datasets.
herr_t add_name(hid_t file, const char* name, const H5O_info_t* info, void* to) {
  auto& names = *static_cast<std::vector<std::string>*>(to);
  if (std::string_view(name) == ".") return 0;
  const std::string path = fmt::format("/{}", name);
  const bool inside = !names.empty() && path.starts_with(names.back() + "/");
  if (info->type == H5O_TYPE_DATASET ? !inside : info->type == H5O_TYPE_GROUP && has_blocks(file, path))
    names.push_back(path);
  return names.size() >= 20 ? 1 : 0;
}

}  // namespace

std::unique_lock<std::recursive_mutex> lock() {
  static std::recursive_mutex mutex;
  std::unique_lock<std::recursive_mutex> held(mutex);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return held;
}

std::optional<StoredType> stored_type(const Object& dataset) {
  const Object found = type(H5Dget_type(dataset.id()));
  if (!found) return std::nullopt;
  if (H5Tget_class(found.id()) == H5T_COMPOUND) return complex_type(found.id());
  const auto real = real_type(found.id());
  if (!real) return std::nullopt;
  return StoredType{{real->precision, false}, real->native};
}

std::string type_name(const Object& dataset) {
  const Object found = type(H5Dget_type(dataset.id()));
  const std::size_t bytes = found ? H5Tget_size(found.id()) : 0;
  switch (found ? H5Tget_class(found.id()) : H5T_NO_CLASS) {
    case H5T_INTEGER:
      return fmt::format("integers of {} bytes", bytes);
    case H5T_FLOAT:
      return fmt::format("floating-point numbers of {} bytes", bytes);
    case H5T_STRING:
      return "texts";
    case H5T_COMPOUND:
      return "compounds";
    default:
      return "other values";
  }
}

Object memory_type(ElementType element) {
  const hid_t real = element.precision == Precision::f64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  if (!element.is_complex) return type(H5Tcopy(real));
  const auto half = static_cast<std::size_t>(bytes_of(element.precision));
  Object both = type(H5Tcreate(H5T_COMPOUND, 2 * half));
  H5Tinsert(both.id(), "r", 0, real);
  H5Tinsert(both.id(), "i", half, real);
  return both;
}

std::optional<std::vector<hsize_t>> extents(const Object& dataset) {
  const Object found = space(H5Dget_space(dataset.id()));
  if (!found || H5Sget_simple_extent_type(found.id()) == H5S_NULL) return std::nullopt;
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(found.id()))));
  if (H5Sget_simple_extent_dims(found.id(), sizes.data(), nullptr) < 0) return std::nullopt;
  return sizes;
}

std::optional<std::int64_t> contiguous_begin(const Object& file, const Object& dataset) {
  const Object creation = properties(H5Dget_create_plist(dataset.id()));
  if (!creation || H5Pget_layout(creation.id()) != H5D_CONTIGUOUS) return std::nullopt;
  if (H5Pget_external_count(creation.id()) != 0) return std::nullopt;
  H5O_info_t root = {}, own = {};
  if (H5Oget_info(file.id(), &root) < 0 || H5Oget_info(dataset.id(), &own) < 0 || root.fileno != own.fileno)
    return std::nullopt;  // behind an external link
  const haddr_t begin = H5Dget_offset(dataset.id());
  if (begin == HADDR_UNDEF || begin > static_cast<haddr_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(begin);
}

int duplicate_descriptor(const Object& file) {
  void* handle = nullptr;
  if (H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &handle) < 0 || !handle) return -1;
  return ::fcntl(*static_cast<int*>(handle), F_DUPFD_CLOEXEC, 0);
}

void require_filters(const Object& dataset, const std::string& name) {
  const Object creation = properties(H5Dget_create_plist(dataset.id()));
  const int count = creation ? H5Pget_nfilters(creation.id()) : 0;
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    std::size_t values = 0;
    std::array<char, 64> text{};
    const H5Z_filter_t filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags, &values,
                                               nullptr, text.size(), text.data(), nullptr);
    if (H5Zfilter_avail(filter) <= 0)
      throw input_error(name, fmt::format("data compressed by the filter {} ({})", filter, text.data()),
                        "a filter that the HDF5 library has",
                        "compress it again: h5repack -f GZIP=1 FILE NEW");
  }
}

std::string names_in(const Object& file) {
  std::vector<std::string> names;
  H5Ovisit(file.id(), H5_INDEX_NAME, H5_ITER_INC, add_name, &names);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace foretile::hdf5
