// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The p x q x r arrangement of ranks, and where its ranks are in the nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.hpp"

namespace foretile {

/// Over tile rows of C, tile columns of C, and the inner dimension.
enum class Axis : std::uint8_t {
  p,  ///< tile rows of C
  q,  ///< tile columns of C
  r   ///< inner dimension
};
inline constexpr std::array kAxes{Axis::p, Axis::q, Axis::r};  ///< All axes, in their order.

/// A number for each axis of the grid: a position, or how many ranks there are.
struct AlongAxes {
  std::array<int, 3> numbers{};  ///< along p, q and r

  /// The number along this axis.
  int operator[](Axis axis) const { return numbers[static_cast<std::size_t>(axis)]; }
  /// The number along this axis, to change it.
  int& operator[](Axis axis) { return numbers[static_cast<std::size_t>(axis)]; }
  /// The number of places: that along p times q times r.
  int product() const { return numbers[0] * numbers[1] * numbers[2]; }
  /// All three are equal.
  friend bool operator==(const AlongAxes&, const AlongAxes&) = default;
};

/// Tile rows of C are distributed along axis p, tile columns along q, and the inner dimension along r (a
/// layer holds partial sums of C). Ranks from p * q * r on have no work (RR-9365 3.2: q = floor(P / p)).
///
/// Machine numbers ranks node by node. In natural order (`node` empty) layer follows layer, row follows row:
/// rank = (layer * p + row) * q + column. With `node` = {x, y, z} the grid is cut into bricks of x * y * z
/// ranks, meant to be one node each (whoever makes the grid knows the ranks of a node): bricks follow each
/// other in natural order, and so do the ranks within a brick.
struct ProcessGrid {
  int p = 1;                           ///< rows of the grid
  int q = 1;                           ///< columns of the grid
  int r = 1;                           ///< layers of the grid
  std::optional<AlongAxes> node = {};  ///< ranks of a node along each axis, which divide the grid's

  /// Number of ranks in the grid.
  int size() const { return p * q * r; }
  /// Ranks along this axis: p, q or r.
  int ranks_along(Axis axis) const { return axis == Axis::p ? p : axis == Axis::q ? q : r; }
  /// Grid row of a rank, 0 to p - 1.
  int row(Rank rank) const { return node ? place_in_nodes(rank)[Axis::p] : rank / q % p; }
  /// Grid column of a rank, 0 to q - 1.
  int column(Rank rank) const { return node ? place_in_nodes(rank)[Axis::q] : rank % q; }
  /// Layer of a rank, 0 to r - 1.
  int layer(Rank rank) const { return node ? place_in_nodes(rank)[Axis::r] : rank / (p * q); }
  /// Position of a rank along this axis.
  int position(Rank rank, Axis axis) const {
    return axis == Axis::p ? row(rank) : axis == Axis::q ? column(rank) : layer(rank);
  }
  /// The rank at this place.
  Rank rank(int row, int column, int layer = 0) const {
    return Rank::of(node ? rank_in_nodes({row, column, layer}) : (layer * p + row) * q + column);
  }
  /// The rank at another position along one axis, and the same along the others.
  Rank moved(Rank rank, Axis axis, int position) const;
  /// All positions along an axis, `first` first, in the order of a chain that enters each node once. With the
  /// ranks of a node along the axis and what that leaves of the axis cut into prime factors, positions are
  /// numbers with those digits, and each digit goes round from that of `first`, the lowest fastest. So groups
  /// of 2, 4, ... that are in one node follow each other, and where the axis has one prime factor the order
  /// does not depend on the nodes.
  std::vector<int> ring_from(Axis axis, int first) const;

 private:
  AlongAxes place_in_nodes(Rank rank) const;
  int rank_in_nodes(const AlongAxes& place) const;
};

/// "2 x 3"; "2 x 3 x 4" with layers.
std::string grid_text(const ProcessGrid& grid);

/// "1 rank has no work"; empty when none is idle.
std::string idle_ranks_text(int idle);

}  // namespace foretile
