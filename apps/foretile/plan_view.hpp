// SPDX-License-Identifier: BSD-3-Clause
// A plan for people and scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/bound/bound.hpp"
#include "planner/plan_file.hpp"

namespace foretile {

struct PlanView {
  const PlannedWork& work;
  Bounds bounds;
  double wall_s = 0;             ///< to build, plan and verify
  bool with_comparison = false;  ///< the text has compared_text(), too
};

/// The proven high-water mark of the rank with most, over an even share of the matrices.
double memory_ratio(const PlannedWork& work);

std::string plan_text(const PlanView& view);
nlohmann::ordered_json plan_json(const PlanView& view);

/// One line for each strategy that was compared; empty without a comparison. `add_compared` adds the same,
/// and PlannedWork::decision, to JSON.
std::string compared_text(const PlannedWork& work);
void add_compared(nlohmann::ordered_json& json, const PlannedWork& work);

/// What is known before a rank is planned.
struct FrameView {
  const Contraction& contraction;
  const Machine& machine;
  const PlanFrame& frame;
};

std::string frame_text(const FrameView& view);
nlohmann::ordered_json frame_json(const FrameView& view);

}  // namespace foretile
