// SPDX-License-Identifier: BSD-3-Clause
// Why the run takes as long as it does: the time on the way to each operation, split by cause and part.
#pragma once

#include <array>
#include <cstdint>

namespace foretile {

enum class Cause : std::uint8_t { kernel, generate, h2d, d2d, d2h, network, wait, combine };
inline constexpr int kCauses = 8;
inline constexpr std::array<const char*, kCauses> kCauseNames{"kernel", "generate", "h2d",  "d2d",
                                                              "d2h",    "network",  "wait", "combine"};

/// What the time of a cause was spent on.
enum class Part : std::uint8_t {
  work,      ///< use of the resource by several operations, in turn or at once
  software,  ///< per-tile, per-message and launch cost of the runtime system, and queueing for that software
  latency_bound  ///< an operation that had the resource for itself while the next one waited for its result
};
inline constexpr int kParts = 3;
inline constexpr std::array<const char*, kParts> kPartNames{"work", "software", "latency_bound"};

/// What the back end knows of an operation's duration; the rest is the operation's own use of its resource.
struct OperationTime {
  double software_s = 0;  ///< software, and queueing for it
  double queued_s = 0;    ///< the resource served other operations
  /// When it was under way, on the back end's clock, where it waited for its turn there or its end is
  /// reported late: what traces show. 0: from its start until now.
  double began_s = 0, ended_s = 0;
};

/// One operation that could not be divided.
struct PathOperation {
  Cause cause = Cause::kernel;
  double seconds = 0;
  std::int64_t bytes = 0;  ///< moved or made; 0 for kernels
};

/// Seconds along the chain of operations of which each started when the one before ended.
struct Path {
  std::array<std::array<double, kParts>, kCauses> parts{};
  PathOperation longest;  ///< of all that count as Part::latency_bound

  double seconds(Cause cause) const {
    double sum = 0;
    for (const double s : parts[static_cast<std::size_t>(cause)]) sum += s;
    return sum;
  }
  double seconds(Cause cause, Part part) const {
    return parts[static_cast<std::size_t>(cause)][static_cast<std::size_t>(part)];
  }
  double total() const {
    double sum = 0;
    for (int cause = 0; cause < kCauses; ++cause) sum += seconds(static_cast<Cause>(cause));
    return sum;
  }
  void add(Cause cause, Part part, double more) {
    parts[static_cast<std::size_t>(cause)][static_cast<std::size_t>(part)] += more;
  }
  void add(const PathOperation& operation) {
    add(operation.cause, Part::latency_bound, operation.seconds);
    if (operation.seconds > longest.seconds) longest = operation;
  }
  Path plus(Cause cause, Part part, double more) const {
    Path longer = *this;
    longer.add(cause, part, more);
    return longer;
  }
  Path plus(const PathOperation& operation) const {
    Path longer = *this;
    longer.add(operation);
    return longer;
  }

  /// The path of a message's sender and the time since it ended, which the message took, seen by who receives
  /// it at `now` on a clock of its own. Where the clocks differ by more than that, the path shrinks, so that
  /// it never exceeds `now`.
  Path arriving(std::int64_t bytes, double now) const {
    const double sent = total();
    if (sent <= now) return plus(PathOperation{Cause::network, now - sent, bytes});
    Path shorter = *this;
    for (auto& cause : shorter.parts) {
      for (double& part : cause) part *= now / sent;
    }
    shorter.longest.seconds *= now / sent;
    return shorter;
  }
};

}  // namespace foretile
