// SPDX-License-Identifier: BSD-3-Clause
// Where page-locked host memory begins and ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace foretile {

/// CUDA refuses a copy whose host memory is page-locked in part, or part of two such ranges
/// (cudaErrorInvalidValue), so no copy may cross a border. Ranges do not overlap.
class HostBorders {
 public:
  void add(const std::byte* begin, std::int64_t bytes) { ends_[begin] = begin + bytes; }
  void remove(const std::byte* begin) { ends_.erase(begin); }
  /// Bytes from there to the next border behind it; the largest number where none follows.
  std::int64_t bytes_to_next(const std::byte* from) const;

 private:
  std::map<const std::byte*, const std::byte*> ends_;  // by begin
};

}  // namespace foretile
