// SPDX-License-Identifier: BSD-3-Clause
// The refusal of what does not fit a memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace foretile {

/// Smaller tiles may need less, unless the matrices alone are too large.
class MissingMemory : public InputError {
 public:
  explicit MissingMemory(const InputError& error, bool matrices_alone = false)
      : InputError(error), matrices_alone_(matrices_alone) {}
  bool matrices_alone() const { return matrices_alone_; }

 private:
  bool matrices_alone_;
};

/// As input_error(); says how many bytes are missing, and then what to change.
MissingMemory missing_memory(std::string_view where, std::string_view found, std::string_view expected,
                             std::int64_t missing_bytes, std::string_view change,
                             bool matrices_alone = false);

}  // namespace foretile
