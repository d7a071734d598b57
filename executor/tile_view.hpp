// A tile that lies in somebody's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace foretile {

/// Column-major: element (i, j) is the (i + j ld)-th. Tiles of A and B are only read.
struct TileView {
  std::byte* data = nullptr;
  std::int64_t ld = 0;  ///< in elements, at least the rows and 1
};

}  // namespace foretile
