// SPDX-License-Identifier: BSD-3-Clause
// Ordinary memory for tiles.
#pragma once

#include <cstdint>
#include <memory_resource>

namespace foretile {

/// As std::pmr::new_delete_resource(), but for tiles by the ten thousand: glibc's aligned allocation cuts a
/// piece off at either end and frees it, which takes some 0.7 us; this one leaves them in place. A tile takes
/// up to its alignment more. For all threads; throws std::bad_alloc.
std::pmr::memory_resource* heap_memory();

/// Takes `bytes`, touches them on `threads` threads and gives them back. Where the allocator keeps what was
/// freed (foretile-run's main) what is taken later costs no first touch. Throws std::bad_alloc.
void touch_heap(std::int64_t bytes, int threads = 1);

}  // namespace foretile
