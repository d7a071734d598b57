// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/geometry.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "base/error.hpp"
#include "base/words.hpp"

namespace foretile {

namespace {

constexpr std::array<std::string_view, 36> symbols{
    "H", "He", "Li", "Be", "B", "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl", "Ar",
    "K", "Ca", "Sc", "Ti", "V", "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se", "Br", "Kr"};
constexpr std::int64_t max_atoms = 10'000;
/// Farther out a coordinate is a slip: a molecule of a millimetre.
constexpr double max_coordinate = 1e7;

Element element_of(std::string_view word, const std::string& where) {
  for (std::size_t e = 0; e < symbols.size(); ++e) {
    if (word == symbols[e]) return static_cast<Element>(e);
  }
  throw input_error(where, fmt::format("element '{}'", word), "one of H to Kr, as Cl, not CL");
}

double coordinate(std::string_view word, const std::string& where) {
  const auto value = number<double>(word);
  if (!value || !(std::abs(*value) <= max_coordinate)) {
    throw input_error(where, fmt::format("coordinate '{}'", word), "a number in angstrom");
  }
  return *value;
}

Atom atom_of(std::string_view line, const std::string& where) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.size() < 4) {
    throw input_error(where, fmt::format("'{}'", line), "\"SYMBOL X Y Z\", coordinates in angstrom");
  }
  const Element element = element_of(words[0], where);
  return {element, {coordinate(words[1], where), coordinate(words[2], where), coordinate(words[3], where)}};
}

std::int64_t atom_count(const std::vector<std::string_view>& lines, const std::string& where) {
  const auto words = lines.empty() ? std::vector<std::string_view>{} : words_of(lines[0]);
  const auto count = words.size() == 1 ? number<std::int64_t>(words[0]) : std::nullopt;
  if (!count || *count < 1 || *count > max_atoms) {
    throw input_error(where, fmt::format("'{}'", lines.empty() ? "" : lines[0]),
                      fmt::format("the number of atoms, 1 to {}", max_atoms));
  }
  return *count;
}

}  // namespace

std::string_view symbol(Element element) {
  return symbols[static_cast<std::size_t>(element)];
}

std::vector<Atom> parse_xyz(std::string_view text, const std::string& source, std::int64_t first_line) {
  const auto where = [&](std::size_t line) {
    return fmt::format("{}:{}: XYZ", source, first_line + static_cast<std::int64_t>(line));
  };
  std::vector<std::string_view> lines = lines_of(text);
  while (!lines.empty() && words_of(lines.back()).empty()) lines.pop_back();
  const std::int64_t count = atom_count(lines, where(0));
  if (static_cast<std::int64_t>(lines.size()) != count + 2) {
    throw input_error(where(0),
                      fmt::format("{} atoms announced and {} lines after the comment", count,
                                  std::max<std::int64_t>(0, std::ssize(lines) - 2)),
                      "one line for each atom");
  }
  std::vector<Atom> atoms;
  for (std::size_t l = 2; l < lines.size(); ++l) {
    const Atom atom = atom_of(lines[l], where(l));
    for (std::size_t other = 0; other < atoms.size(); ++other) {
      if (distance(atoms[other].position, atom.position) < 0.1) {
        throw input_error(where(l), fmt::format("an atom within 0.1 angstrom of atom {}", other + 1),
                          "atoms apart from each other");
      }
    }
    atoms.push_back(atom);
  }
  return atoms;
}

}  // namespace foretile
