#include "base/toml_text.hpp"

#include <algorithm>

namespace foretile {

std::string ascii_for_toml(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  std::string ascii(text);
  std::replace_if(
      ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) > 127; }, '?');
  return ascii;
}

}  // namespace foretile
