// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/task.hpp"

#include <fmt/format.h>

namespace foretile {

namespace {

std::string named(const Contraction& p, TileRef tile) {
  const Shape& shape = shape_of(p, tile.matrix);
  return fmt::format("{}({},{})", "ABC"[static_cast<int>(tile.matrix)], shape.row_of(tile.id),
                     shape.column_of(tile.id));
}

std::string product(const Contraction& p, const Task& task) {
  const std::int32_t i = p.c.row_of(task.tile.id);
  const std::int32_t j = p.c.column_of(task.tile.id);
  return fmt::format("C({0},{1}) += A({0},{2}) B({2},{1})", i, j, task.k);
}

const char* verb(Task::Kind kind) {
  switch (kind) {
    case Task::Kind::place:
      return "placing";
    case Task::Kind::multiply:
      return "multiplying";
    case Task::Kind::load:
      return "loading";
    case Task::Kind::store:
      return "storing";
    case Task::Kind::peer_copy:
      return "copying from another device";
    case Task::Kind::make:
      return "generating";
    case Task::Kind::compact:
      return "making room for";
  }
  return "";
}

}  // namespace

std::string described(const Contraction& p, const Task& task) {
  const std::string first = task.kind == Task::Kind::multiply ? product(p, task) : named(p, task.tile);
  const std::string more = task.count > 1 ? fmt::format(" and {} more", task.count - 1) : "";
  return fmt::format("{} {}{}", verb(task.kind), first, more);
}

}  // namespace foretile
