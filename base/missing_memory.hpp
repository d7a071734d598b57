// SPDX-License-Identifier: BSD-3-Clause
// The refusal of what does not fit a memory.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"

namespace foretile {

/// What was too small, and so what may help.
enum class ShortOf : std::uint8_t {
  device_memory,     ///< or the staging area, for a few tiles at a time: smaller tiles
  host_memory,       ///< for what a rank keeps and receives: another grid, more ranks
  room_for_matrices  ///< host memory, for the matrices alone: more nodes
};

class MissingMemory : public InputError {
 public:
  explicit MissingMemory(const InputError& error, ShortOf short_of = ShortOf::device_memory)
      : InputError(error), short_of_(short_of) {
    add_page(HelpPage::memory);
  }
  ShortOf short_of() const { return short_of_; }

 private:
  ShortOf short_of_;
};

/// A program is too large for the memory of its ranks: in parts, or with less in memory, it may fit.
class DoesNotFit : public InputError {
 public:
  explicit DoesNotFit(const InputError& error) : InputError(error) { add_page(HelpPage::memory); }
};

/// As input_error(); says how many bytes are missing, and then what to change.
MissingMemory missing_memory(std::string_view where, std::string_view found, std::string_view expected,
                             std::int64_t missing_bytes, std::string_view change,
                             ShortOf short_of = ShortOf::device_memory);

}  // namespace foretile
