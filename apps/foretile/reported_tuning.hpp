// SPDX-License-Identifier: BSD-3-Clause
// The history of a search on a report page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace foretile {

/// Whether a file is a history, by its name: FILE.jsonl.
bool is_history(const std::string& path);

/// The object "tuning" of report/README.md. Throws InputError as read_history().
nlohmann::ordered_json reported_tuning(const std::string& path);

}  // namespace foretile
