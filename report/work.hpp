// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A simulation or a run, as a report page shows it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/machine.hpp"
#include "report/sections.hpp"
#include "report/timeline.hpp"
#include "scheduler/report/report.hpp"

namespace foretile {

/// What is known beside the operations.
struct WorkFacts {
  std::string name;             ///< of the file or problem that the user gave
  std::string source;           ///< "simulated" or "measured"
  std::string problem;          ///< its name
  std::string digest;           ///< of the plan
  nlohmann::ordered_json json;  ///< what the program prints with --json
};

/// The object "work" of report/README.md. Numbers go to `sections`.
nlohmann::ordered_json work_json(WorkFacts facts, const Report& report, const Machine& machine,
                                 const Timeline& timeline, Sections& sections);

/// The object "facts" of report/README.md. `program` with its version; the command that made the page.
nlohmann::ordered_json page_facts(const std::string& program, const std::string& command,
                                  nlohmann::ordered_json works,
                                  nlohmann::ordered_json tunings = nlohmann::ordered_json::array());

}  // namespace foretile
