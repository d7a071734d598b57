#include "planner/grid.hpp"

#include <fmt/format.h>

namespace foretile {

std::string idle_ranks_text(int idle) {
  if (idle <= 0) return {};
  return idle == 1 ? "1 rank has no work" : fmt::format("{} ranks have no work", idle);
}

}  // namespace foretile
