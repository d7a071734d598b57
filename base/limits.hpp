// SPDX-License-Identifier: BSD-3-Clause
// Bounds that several parts share.
#pragma once

#include <cerrno>
#include <cstdint>

namespace foretile {

/// Nodes of a platform, and of a range that is tuned. With the other bounds on counts it keeps the number of
/// ranks and of devices of a whole machine below 2^31.
constexpr int kMostNodes = 200'000;

/// Elements along M, N or K, and along rows or columns of a matrix in a file. Doubles hold them and their
/// sums; products of two may need more than 64 bits.
inline constexpr std::int64_t max_extent = 1'000'000'000'000'000;

/// Whether the last call of the system failed for the limit on open files, and what to change then.
inline bool too_many_open_files() {
  return errno == EMFILE || errno == ENFILE;
}
inline constexpr const char* kRaiseOpenFiles = "raise the limit on open files: ulimit -n 64";

}  // namespace foretile
