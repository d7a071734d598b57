// SPDX-License-Identifier: BSD-3-Clause
// The picture of a contraction's three shapes, as RR-9365 Figure 5.
#pragma once

#include <string>
#include <string_view>

#include "planner/problem/contraction.hpp"

namespace foretile {

/// `option` gives it. Throws InputError unless the name ends in .png or .svg and this build can draw.
void check_picture_path(const std::string& path, std::string_view option = "--picture");

/// Draws A, B and C where they stand in the product: B above C, A to the left of C, so that rows of A and C
/// and columns of B and C line up. Every tile has the same size whatever its extent ("the aspect ratio is
/// adjusted to make each tile appear square", Figure 5), save for an index of so few tiles that its side
/// would be hard to see. Colour tells a tile's norm within its matrix. Throws InputError when `path` cannot
/// be written.
void draw_shapes(const Contraction& contraction, const std::string& path);

}  // namespace foretile
