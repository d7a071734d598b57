// How fast the cores are right now: a short mix of products, the same at calibration and before a run.
#pragma once

namespace foretile {

/// Flop/s of all `threads` together, in elapsed time: for about `seconds` each thread multiplies tiles of 512
/// and of 64, which take about as long as each other, from 24 MB of its own. What else runs on the machine
/// shows in it.
double probe_flops_per_s(int threads, double seconds);

/// Below this part of its calibrated rate a machine counts as slower than calibrated.
inline constexpr double kSlowShare = 0.9;

/// Time for one probe beside a run.
inline constexpr double kProbe_s = 0.25;

}  // namespace foretile
