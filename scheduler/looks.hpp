// SPDX-License-Identifier: BSD-3-Clause
// When the progress loop of a rank on cores looks for messages and ended work. The executor looks; the
// simulator charges the cores for it.
#pragma once

namespace foretile {

/// Seconds between two looks at most, while messages are expected and all cores have work.
inline constexpr double kLongestLookInterval_s = 8e-3;
/// While a message is on its way.
inline constexpr double kMovingLookInterval_s = 100e-6;
/// The end of work that took longer makes the loop look at once: what that costs is small beside it.
inline constexpr double kAlwaysNoticed_s = 2e-3;

}  // namespace foretile
