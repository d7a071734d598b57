// SPDX-License-Identifier: BSD-3-Clause
// foretile platform show --sensitivity: how much a problem's time depends on each guess of a platform.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"

namespace foretile {

/// Guesses are varied by this, down and up.
inline constexpr double kGuessChange = 0.25;

/// A guess, or several that are changed together.
struct SensitivityRow {
  std::string figure;               ///< "generation.rate", or what all of them are
  std::string value;                ///< as in the file; empty for several
  std::vector<std::string> keys;    ///< that are changed
  std::optional<double> lower_s{};  ///< time with the figure 25% lower; nothing: not feasible
  std::optional<double> higher_s{};
  std::string refusal{};  ///< why one of both is not feasible
};

/// What the guesses of a platform mean for a problem's time.
struct Sensitivity {
  std::string problem, platform;
  int nodes = 1;
  double makespan_s = 0;                       ///< with the platform as it is
  bool in_full = true;                         ///< else all times are coarse
  std::vector<SensitivityRow> rows = {};       ///< largest effect first
  std::vector<std::string> without_role = {};  ///< guesses that the plan has nothing to do with
  std::vector<std::string> not_varied = {};    ///< guesses that are no quantities

  /// Of a row: the larger change of the time, as a share of the time.
  double effect(const SensitivityRow& row) const;
};

/// Simulates the plan again with each guess of the case's platform 25% lower and higher, by the fluid
/// engine, several at a time in processes of their own, and with all guessed bandwidths together. Where
/// memory or a count changes, it is planned again. Large plans coarsely. Call it before any simulation in
/// this process. Throws WorkError where the unchanged machine cannot be simulated.
Sensitivity sensitivity(const Case& the_case, const PlannedWork& work, ProgressLine& line);

std::string sensitivity_text(const Sensitivity& sensitivity);
nlohmann::ordered_json sensitivity_json(const Sensitivity& sensitivity);

}  // namespace foretile
