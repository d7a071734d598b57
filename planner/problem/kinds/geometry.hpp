// SPDX-License-Identifier: BSD-3-Clause
// Points in space, atoms and molecules. Lengths are in angstrom.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

struct Point {
  double x = 0, y = 0, z = 0;
};

inline Point operator+(Point p, Point q) {
  return {p.x + q.x, p.y + q.y, p.z + q.z};
}
inline Point operator-(Point p, Point q) {
  return {p.x - q.x, p.y - q.y, p.z - q.z};
}
inline Point operator*(double s, Point p) {
  return {s * p.x, s * p.y, s * p.z};
}
inline double dot(Point p, Point q) {
  return p.x * q.x + p.y * q.y + p.z * q.z;
}
inline double distance(Point p, Point q) {
  return std::sqrt(dot(p - q, p - q));
}

/// In the order of their numbers.
// clang-format off
enum class Element {
  H, He,
  Li, Be, B, C, N, O, F, Ne,
  Na, Mg, Al, Si, P, S, Cl, Ar,
  K, Ca, Sc, Ti, V, Cr, Mn, Fe, Co, Ni, Cu, Zn, Ga, Ge, As, Se, Br, Kr
};
// clang-format on

/// 1 of H.
constexpr std::int64_t atomic_number(Element element) {
  return static_cast<std::int64_t>(element) + 1;
}

struct Atom {
  Element element;
  Point position;
};

std::string_view symbol(Element element);

/// Reads XYZ: the number of atoms, a comment line, then "SYMBOL X Y Z" per atom, in angstrom; further columns
/// are ignored, and so are empty lines at the end. `source` and `first_line` (of the text's first line) are
/// for messages. Throws InputError.
std::vector<Atom> parse_xyz(std::string_view text, const std::string& source, std::int64_t first_line = 1);

}  // namespace foretile
