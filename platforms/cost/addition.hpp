// SPDX-License-Identifier: BSD-3-Clause
// How long a core takes to add or copy tiles.
#pragma once

#include <cstdint>

#include "platforms/platform.hpp"

namespace foretile {

/// Seconds in which one core adds `bytes` of tiles to as many others. Both together are taken to be in the
/// core's part of the cache where they fit into it. Without a measured rate, of each byte added two are read
/// and one is written at the core's share of the socket's memory; 0 where that has no bandwidth.
double addition_seconds(const Platform& p, std::int64_t bytes);

/// Seconds in which one core copies `bytes` of tiles or adds them to blocks of a program's tensors, both in
/// memory, not in a cache. `permuted`: with their indices in another order; without a measured rate of that
/// as other additions.
double block_seconds(const Platform& p, std::int64_t bytes, bool permuted);

/// Seconds in which one core copies `bytes` from memory to memory in their order: of each byte one is read
/// and one is written, in two thirds of the time in which an addition reads two and writes one; 0 where that
/// is not known.
double memory_copy_seconds(const Platform& p, std::int64_t bytes);

}  // namespace foretile
