// SPDX-License-Identifier: BSD-3-Clause
// Tiles of one index space, with the symmetry labels of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretile {

enum class Spin : std::uint8_t { alpha, beta };

/// Extents and labels of the tiles of an index space. With spins there are twice as many: those of alpha,
/// then those of beta with the same extents and irreps.
struct LabelledTiles {
  std::vector<std::int64_t> extents;
  bool with_spin = false;
  /// Irreducible representation of each tile, 0 to 7; 0 is the totally symmetric one, and the product of two
  /// is their bitwise exclusive or, as in D2h and its subgroups. Empty: all are 0.
  std::vector<std::uint8_t> irreps = {};

  std::int32_t count() const { return static_cast<std::int32_t>(extents.size()); }
  std::int32_t of_alpha() const { return with_spin ? count() / 2 : count(); }
  bool is_beta(std::int32_t tile) const { return tile >= of_alpha(); }
  /// Of beta: the tile of alpha with the same orbitals.
  std::int32_t partner(std::int32_t tile) const { return tile - of_alpha(); }
  std::uint8_t irrep(std::int32_t tile) const {
    return irreps.empty() ? std::uint8_t{0} : irreps[static_cast<std::size_t>(tile)];
  }
  /// Extents of the tiles of one spin.
  std::vector<std::int64_t> of(Spin spin) const;
};

/// `extent` in `tiles` parts that differ by one at most. 1 <= tiles <= extent.
std::vector<std::int64_t> even_extents(std::int64_t extent, std::int64_t tiles);

/// These extents and irreps (or none) for either spin.
LabelledTiles with_spins(const std::vector<std::int64_t>& extents,
                         const std::vector<std::uint8_t>& irreps = {});

/// `orbitals` of each spin in as few tiles as are at most `most` large, made even. Both at least 1.
LabelledTiles even_spin_tiles(std::int64_t orbitals, std::int64_t most);

}  // namespace foretile
