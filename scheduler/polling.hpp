// SPDX-License-Identifier: BSD-3-Clause
// When the progress loop of a rank on cores polls for messages and ended work. The executor polls; the
// simulator charges the cores for it.
#pragma once

namespace foretile {

/// Seconds between two polls at most, while messages are expected and all cores have work.
inline constexpr double kLongestPollInterval_s = 8e-3;
/// While a message is on its way.
inline constexpr double kMovingPollInterval_s = 100e-6;
/// The end of work that took longer makes the loop poll at once: what that costs is small beside it.
inline constexpr double kAlwaysNoticed_s = 2e-3;

}  // namespace foretile
