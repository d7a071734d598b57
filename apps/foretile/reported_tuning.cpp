// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/reported_tuning.hpp"

#include <filesystem>

#include "tuner/history.hpp"
#include "tuner/outcome.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

Json evaluation_json(const Evaluation& evaluation) {
  const Outcome& outcome = evaluation.outcome;
  const bool stopped = outcome.status == Outcome::Status::stopped;
  return {{"status", status_name(outcome.status)},
          {"makespan_s", outcome.done() ? Json(outcome.makespan_s) : Json()},
          {"lower_bound_s", stopped ? Json(outcome.lower_bound_s) : Json()},
          {"message", outcome.message},
          {"parameters", evaluation.candidate},
          {"wall_s", evaluation.wall_s}};
}

}  // namespace

bool is_history(const std::string& path) {
  return path.ends_with(".jsonl");
}

Json reported_tuning(const std::string& path) {
  Json evaluations = Json::array();
  for (const Evaluation& evaluation : read_history(path)) evaluations.push_back(evaluation_json(evaluation));
  return {{"name", std::filesystem::path(path).filename().string()}, {"evaluations", std::move(evaluations)}};
}

}  // namespace foretile
