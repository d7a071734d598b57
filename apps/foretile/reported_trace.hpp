// SPDX-License-Identifier: BSD-3-Clause
// A file of --trace on a report page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/sections.hpp"

namespace foretile {

/// Whether a JSON file is a trace, by its first bytes: a plan has other ones. False where it cannot be read.
bool is_trace(const std::string& path);

/// The object "work" of report/README.md, without what a trace does not say. Throws InputError as
/// read_trace().
nlohmann::ordered_json reported_trace(const std::string& path, Sections& sections);

}  // namespace foretile
