// SPDX-License-Identifier: BSD-3-Clause
// Objects of the HDF5 library that close themselves, and what they say.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/element_type.hpp"
#include "base/error.hpp"
#include "base/matrix_files/matrix_place.hpp"

namespace foretile::hdf5 {

/// The library is not safe for threads: every call of it happens under this lock. The first one keeps the
/// library from printing errors of its own.
std::unique_lock<std::recursive_mutex> lock();

/// An identifier of the library; negative: none. Destroy it under lock().
class Object {
 public:
  using Close = herr_t (*)(hid_t);

  Object() = default;
  Object(hid_t id, Close close_function) : id_(id), close_(close_function) {}
  ~Object() { close(); }
  Object(Object&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }

  explicit operator bool() const { return id_ >= 0; }
  hid_t id() const { return id_; }
  /// False when the library reports that something could not be written.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

inline Object file(hid_t id) {
  return {id, H5Fclose};
}
inline Object any(hid_t id) {
  return {id, H5Oclose};
}
inline Object dataset(hid_t id) {
  return {id, H5Dclose};
}
inline Object space(hid_t id) {
  return {id, H5Sclose};
}
inline Object type(hid_t id) {
  return {id, H5Tclose};
}
inline Object properties(hid_t id) {
  return {id, H5Pclose};
}
inline Object attribute(hid_t id) {
  return {id, H5Aclose};
}

/// The element type of a dataset; nothing for types that no matrix has.
struct StoredType {
  ElementType element;
  bool native = false;  ///< the bytes in the file are those in memory
};
std::optional<StoredType> stored_type(const Object& dataset);
/// For messages: "integers of 8 bytes".
std::string type_name(const Object& dataset);

/// The type of an element in memory.
Object memory_type(ElementType element);

/// Extents of a dataset; nothing when it has no simple extent. Empty for a scalar.
std::optional<std::vector<hsize_t>> extents(const Object& dataset);

/// The byte of the file at which the numbers of a dataset begin, when they are one behind the other in this
/// file; nothing for chunks, filters, other files and what was never written.
std::optional<std::int64_t> contiguous_begin(const Object& file, const Object& dataset);

/// A descriptor of the open file, which the caller owns.
int duplicate_descriptor(const Object& file);

/// Throws InputError when the dataset was compressed in a way that this library does not know.
void require_filters(const Object& dataset, const std::string& name);

/// Names of what a file holds, as "/A, /g/B", at most 20.
std::string names_in(const Object& file);

}  // namespace foretile::hdf5
