// SPDX-License-Identifier: BSD-3-Clause
// Bounds that several parts share.
#pragma once

namespace foretile {

/// Nodes of a platform, and of a range that is tuned. With the other bounds on counts it keeps the number of
/// ranks and of devices of a whole machine below 2^31.
constexpr int kMostNodes = 200'000;

}  // namespace foretile
