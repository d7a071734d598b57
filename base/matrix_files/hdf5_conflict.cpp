// SPDX-License-Identifier: BSD-3-Clause
// Whether two names in HDF5 files lead to one object.
#include <algorithm>
#include <optional>
#include <vector>

#include "base/matrix_files/hdf5.hpp"
#include "base/matrix_files/hdf5_objects.hpp"

namespace foretile {

namespace {

/// Of an object, in all files that are open.
struct ObjectNumber {
  unsigned long file = 0;
  haddr_t address = 0;

  friend bool operator==(const ObjectNumber&, const ObjectNumber&) = default;
};

hdf5::Object open_to_look(const MatrixPlace& place) {
  return hdf5::file(H5Fopen(place.file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
}

/// Nothing where there is no such object.
std::optional<ObjectNumber> number_of(const hdf5::Object& file, const std::string& name) {
  const hdf5::Object object = hdf5::any(H5Oopen(file.id(), name.c_str(), H5P_DEFAULT));
  H5O_info_t facts = {};
  if (!object || H5Oget_info(object.id(), &facts) < 0) return std::nullopt;
  return ObjectNumber{facts.fileno, facts.addr};
}

/// Of the object, and of the groups around it, without the root.
std::vector<ObjectNumber> numbers_along(const hdf5::Object& file, std::string name) {
  std::vector<ObjectNumber> numbers;
  for (; name.size() > 1; name.resize(name.rfind('/'))) {
    const auto number = number_of(file, name);
    if (number) numbers.push_back(*number);
    if (name.rfind('/') == std::string::npos) break;
  }
  return numbers;
}

bool contains(const std::vector<ObjectNumber>& numbers, const std::optional<ObjectNumber>& one) {
  return one && std::find(numbers.begin(), numbers.end(), *one) != numbers.end();
}

}  // namespace

bool shares_hdf5_object(const MatrixPlace& x, const MatrixPlace& y) {
  const auto held = hdf5::lock();
  const hdf5::Object first = open_to_look(x), second = open_to_look(y);
  if (!first || !second) return false;
  return contains(numbers_along(first, x.dataset), number_of(second, y.dataset)) ||
         contains(numbers_along(second, y.dataset), number_of(first, x.dataset));
}

bool is_in_hdf5(const MatrixPlace& place) {
  const auto held = hdf5::lock();
  const hdf5::Object file = open_to_look(place);
  return file && number_of(file, place.dataset).has_value();
}

}  // namespace foretile
