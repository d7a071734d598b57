// SPDX-License-Identifier: BSD-3-Clause
// Every time that a calibration measured, as JSON for other programs.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "executor/calibration/calibrate_gpu.hpp"

namespace foretile {

/// SI units throughout. `products[]`: m, n, k, batch, lanes, precision, seconds (of a launch), flops_per_s,
/// spread, and predicted_s by the fitted curve. `messages[]`: bytes, seconds, spread.
nlohmann::json calibration_samples(const CalibrationResult& result);

/// Also `lanes[]`: tile, lanes, flops_per_s, spread; `copies[]`: path ("h2d", "d2h", "d2d"), bytes, alone_s,
/// queued_s, spread; and single figures under `figures`, each with its spread where it has one.
nlohmann::json calibration_samples(const GpuCalibration& result);

}  // namespace foretile
