// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What a candidate is and what its evaluation said.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/settings.hpp"

namespace foretile {

/// One choice of value for each parameter, in the keys of `--set`, for example "grid.p" -> "2".
using Candidate = Settings;

/// Key of Outcome::extra: chunks and messages of a plan, whose cost is known less well than that of bytes and
/// flops.
inline constexpr const char* kEffort = "chunks_and_messages";

/// Key of Outcome::extra: true where the time comes from CostModel::evaluate_coarsely.
inline constexpr const char* kCoarseKey = "coarse";

/// Key of Outcome::extra: the text that says what limits the time.
inline constexpr const char* kLimitKey = "limit";
inline constexpr const char* kRateKey = "flops_per_s";  ///< Key of Outcome::extra: flop/s.

/// Key of Outcome::extra, where the machine's power is known: joules of what is done; of a bound, and of what
/// was stopped, joules that it takes at least.
inline constexpr const char* kJoulesKey = "joules";

/// What the best is chosen by.
enum class Goal {
  time,        ///< least makespan
  node_hours,  ///< least makespan times nodes: on so many nodes that is the least makespan
  energy       ///< least joules
};

/// What an evaluation said of a candidate.
struct Outcome {
  /// How the evaluation ended.
  enum class Status {
    done,        ///< `makespan_s` holds
    stopped,     ///< takes longer than was of interest: `lower_bound_s` holds
    infeasible,  ///< the planner refuses the candidate; `message` says why
    failed       ///< the evaluation itself broke: crash, time or memory limit, error
  };
  Status status = Status::failed;  ///< how it ended
  double makespan_s = 0;           ///< seconds, finite and not negative when done; 0 otherwise
  std::string message;             ///< why it was refused or failed, in one line; else empty
  nlohmann::json extra;            ///< whatever else the cost model tells; kept in the history as it is
  double lower_bound_s = 0;        ///< seconds that the evaluation takes at least, when stopped; 0 otherwise

  /// Whether there is a time.
  bool done() const { return status == Status::done; }
  /// All members are equal.
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// A candidate with its outcome and the seconds its evaluation took.
struct Evaluation {
  Candidate candidate;  ///< what was evaluated
  Outcome outcome;      ///< what came out
  double wall_s = 0;    ///< time that the evaluation took

  /// All members are equal.
  friend bool operator==(const Evaluation&, const Evaluation&) = default;
};

/// The cost model. It runs in a process of its own, so it may crash, hang or exit. An InputError thrown by it
/// means infeasible, any other exception failed.
using CostFunction = std::function<Outcome(const Candidate&)>;

/// What a look at a candidate tells, without a plan.
struct FirstLook {
  std::string refusal;  ///< why it does not fit; empty when it may
  std::string plan;     ///< the same only for candidates with the same plan; empty: not known
};

/// What can be asked of a candidate. All but `evaluate` and `evaluate_coarsely` is for the search "bound"
/// only. Where the goal is energy, "seconds" and "time" are joules, outcomes have kJoulesKey.
struct CostModel {
  CostFunction evaluate;  ///< a full simulation
  /// Cheaper: where it is done, `makespan_s` is a time that evaluate's cannot beat.
  CostFunction bound = {};
  /// Almost for nothing, and in the tuner's own process: seconds that `evaluate` cannot beat; 0 when
  /// nothing is known, infinite when it is infeasible. Must not throw.
  std::function<double(const Candidate&)> first_bound = {};
  /// Whether `first_bound` may differ between candidates that differ in this parameter only; empty: in any.
  std::function<bool(const std::string&)> decides_first_bound = {};
  /// In the tuner's own process, in a few milliseconds. Must not throw.
  std::function<FirstLook(const Candidate&)> look = {};
  /// As `evaluate`, but may give up as `stopped` when it is sure that it takes longer than so many seconds.
  std::function<Outcome(const Candidate&, double)> evaluate_until = {};
  /// As `evaluate`, but soon and less exact, for any search.
  CostFunction evaluate_coarsely = {};
};

/// Joules, where they are known.
std::optional<double> joules_of(const Outcome& outcome);

/// What the goal wants least on so many nodes, in its unit: seconds, or joules. Of what was stopped, and of
/// bounds, what it takes at least; 0 where nothing is known. Infinite where what is done has no joules.
double cost_of(const Outcome& outcome, Goal goal);

/// What CostModel::bound says: at least so much, in the goal's unit.
Outcome outcome_of_bound(double cost, Goal goal);

/// "s", or "J".
const char* unit_of(Goal goal);

/// The text extra["plan"], which a cost model may give to evaluations and bounds alike: the same for
/// candidates whose evaluations come out the same. Empty when there is none.
std::string plan_of(const Outcome& outcome);

/// Whether it was simulated coarsely.
bool is_coarse(const Outcome& outcome);

/// "done", "stopped", "infeasible" or "failed".
std::string status_name(Outcome::Status status);

/// As a history stores it; outcome_from_json() reads it again.
nlohmann::json to_json(const Outcome& outcome);

/// Throws InputError when fields are missing or impossible; the message does not name a place.
Outcome outcome_from_json(const nlohmann::json& json);

/// As a history stores it; evaluation_from_json() reads it again.
nlohmann::json to_json(const Evaluation& evaluation);

/// As outcome_from_json.
Evaluation evaluation_from_json(const nlohmann::json& json);

/// One line of JSON without its line end. Bytes that are not UTF-8 are replaced, never an error.
std::string json_line(const nlohmann::json& json);

}  // namespace foretile
