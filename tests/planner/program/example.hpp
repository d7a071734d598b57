// SPDX-License-Identifier: BSD-3-Clause
// The program that ships with foretile.
#pragma once

#include "base/files.hpp"
#include "planner/program/program_text.hpp"

namespace foretile {

inline Program ccsd_t2() {
  return load_program(find_data("examples/ccsd_t2.txt"));
}

}  // namespace foretile
