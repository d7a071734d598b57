// A plan for people and scripts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/bound/bound.hpp"
#include "planner/plan/plan_file.hpp"

namespace foretile {

struct PlanView {
  const PlannedWork& work;
  Bounds bounds;
  double wall_s = 0;  ///< to build, plan and verify
};

std::string plan_text(const PlanView& view);
nlohmann::ordered_json plan_json(const PlanView& view);

}  // namespace foretile
