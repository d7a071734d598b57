// SPDX-License-Identifier: BSD-3-Clause
// Filling tiles with numbers that anyone can make again from the seed alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/precision.hpp"

namespace foretile {

enum class Operand : std::uint64_t { a = 1, b = 2, c = 3 };

/// Random bits that stand for one tile; different for each (seed, operand, tile).
std::uint64_t tile_key(std::uint64_t seed, Operand operand, std::int64_t tile);

/// Element e of the tile is uniform in [-s, s), a function of `key` and e alone, with s = norm sqrt(3 /
/// elements), so that the squares of the elements add up to norm^2 on average. The same bits on every
/// machine. Requires norm >= 0 and finite.
void generate_tile(std::span<double> tile, std::uint64_t key, double norm);
/// The same numbers, each rounded to the nearest float. Beyond norm sqrt(3 / elements) = 2^128 they are
/// infinite.
void generate_tile(std::span<float> tile, std::uint64_t key, double norm);
/// The one that fits the precision; `tile` has room for `elements` of them, aligned.
void generate_tile(Precision precision, std::byte* tile, std::int64_t elements, std::uint64_t key,
                   double norm);

/// Elements [first, first + elements) of a tile of `whole`.
struct PartOfTile {
  std::int64_t whole = 0;
  std::int64_t first = 0;
  std::int64_t elements = 0;
};

/// Versions of the code below for vector units of this machine, the best last. All give the same bits.
int generate_versions();

/// Writes this part of what generate_tile would: the same bits, whoever makes the other parts. `tile` has
/// room for the whole. `version`: 0 to generate_versions() - 1; -1 is the best.
void generate_part(Precision precision, std::byte* tile, const PartOfTile& part, std::uint64_t key,
                   double norm, int version = -1);

}  // namespace foretile
