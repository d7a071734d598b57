// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/electrons.hpp"

namespace foretile {

std::int32_t core_orbitals(Element element) {
  if (element < Element::Li) return 0;
  if (element < Element::Na) return 1;
  return element < Element::K ? 5 : 9;
}

std::int32_t inner_d_orbitals(Element element) {
  return element < Element::Ga ? 0 : 5;
}

}  // namespace foretile
