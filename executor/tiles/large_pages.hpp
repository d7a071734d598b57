// SPDX-License-Identifier: BSD-3-Clause
// Memory in large pages.
#pragma once

#include <cstddef>
#include <span>

namespace foretile {

/// Asks the system for pages of 2 MB where it gives them on request only (Linux,
/// /sys/kernel/mm/transparent_hugepage/enabled: madvise); for memory that was not touched yet. Products of
/// small tiles all over the memory look up so many pages of 4 kB that it costs them time. Where the system
/// has none, nothing changes.
void prefer_large_pages(std::span<std::byte> memory);

}  // namespace foretile
