// SPDX-License-Identifier: BSD-3-Clause
// A report for scripts.
#pragma once

#include <nlohmann/json.hpp>

#include "scheduler/report/report.hpp"

namespace foretile {

/// Keys as docs/commands.md lists them. The program adds what it knows of itself: wall_s, peak_rss_bytes.
nlohmann::ordered_json report_json(const Report& report);

/// Adds `joules` and `energy_is_guess`.
void add_energy(nlohmann::ordered_json& json, const Energy& energy);

/// Adds `bound_s`, `bound`, `problem_bound_s` and `problem_bound`.
void add_bounds(nlohmann::ordered_json& json, const Bounds& bounds);

/// Adds `limits`, seconds of the critical path by cause, and `limit`, the sentence about them.
void add_limits(nlohmann::ordered_json& json, const Report& report);

/// Adds `what_if` and `what_if_unchanged`.
void add_what_if(nlohmann::ordered_json& json, const WhatIf& what_if);

/// Adds `strategy`, `sources`, `strategy_reason`, and `source_override` where there is one: of plans, reports
/// and tunings alike.
void add_choice(nlohmann::ordered_json& json, const StrategyChoice& choice);

/// The key "model", of plans and reports alike.
nlohmann::ordered_json model_json(const PredictedVolumes& predicted);

}  // namespace foretile
