// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/orbitals.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "planner/problem/kinds/electrons.hpp"

namespace foretile {

std::vector<OccupiedOrbital> occupied_orbitals(const std::vector<Atom>& atoms,
                                               const LewisStructure& structure, bool with_core) {
  std::vector<OccupiedOrbital> orbitals;
  const auto add = [&](std::int32_t count, Point centre, std::int32_t atom) {
    orbitals.insert(orbitals.end(), static_cast<std::size_t>(count), {centre, atom});
  };
  for (const Bond& bond : structure.bonds)
    add(bond.order, 0.5 * (atoms[bond.first].position + atoms[bond.second].position), bond.first);
  for (std::int32_t i = 0; i < std::ssize(atoms); ++i)
    add(structure.lone_pairs[i] + inner_d_orbitals(atoms[i].element), atoms[i].position, i);
  for (std::int32_t i = 0; i < std::ssize(atoms) && with_core; ++i)
    add(core_orbitals(atoms[i].element), atoms[i].position, i);
  return orbitals;
}

std::vector<std::int64_t> virtual_orbitals(const std::vector<Atom>& atoms, const LewisStructure& structure,
                                           Basis basis, const std::string& where) {
  std::vector<std::int64_t> counts;
  for (std::size_t i = 0; i < atoms.size(); ++i)
    counts.push_back(functions(basis, atoms[i].element, where) - core_orbitals(atoms[i].element) -
                     inner_d_orbitals(atoms[i].element) - structure.lone_pairs[i]);
  for (const Bond& bond : structure.bonds) {
    for (std::int32_t pair = 0; pair < bond.order; ++pair)
      --counts[counts[bond.first] >= counts[bond.second] ? bond.first : bond.second];
  }
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (counts[i] >= 0) continue;
    throw input_error(where,
                      fmt::format("atom {} ({}) with more occupied orbitals than functions in {}", i + 1,
                                  symbol(atoms[i].element), name(basis)),
                      "some virtual orbitals", "take a larger basis");
  }
  return counts;
}

}  // namespace foretile
