// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/basis_sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace foretile {

namespace {

/// By Basis.
constexpr std::array<std::string_view, 12> basis_names{
    "def2-SVP",    "def2-TZVP",   "cc-pVDZ", "cc-pVTZ", "cc-pVQZ", "aug-cc-pVDZ",
    "aug-cc-pVTZ", "aug-cc-pVQZ", "6-31G",   "6-31G*",  "6-31G**", "6-31+G**"};

constexpr std::array<std::pair<std::string_view, Basis>, 3> basis_synonyms{
    {{"6-31G(d)", Basis::pople_6_31g_d},
     {"6-31G(d,p)", Basis::pople_6_31g_dp},
     {"6-31+G(d,p)", Basis::pople_6_31pg_dp}}};

/// Contracted shells of elements that have the same in a basis set; a shell of angular momentum l has 2 l + 1
/// functions.
struct ShellRow {
  Basis basis;
  Element first, last;
  std::int64_t s = 0, p = 0, d = 0, f = 0, g = 0, h = 0;
  constexpr std::int64_t functions() const { return s + 3 * p + 5 * d + 7 * f + 9 * g + 11 * h; }
};

/// Counted by scripts/basis-sets in the files of Psi4 1.3.2 (Debian's psi4-data), which come from the
/// Basis Set Exchange (Pritchard et al., J. Chem. Inf. Model. 59 (2019) 4814). Files of NWChem 7.0.2 have the
/// same, but end 6-31G and 6-31G** at Zn.
constexpr auto all_shell_rows() {
  using enum Basis;
  using enum Element;
  return std::to_array<ShellRow>({
#include "planner/problem/kinds/basis_shells.inc"
  });
}
constexpr auto shell_rows = all_shell_rows();

/// Null where the set has no functions for the element.
const ShellRow* shells_of(Basis basis, Element element) {
  const auto row = std::ranges::find_if(shell_rows, [&](const ShellRow& r) {
    return r.basis == basis && r.first <= element && element <= r.last;
  });
  return row == shell_rows.end() ? nullptr : &*row;
}

std::vector<std::string_view> bases_with(Element element) {
  std::vector<std::string_view> names;
  for (std::size_t b = 0; b < basis_names.size(); ++b) {
    if (shells_of(static_cast<Basis>(b), element)) names.push_back(basis_names[b]);
  }
  return names;
}

bool same_in_any_case(std::string_view l, std::string_view r) {
  return std::equal(l.begin(), l.end(), r.begin(), r.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

}  // namespace

Basis basis_named(std::string_view given, const std::string& where) {
  for (std::size_t b = 0; b < basis_names.size(); ++b) {
    if (same_in_any_case(given, basis_names[b])) return static_cast<Basis>(b);
  }
  for (const auto& [synonym, basis] : basis_synonyms) {
    if (same_in_any_case(given, synonym)) return basis;
  }
  throw input_error(where, fmt::format("\"{}\"", given),
                    fmt::format("one of {}", fmt::join(basis_names, ", ")));
}

std::string_view name(Basis basis) {
  return basis_names[static_cast<std::size_t>(basis)];
}

std::int64_t functions(Basis basis, Element element, const std::string& where) {
  if (const ShellRow* const row = shells_of(basis, element)) return row->functions();
  throw input_error(
      where, fmt::format("element {} in {}, which has no functions for it", symbol(element), name(basis)),
      fmt::format("a basis set that has {}: {}", symbol(element), fmt::join(bases_with(element), ", ")));
}

}  // namespace foretile
