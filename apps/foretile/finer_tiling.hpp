// SPDX-License-Identifier: BSD-3-Clause
// Where a problem's tiles do not fit a machine: tiles that do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "base/time_budget.hpp"
#include "tuner/space.hpp"

namespace foretile {

/// Whether smaller tiles may help where planning threw this.
bool asks_for_finer_tiles(const InputError& error);

/// Tilings as retile() takes them, each finer than the one before and than the problem's own. Empty where the
/// problem lists its tiles.
std::vector<Settings> finer_tilings(const Problem& problem);

/// To find out what fits, unless less is left.
inline constexpr double kTilingSeconds = 5;

/// The first of them with which the case was planned and proven to fit. Nothing where none was found in time.
std::optional<Settings> finer_tiling_that_fits(const Case& the_case,
                                               const TimeBudget& budget = TimeBudget(kTilingSeconds));

/// "it fits with --set problem.tile=512, or made by foretile problem with --tile 512".
std::string advice(const Settings& tiling);

/// For a tuner: what fits, and finer, of a case whose own tiles do not. Empty where they do, and where that
/// is not found out in time.
std::vector<Parameter> tilings_to_try(const Case& the_case, const TimeBudget& budget);

}  // namespace foretile
