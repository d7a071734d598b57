// SPDX-License-Identifier: BSD-3-Clause
// A product of tiles that several cores share.
#pragma once

#include <cstdint>

#include "base/product_form.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/tiles/tile_view.hpp"
#include "platforms/cost/team.hpp"
#include "platforms/device_model.hpp"

namespace foretile {

/// C += alpha op(A) op(B) or C = alpha op(A) op(B), in parts of C that do not depend on each other.
struct TeamProduct {
  ProductForm form = {};
  ProductSize size = {};
  TeamParts parts = {};
  COld old = COld::added;
  TileView a = {}, b = {}, c = {};  ///< as multiply_tiles() has them

  /// Part 0 to parts.count() - 1, by OpenBLAS on the calling thread. Other numbers: nothing.
  void multiply(int part) const;
};

}  // namespace foretile
