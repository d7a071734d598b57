// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The file that `foretile report` writes.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "report/sections.hpp"

namespace foretile {

/// One HTML page that needs nothing else: `facts` as report/README.md says, of which the title is its own.
void write_page(std::ostream& out, const nlohmann::ordered_json& facts, const Sections& sections);

/// Text as HTML shows it.
std::string escaped_html(const std::string& text);

/// JSON that is safe inside of an element of script.
std::string script_json(const nlohmann::ordered_json& json);

}  // namespace foretile
