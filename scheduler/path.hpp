// Why the run takes as long as it does: the time on the way to each operation, split by cause.
#pragma once

#include <array>
#include <cstdint>

namespace foretile {

enum class Cause : std::uint8_t { kernel, generate, h2d, d2d, d2h, network, wait };
inline constexpr int kCauses = 7;
inline constexpr std::array<const char*, kCauses> kCauseNames{"kernel", "generate", "h2d", "d2d",
                                                              "d2h",    "network",  "wait"};

/// Seconds along the chain of operations of which each started when the one before ended.
struct Path {
  std::array<double, kCauses> seconds{};

  double total() const {
    double sum = 0;
    for (const double s : seconds) sum += s;
    return sum;
  }
  Path plus(Cause cause, double more) const {
    Path longer = *this;
    longer.seconds[static_cast<std::size_t>(cause)] += more;
    return longer;
  }
};

}  // namespace foretile
