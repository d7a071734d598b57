// SPDX-License-Identifier: BSD-3-Clause
// Plans that are simulated for a report page.
#pragma once

#include <nlohmann/json.hpp>

#include "apps/foretile/case.hpp"
#include "apps/foretile/program_case.hpp"
#include "base/progress.hpp"
#include "report/sections.hpp"

namespace foretile {

/// Plans and simulates it. Returns the object "work" of report/README.md; its numbers go to `sections`.
nlohmann::ordered_json reported_work(const CaseArguments& arguments, const ProgramArguments& of,
                                     Sections& sections, ProgressLine& line);

}  // namespace foretile
