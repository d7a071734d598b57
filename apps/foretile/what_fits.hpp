// SPDX-License-Identifier: BSD-3-Clause
// Where a case does not fit its machine: what to change, so that it does.
#pragma once

#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "base/missing_memory.hpp"
#include "base/settings.hpp"
#include "base/time_budget.hpp"
#include "tuner/space.hpp"

namespace foretile {

/// Tilings as retile() takes them, each finer than the one before and than the problem's own. Empty where the
/// problem lists its tiles.
std::vector<Settings> finer_tilings(const Problem& problem);

/// To find out what fits, where planning is not longer.
inline constexpr double kFittingSeconds = 30;

/// Why a case was not planned, and after how long.
struct Refused {
  ShortOf short_of;
  double planned_s;
};

/// Tiles, parameters and nodes with which the case was planned and proven to fit: "it fits with --nodes 8
/// --set grid.p=4". Empty where none were found in kFittingSeconds or twice as long as planning took.
std::string what_fits(const Case& the_case, const Refused& refused);

/// For a tuner: what fits, and finer, of a case whose own tiles do not. Empty where they do, and where that
/// is not found out in time.
std::vector<Parameter> tilings_to_try(const Case& the_case, const TimeBudget& budget);

}  // namespace foretile
