// SPDX-License-Identifier: BSD-3-Clause
// Which blocks of a tensor are nonzero, of those that its symmetries allow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/tensor/tensor_blocks.hpp"

namespace foretile {

/// Less than one element of the largest tensor asks for nothing.
inline constexpr double kLeastDensity = 1e-9;

/// These alone: of each a tile of each index, and a norm where it is not 1. Throws InputError, which begins
/// with `where`, for blocks that are twice or cannot be.
void keep_listed(TensorBlocks& blocks, const std::vector<std::vector<double>>& listed,
                 const std::string& where);

/// Removes blocks at random, each as likely as any other, until one more would leave less than this share of
/// the elements.
void keep_share(TensorBlocks& blocks, double density, std::uint64_t seed);

}  // namespace foretile
