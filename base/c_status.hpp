// SPDX-License-Identifier: BSD-3-Clause
// From exceptions to what C functions return.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <string_view>

#include "base/error.hpp"
#include "base/foretile_status.h"

namespace foretile {

/// Keeps the text for foretile_message(), without asking for memory: of a long one the first
/// kLongestCMessage bytes.
void set_c_message(std::string_view text) noexcept;

inline constexpr std::size_t kLongestCMessage = 4095;

/// No exception leaves the library.
template <class Call>
foretile_status guarded(const Call& call) noexcept {
  try {
    call();
    return FORETILE_OK;
  } catch (const InputError& error) {
    set_c_message(error.what());
    return FORETILE_WRONG_INPUT;
  } catch (const std::bad_alloc&) {
    set_c_message("memory is used up");
  } catch (const std::exception& error) {
    set_c_message(error.what());
  } catch (...) {
    set_c_message("an exception of an unknown type");
  }
  return FORETILE_FAILED;
}

template <class... Pointers>
void require_given(const char* function, const Pointers*... pointers) {
  if ((... && (pointers != nullptr))) return;
  throw input_error(function, "NULL", "a pointer for each argument that has no default");
}

}  // namespace foretile
