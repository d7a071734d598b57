// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/tile_sizes.hpp"

#include <algorithm>

#include "planner/tensor/program_memory.hpp"
#include "planner/tensor/term_order.hpp"

namespace foretile {

namespace {

constexpr double kBytesOfElement = 8;

std::int64_t longest_extent(const Program& program, const ProgramSizes& sizes) {
  std::int64_t longest = 1;
  for (const IndexSpace& space : program.spaces) {
    if (space.kind != SpaceKind::auxiliary) longest = std::max(longest, sizes.extent_of(space.kind));
  }
  return longest;
}

double device_bytes(const Machine& machine) {
  const DeviceModel& device = machine.platform.device;
  return static_cast<double>(device.kind == DeviceKind::gpu
                                 ? device.memory_bytes
                                 : machine.host_bytes_per_rank() / machine.devices_per_rank);
}

}  // namespace

std::vector<std::int64_t> proposed_tiles(const Program& program, const ProgramSizes& sizes,
                                         const Machine& machine, const std::string& source) {
  constexpr std::size_t kMost = 4;
  constexpr double kLargest = 100, kRatio = 0.75;
  const std::vector<TermOrder> order = order_of_terms(program, source);
  const double most_bytes = device_bytes(machine) / 2;
  const std::int64_t longest = longest_extent(program, sizes);
  std::vector<std::int64_t> tiles;
  double most = kLargest;
  for (std::int64_t parts = 1; parts <= longest && tiles.size() < kMost; ++parts) {
    const std::int64_t tile = (longest + parts - 1) / parts;
    if (static_cast<double>(tile) > most) continue;
    most = kRatio * static_cast<double>(tile);
    ProgramSizes with_tile = sizes;
    with_tile.tile = tile;
    const auto spaces = spin_tiles_of(program, with_tile);
    if (kBytesOfElement * memory_of(program, order, spaces).largest_product <= most_bytes)
      tiles.push_back(tile);
  }
  return tiles;
}

}  // namespace foretile
