// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/basis_sets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr std::array<std::string_view, 5> basis_names{"def2-SVP", "def2-TZVP", "cc-pVDZ", "aug-cc-pVDZ",
                                                      "6-31G"};

/// Contracted shells of one element: how many s, p, d and f; a shell of angular momentum l has 2 l + 1
/// functions.
struct Shells {
  int s, p, d, f;
  constexpr std::int64_t functions() const { return s + 3 * p + 5 * d + 7 * f; }
};

/// Elements that have the same shells in each of the bases.
struct Row {
  Element last;
  std::array<Shells, 5> shells;  // by Basis
};

/// Counted in the files of the Basis Set Exchange (Pritchard et al., J. Chem. Inf. Model. 59 (2019) 4814) as
/// github.com/pyscf/pyscf has them, 94d4dc83: pyscf/gto/basis/{def2-svp,def2-tzvp,cc-pvdz,aug-cc-pvdz}.dat
/// and pople-basis/6-31G.dat.
constexpr std::array<Row, 7> rows{{
    {Element::He, {{{2, 1, 0, 0}, {3, 1, 0, 0}, {2, 1, 0, 0}, {3, 2, 0, 0}, {2, 0, 0, 0}}}},
    {Element::Li, {{{3, 2, 0, 0}, {5, 3, 0, 0}, {3, 2, 1, 0}, {4, 3, 2, 0}, {3, 2, 0, 0}}}},
    {Element::Be, {{{3, 2, 0, 0}, {5, 3, 1, 0}, {3, 2, 1, 0}, {4, 3, 2, 0}, {3, 2, 0, 0}}}},
    {Element::Ne, {{{3, 2, 1, 0}, {5, 3, 2, 1}, {3, 2, 1, 0}, {4, 3, 2, 0}, {3, 2, 0, 0}}}},
    {Element::Na, {{{4, 2, 1, 0}, {5, 4, 3, 0}, {4, 3, 1, 0}, {5, 4, 2, 0}, {4, 3, 0, 0}}}},
    {Element::Mg, {{{4, 3, 1, 0}, {5, 4, 3, 0}, {4, 3, 1, 0}, {5, 4, 2, 0}, {4, 3, 0, 0}}}},
    {Element::Ar, {{{4, 3, 1, 0}, {5, 5, 2, 1}, {4, 3, 1, 0}, {5, 4, 2, 0}, {4, 3, 0, 0}}}},
}};

bool same_in_any_case(std::string_view l, std::string_view r) {
  return std::equal(l.begin(), l.end(), r.begin(), r.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

}  // namespace

Basis basis_named(std::string_view given, const std::string& where) {
  for (std::size_t b = 0; b < basis_names.size(); ++b) {
    if (same_in_any_case(given, basis_names[b])) return static_cast<Basis>(b);
  }
  throw input_error(where, fmt::format("\"{}\"", given),
                    fmt::format("one of {}", fmt::join(basis_names, ", ")));
}

std::string_view name(Basis basis) {
  return basis_names[static_cast<std::size_t>(basis)];
}

std::int64_t functions(Basis basis, Element element) {
  const auto row = std::ranges::find_if(rows, [&](const Row& r) { return element <= r.last; });
  return row->shells[static_cast<std::size_t>(basis)].functions();
}

}  // namespace foretile
