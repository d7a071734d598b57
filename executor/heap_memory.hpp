// Ordinary memory for tiles.
#pragma once

#include <memory_resource>

namespace foretile {

/// As std::pmr::new_delete_resource(), but for tiles by the ten thousand: glibc's aligned allocation cuts a
/// piece off at either end and frees it, which takes some 0.7 us; this one leaves them in place. A tile takes
/// up to its alignment more. For all threads; throws std::bad_alloc.
std::pmr::memory_resource* heap_memory();

}  // namespace foretile
