// Tiles of index spaces by spin, as the Tensor Contraction Engine has them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/program/program.hpp"

namespace foretile {

enum class Spin : std::uint8_t { alpha, beta };

/// Extents of the tiles of one space, by spin. All of alpha come before those of beta.
struct SpinTiles {
  std::array<std::vector<std::int64_t>, 2> extents;

  const std::vector<std::int64_t>& of(Spin spin) const { return extents.at(static_cast<std::size_t>(spin)); }
};

/// `orbitals` of each spin in as few tiles as are at most `most` large, made even. Both at least 1.
SpinTiles even_spin_tiles(std::int64_t orbitals, std::int64_t most);

/// Of each space of the program.
std::vector<SpinTiles> spin_tiles_of(const Program& program, std::int64_t occupied, std::int64_t virtuals,
                                     std::int64_t most);

}  // namespace foretile
