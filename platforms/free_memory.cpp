// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/free_memory.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <string>

#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "platforms/here.hpp"

namespace foretile {

std::int64_t available_memory_bytes() {
  if (const auto said = said_memory_bytes()) return *said;
  std::ifstream in("/proc/meminfo");
  for (std::string key, unit; in >> key;) {
    std::int64_t kib = 0;
    if (!(in >> kib)) break;
    if (key == "MemAvailable:") return kib * 1024;
    std::getline(in, unit);
  }
  return std::numeric_limits<std::int64_t>::max();  // unknown
}

void require_free_memory(std::int64_t rank_bytes, int ranks_on_node, std::int64_t available,
                         std::string_view advice) {
  if (rank_bytes <= available / ranks_on_node) return;
  throw missing_memory(
      "this node", fmt::format("{} of free memory", spelled_bytes(available)),
      fmt::format("{}, needed by {} ranks of {} each", spelled_bytes(ranks_on_node * rank_bytes),
                  ranks_on_node, spelled_bytes(rank_bytes)),
      ranks_on_node * rank_bytes - available, advice, ShortOf::host_memory);
}

}  // namespace foretile
