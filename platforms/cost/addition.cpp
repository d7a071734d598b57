// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/cost/addition.hpp"

#include "platforms/cost/link.hpp"

namespace foretile {

namespace {

constexpr double kMoved = 3;  // an addition reads two bytes and writes one

double seconds_from_memory(const Platform& p, double bytes) {
  if (p.addition_bytes_per_s_per_core > 0) return bytes / p.addition_bytes_per_s_per_core;
  const double share = p.memory_bandwidth_bytes_per_s / p.cores_per_socket;
  return over(kMoved * bytes, share);
}

}  // namespace

double addition_seconds(const Platform& p, std::int64_t bytes) {
  const auto added = static_cast<double>(bytes);
  return p.cached_addition_bytes_per_s_per_core > 0 && 2 * bytes <= p.device.cache.bytes
             ? added / p.cached_addition_bytes_per_s_per_core
             : seconds_from_memory(p, added);
}

double block_seconds(const Platform& p, std::int64_t bytes, bool permuted) {
  const auto moved = static_cast<double>(bytes);
  return permuted && p.permuted_addition_bytes_per_s_per_core > 0
             ? moved / p.permuted_addition_bytes_per_s_per_core
             : seconds_from_memory(p, moved);
}

double memory_copy_seconds(const Platform& p, std::int64_t bytes) {
  constexpr double kCopied = 2;
  return kCopied / kMoved * seconds_from_memory(p, static_cast<double>(bytes));
}

}  // namespace foretile
