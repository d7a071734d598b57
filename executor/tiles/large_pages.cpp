// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/large_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace foretile {

/// Whole pages only: what else is in the first and the last page is not affected.
void prefer_large_pages(std::span<std::byte> memory) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(memory.data()) % page;
  static_cast<void>(madvise(memory.data() - before, memory.size() + before, MADV_HUGEPAGE));
}

}  // namespace foretile
