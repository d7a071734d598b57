// SPDX-License-Identifier: BSD-3-Clause
// In which device's memory a rank receives a broadcast, where it does not in host memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/id.hpp"
#include "base/random.hpp"

namespace foretile {

/// Of the rank's `devices`, at least one, for the broadcast that is number `number` of its owner's. Each gets
/// about as many: by a hash, since which device works with the tiles first may change during a run.
inline Device landing_device(Rank owner, int number, std::size_t devices) {
  const std::uint64_t bits =
      counter_bits(static_cast<std::uint64_t>(int{owner}), static_cast<std::uint64_t>(number));
  return Device::of(bits % devices);
}

}  // namespace foretile
