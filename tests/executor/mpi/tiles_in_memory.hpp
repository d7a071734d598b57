// SPDX-License-Identifier: BSD-3-Clause
// The tiles of A, B and C that a rank may be asked for, in its memory.
#pragma once

#include <unordered_map>
#include <vector>

#include "executor/multiplication.hpp"
#include "executor/tiles/initial_tile.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

/// The seed's numbers: all tiles of A and B, so that damage on one rank is seen only where the rank owns or
/// makes the tile, and own ones of C. C is in place, or comes by take() to the same memory.
class TilesInMemory final : public TileStorage {
 public:
  TilesInMemory(const Multiplication& product, bool c_in_place)
      : p_(product.contraction()), c_in_place_(c_in_place) {
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId tile = 0; tile < shape_of(p_, matrix).nonzeros(); ++tile) add({matrix, tile});
    }
    for (const TileId tile : product.own_tiles(Matrix::c)) add({Matrix::c, tile});
  }
  std::optional<TileView> in_place(TileRef tile) const override {
    if (tile.matrix == Matrix::b && p_.sources.b == Source::generated) return std::nullopt;
    if (tile.matrix == Matrix::c && !c_in_place_) return std::nullopt;
    return view(tile);
  }
  void fill(TileRef tile, std::byte* to) const override {
    const TileExtents extents = extents_of(p_, tile);
    copy_tile(extents, view(tile), extents.gapless_at(to));
  }
  void take(TileId tile, TileView numbers) const override {
    copy_tile(extents_of(p_, {Matrix::c, tile}), numbers, view({Matrix::c, tile}));
  }
  TileView view(TileRef tile) const { return tiles_.at(tile).view(extents_of(p_, tile).rows); }
  bool has(TileRef tile) const { return tiles_.contains(tile); }
  /// The first number of a tile, or its real part.
  void set_first(TileRef tile, double number) const {
    if (p_.precision == Precision::f64) {
      tiles_.at(tile).as<double>()[0] = number;
    } else {
      tiles_.at(tile).as<float>()[0] = static_cast<float>(number);
    }
  }
  double first(TileRef tile) const {
    const TileBuffer& numbers = tiles_.at(tile);
    return p_.precision == Precision::f64 ? numbers.as<double>()[0] : double{numbers.as<float>()[0]};
  }
  /// Makes all numbers positive: partial sums grow like the number of terms.
  void make_positive() {
    for (auto& [tile, numbers] : tiles_) {
      if (p_.precision == Precision::f64) {
        for (double& x : numbers.as<double>()) x = std::abs(x);
      } else {
        for (float& x : numbers.as<float>()) x = std::abs(x);
      }
    }
  }

 private:
  void add(TileRef tile) { tiles_.emplace(tile, initial_tile(p_, tile)); }

  const Contraction& p_;
  bool c_in_place_;
  std::unordered_map<TileRef, TileBuffer, TileRefHash> tiles_;
};

}  // namespace foretile
