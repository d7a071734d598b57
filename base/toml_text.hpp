// SPDX-License-Identifier: BSD-3-Clause
// Making text from anywhere safe for toml++. toml++ 3.3 (Debian 12) runs into unreachable code on some
// letters outside strings, asserts on some line separators within arrays, and frees nested tables by
// recursion.
#pragma once

#include <string>
#include <string_view>

namespace foretile {

/// A key a.b.c has three parts and makes two nested tables.
constexpr int kMostKeyParts = 32;

/// `text` with every byte beyond ASCII as '?', a byte order mark at the start left out. For texts in whose
/// strings such letters carry no meaning. Throws InputError, with `source` and line, for a key of more than
/// kMostKeyParts parts.
std::string ascii_for_toml(std::string_view text, std::string_view source);

/// The same, but between double quotes letters beyond ASCII become TOML's escapes. Throws InputError, with
/// `source` and line, for such letters between single quotes, where there are no escapes.
std::string ascii_with_escapes(std::string_view text, std::string_view source);

}  // namespace foretile
