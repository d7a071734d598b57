// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/electrons.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace foretile {

namespace {

/// Sums over the atoms.
struct NeutralAtoms {
  std::int64_t functions = 0, electrons = 0, core = 0;
};

NeutralAtoms neutral_atoms(const std::vector<Atom>& atoms, Basis basis, const std::string& where) {
  NeutralAtoms neutral;
  for (const Atom& atom : atoms) {
    neutral.functions += functions(basis, atom.element, where);
    neutral.electrons += atomic_number(atom.element);
    neutral.core += core_orbitals(atom.element);
  }
  return neutral;
}

/// The comparisons hold for any charge, however large.
void check_closed_shell_charge(const NeutralAtoms& neutral, Basis basis, std::int64_t charge,
                               const std::string& where) {
  if (charge > neutral.electrons)
    throw input_error(where, fmt::format("charge {} of atoms with {} electrons", charge, neutral.electrons),
                      fmt::format("at most {}", neutral.electrons), "lower the charge");
  if (charge <= neutral.electrons - 2 * neutral.functions)
    throw input_error(where,
                      fmt::format("no virtual orbital: {} functions in {} and charge {}", neutral.functions,
                                  name(basis), charge),
                      "some virtual orbitals", "take a larger basis or check the charge");
}

}  // namespace

std::int32_t core_orbitals(Element element) {
  if (element < Element::Li) return 0;
  if (element < Element::Na) return 1;
  return element < Element::K ? 5 : 9;
}

std::int32_t inner_d_orbitals(Element element) {
  return element < Element::Ga ? 0 : 5;
}

ClosedShell orbital_counts(const std::vector<Atom>& atoms, Basis basis, std::int64_t charge, bool freeze_core,
                           const std::string& where) {
  const NeutralAtoms neutral = neutral_atoms(atoms, basis, where);
  check_closed_shell_charge(neutral, basis, charge, where);
  const std::int64_t electrons = neutral.electrons - charge;
  if (electrons % 2 != 0)
    throw input_error(where, fmt::format("{} electrons with charge {}", electrons, charge),
                      "an even number: closed shells only", "check the atoms or change the charge");
  const std::int64_t frozen = freeze_core ? neutral.core : 0;
  const std::int64_t occupied = electrons / 2 - frozen;
  if (occupied <= 0)
    throw input_error(where, fmt::format("{} electrons and {} frozen orbitals", electrons, frozen),
                      "some occupied orbitals that are not frozen",
                      frozen > 0 ? "do not freeze the cores, or lower the charge" : "lower the charge");
  return {neutral.functions, electrons, frozen, occupied, neutral.functions - electrons / 2};
}

}  // namespace foretile
