// SPDX-License-Identifier: BSD-3-Clause
// A platform with some of its figures larger or smaller.
#pragma once

#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// Whether scaled() can change the figure: a quantity, a count that is no part of the node's form, or the
/// points of a kernel's curve. Keys that the file lacks cannot be changed.
bool can_scale(const Platform& platform, const std::string& key);

/// The platform with these figures, by their keys, times `factor`; counts are rounded, and all stay within
/// what a file may have. Each must be one that can_scale(). Throws InputError where the figures do not go
/// together any more.
Platform scaled(const Platform& platform, const std::vector<std::string>& keys, double factor);

/// The figure as the file has it: "5 GB/s", "35 points".
std::string figure_in_file(const Platform& platform, const std::string& key);

}  // namespace foretile
