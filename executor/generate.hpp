// Filling tiles with numbers that anyone can make again from the seed alone.
#pragma once

#include <cstdint>
#include <span>

namespace foretile {

enum class Operand : std::uint64_t { a = 1, b = 2, c = 3 };

/// Random bits that stand for one tile; different for each (seed, operand, tile).
std::uint64_t tile_key(std::uint64_t seed, Operand operand, std::int64_t tile);

/// Element e of the tile is uniform in [-s, s), a function of `key` and e alone, with s = norm sqrt(3 /
/// elements), so that the squares of the elements add up to norm^2 on average. The same bits on every
/// machine. Requires norm >= 0 and finite.
void generate_tile(std::span<double> tile, std::uint64_t key, double norm);

}  // namespace foretile
