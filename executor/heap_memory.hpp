// Ordinary memory for tiles.
#pragma once

#include <cstdint>
#include <memory_resource>

namespace foretile {

/// As std::pmr::new_delete_resource(), but for tiles by the ten thousand: glibc's aligned allocation cuts a
/// piece off at either end and frees it, which takes some 0.7 us; this one leaves them in place. A tile takes
/// up to its alignment more. For all threads; throws std::bad_alloc.
std::pmr::memory_resource* heap_memory();

/// Touches so much of it that is free and gives it back: what is taken then costs no first touch where the
/// allocator keeps what was freed (foretile-run's main). Throws std::bad_alloc.
void touch_heap(std::int64_t bytes);

}  // namespace foretile
