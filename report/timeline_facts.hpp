// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// A timeline, as a report page holds it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "platforms/machine.hpp"
#include "report/sections.hpp"
#include "report/timeline.hpp"

namespace foretile {

/// A time to draw a line at, such as a bound.
struct TimeMark {
  std::string name;
  double seconds = 0;
};

/// The objects "timeline" and "curves" of report/README.md.
struct TimelineFacts {
  nlohmann::ordered_json timeline, curves;
};

/// Adds the operations to `sections`.
TimelineFacts timeline_facts(const Timeline& timeline, const Machine& machine,
                             const std::vector<TimeMark>& marks, Sections& sections);

}  // namespace foretile
