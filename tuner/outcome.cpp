// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/outcome.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace foretile {

namespace {

using nlohmann::json;

const json& member(const json& object, const char* key) {
  if (!object.is_object()) throw input_error("an evaluation", object.type_name(), "an object");
  const auto found = object.find(key);
  if (found == object.end()) throw input_error(key, "nothing", "a value");
  return *found;
}

std::string text_member(const json& object, const char* key) {
  const json& value = member(object, key);
  if (!value.is_string()) throw input_error(key, value.type_name(), "a string");
  return value.get<std::string>();
}

double seconds_member(const json& object, const char* key) {
  const json& value = member(object, key);
  // JSON has no infinity and no NaN: they arrive as null.
  if (!value.is_number()) throw input_error(key, value.type_name(), "a finite number of seconds");
  const double seconds = value.get<double>();
  if (!std::isfinite(seconds) || seconds < 0) throw input_error(key, value.dump(), "at least 0 s");
  return seconds;
}

Outcome::Status status_from_name(const std::string& name) {
  for (const auto status : {Outcome::Status::done, Outcome::Status::stopped, Outcome::Status::infeasible,
                            Outcome::Status::failed}) {
    if (name == status_name(status)) return status;
  }
  throw input_error("status", '"' + name + '"', "done, stopped, infeasible or failed");
}

/// What is read of it later; other keys may hold anything.
void check_extra(const json& extra) {
  if (!extra.is_object()) throw input_error("extra", extra.type_name(), "an object");
  using Type = bool (json::*)() const noexcept;
  struct Member {
    const char* key;
    Type is_right;
    const char* expected;
  };
  constexpr std::array<Member, 6> members{{{"plan", &json::is_string, "a string"},
                                           {kCoarseKey, &json::is_boolean, "true or false"},
                                           {kEffort, &json::is_number, "a number"},
                                           {kJoulesKey, &json::is_number, "a number"},
                                           {kLimitKey, &json::is_string, "a string"},
                                           {kRateKey, &json::is_number, "a number"}}};
  for (const Member& member : members) {
    if (extra.contains(member.key) && !(extra[member.key].*member.is_right)())
      throw input_error(std::string("extra.") + member.key, json_line(extra[member.key]), member.expected);
  }
}

Candidate candidate_from_json(const json& object) {
  if (!object.is_object()) throw input_error("parameters", object.type_name(), "an object");
  Candidate candidate;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) throw input_error("parameters." + key, value.type_name(), "a string");
    candidate[key] = value.get<std::string>();
  }
  return candidate;
}

}  // namespace

std::string plan_of(const Outcome& outcome) {
  if (!outcome.extra.is_object() || !outcome.extra.contains("plan")) return {};
  const nlohmann::json& plan = outcome.extra.at("plan");
  return plan.is_string() ? plan.get<std::string>() : std::string();
}

std::optional<double> joules_of(const Outcome& outcome) {
  if (!outcome.extra.is_object() || !outcome.extra.contains(kJoulesKey)) return std::nullopt;
  return outcome.extra.at(kJoulesKey).get<double>();
}

double cost_of(const Outcome& outcome, Goal goal) {
  if (goal == Goal::energy)
    return joules_of(outcome).value_or(outcome.done() ? std::numeric_limits<double>::infinity() : 0);
  return outcome.status == Outcome::Status::stopped ? outcome.lower_bound_s : outcome.makespan_s;
}

Outcome outcome_of_bound(double cost, Goal goal) {
  if (goal == Goal::energy) return {Outcome::Status::done, 0, {}, {{kJoulesKey, cost}}};
  return {Outcome::Status::done, cost, {}, {}};
}

const char* unit_of(Goal goal) {
  return goal == Goal::energy ? "J" : "s";
}

bool is_coarse(const Outcome& outcome) {
  return outcome.extra.is_object() && outcome.extra.value(kCoarseKey, false);
}

std::string status_name(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::done:
      return "done";
    case Outcome::Status::stopped:
      return "stopped";
    case Outcome::Status::infeasible:
      return "infeasible";
    case Outcome::Status::failed:
      break;
  }
  return "failed";
}

json to_json(const Outcome& outcome) {
  json object = {{"status", status_name(outcome.status)}};
  if (outcome.done()) object["makespan_s"] = outcome.makespan_s;
  if (outcome.status == Outcome::Status::stopped) object["lower_bound_s"] = outcome.lower_bound_s;
  if (!outcome.message.empty()) object["message"] = outcome.message;
  if (!outcome.extra.is_null()) object["extra"] = outcome.extra;
  return object;
}

Outcome outcome_from_json(const json& object) {
  Outcome outcome;
  outcome.status = status_from_name(text_member(object, "status"));
  if (outcome.done()) outcome.makespan_s = seconds_member(object, "makespan_s");
  if (outcome.status == Outcome::Status::stopped)
    outcome.lower_bound_s = seconds_member(object, "lower_bound_s");
  if (object.contains("message")) outcome.message = text_member(object, "message");
  if (object.contains("extra")) outcome.extra = object["extra"];
  return outcome;
}

json to_json(const Evaluation& evaluation) {
  json object = to_json(evaluation.outcome);
  object["parameters"] = evaluation.candidate;
  object["wall_s"] = evaluation.wall_s;
  return object;
}

Evaluation evaluation_from_json(const json& object) {
  if (object.is_object() && object.contains("extra")) check_extra(object["extra"]);
  return {candidate_from_json(member(object, "parameters")), outcome_from_json(object),
          seconds_member(object, "wall_s")};
}

std::string json_line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace foretile
