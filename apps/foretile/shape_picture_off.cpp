// SPDX-License-Identifier: BSD-3-Clause
// Stands in for shape_picture.cpp and times_picture.cpp where cairo was not found.
#include "apps/foretile/machine_times.hpp"
#include "apps/foretile/shape_picture.hpp"
#include "base/error.hpp"

namespace foretile {

void check_picture_path(const std::string& path, std::string_view) {
  throw input_error(path, "a build without pictures", "cairo", "install libcairo2-dev and build again");
}

void draw_shapes(const Contraction&, const std::string& path) {
  check_picture_path(path);
}

void draw_times(const std::vector<MachineTime>&, const std::string&, const std::string& path) {
  check_picture_path(path);
}

}  // namespace foretile
