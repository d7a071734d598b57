// Making text from anywhere safe for toml++.
#pragma once

#include <string>
#include <string_view>

namespace foretile {

/// `text` with every byte beyond ASCII as '?', a byte order mark at the start left out. toml++ 3.3 (Debian
/// 12) runs into unreachable code on some letters outside strings, and asserts on some line separators within
/// arrays; there such characters are errors anyway, and in comments and our strings they carry no meaning.
std::string ascii_for_toml(std::string_view text);

}  // namespace foretile
