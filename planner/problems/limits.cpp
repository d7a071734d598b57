#include "planner/problems/limits.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace foretile {

void check_tile_count(std::int64_t rows, std::int64_t columns) {
  if (columns > 0 && rows > max_tiles / columns) {
    throw input_error("problem", fmt::format("a matrix of {} x {} tiles", rows, columns),
                      fmt::format("at most {} tiles in a matrix", max_tiles), "take larger tiles");
  }
}

}  // namespace foretile
