// SPDX-License-Identifier: BSD-3-Clause
// On which CPUs a rank's threads run.
#pragma once

#include <span>
#include <vector>

namespace foretile {

/// CPUs that the calling thread may run on, increasing; none where the system does not say.
std::vector<int> allowed_cpus();

/// The calling thread runs on these alone from now on, as far as the system allows.
void bind_thread(std::span<const int> cpus);

/// One of `allowed` for each of a rank's `cores` threads, for rank `number` of `ranks` on the node. Nothing,
/// which leaves threads to the system, unless `allowed` are as many as the rank has cores, because a launcher
/// bound it, or as many as all ranks of the node have: with fewer threads than CPUs the system knows better
/// what other programs do. Bound they are because Linux may wake two threads on one CPU and leave them there
/// for tens of milliseconds while the other idles.
std::vector<int> cpus_of_rank(const std::vector<int>& allowed, int number, int ranks, int cores);

}  // namespace foretile
