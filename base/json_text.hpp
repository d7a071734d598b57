// SPDX-License-Identifier: BSD-3-Clause
// JSON from files, read strictly.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace foretile {

/// Objects and lists within each other; deeper ones are refused, because code that walks them recurses.
constexpr int kDeepestJson = 100;

/// Parses a text, for Json = nlohmann::json or nlohmann::ordered_json. Throws InputError "WHERE: not KIND:
/// ..." for what is no JSON, and one that names the key when an object has a key twice (the standard leaves
/// open which value holds, RFC 8259, section 4). `kind` is for example "a plan file".
template <class Json>
Json parse_json(std::string_view text, const std::string& where, const std::string& kind);

}  // namespace foretile
