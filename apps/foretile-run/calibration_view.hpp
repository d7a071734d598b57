// SPDX-License-Identifier: BSD-3-Clause
// What a calibration found, for people and for scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "executor/calibration/calibrate_gpu.hpp"

namespace foretile {

std::string calibration_text(const CalibrationResult& result);
std::string calibration_text(const GpuCalibration& result);
nlohmann::ordered_json calibration_json(const CalibrationResult& result);
nlohmann::ordered_json calibration_json(const GpuCalibration& result);

}  // namespace foretile
