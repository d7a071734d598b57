// SPDX-License-Identifier: BSD-3-Clause
// How many nodes, which tiles and which mode for a program of contractions?
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/by_nodes.hpp"
#include "tuner/outcome.hpp"
#include "tuner/tie.hpp"
#include "tuner/tune.hpp"

namespace foretile {

struct ProgramCandidate {
  int nodes = 1;
  std::int64_t tile = 0;  ///< largest extent
  std::string mode;       ///< levels or flow

  friend bool operator==(const ProgramCandidate&, const ProgramCandidate&) = default;
};

/// With the keys nodes, tile and mode, and back.
Candidate settings_of(const ProgramCandidate& candidate);
ProgramCandidate program_candidate(const Candidate& settings);

/// What planning and simulating it gave.
struct ProgramTrial {
  ProgramCandidate candidate;
  std::int64_t memory_bytes = 0;            ///< of a rank, proven; 0: it does not fit
  std::optional<double> makespan_s;         ///< nothing: it does not fit, or was not simulated
  double bound_s = 0;                       ///< least time of these products on all devices of these nodes
  std::string message;                      ///< why it does not fit
  std::vector<std::string> on_demand = {};  ///< tensors of which slices are generated on demand
  std::string distribution = {};            ///< of blocks: chosen or round-robin; empty: it does not fit
  /// Names of terms with strategies of their own, and these.
  std::vector<std::pair<std::string, std::string>> strategies = {};
  std::int64_t effort = 0;            ///< chunks and messages of its plans
  std::optional<double> joules = {};  ///< where it was simulated and the machine's power is known
  std::string limit = {};             ///< what limits its time, where it was simulated
  bool coarse = false;                ///< it was simulated coarsely
  bool failed = false;                ///< it did not end (a limit, a crash): `message` says why

  bool fits() const { return memory_bytes > 0; }
  double node_hours() const { return makespan_s ? candidate.nodes * *makespan_s / 3600 : 0; }
  friend bool operator==(const ProgramTrial&, const ProgramTrial&) = default;
};

/// {nodes, tile, mode, makespan_s, bound_s, node_hours, memory_bytes}, and chunks_and_messages, on_demand,
/// distribution and strategies where it fits, message where it does not, joules where they are known, coarse
/// and limit where it was simulated.
nlohmann::ordered_json json_of(const ProgramTrial& trial);

/// For the tuner, of a trial that ended: json_of() is Outcome::extra.
Outcome outcome_of(const ProgramTrial& trial);
/// And back. Of an evaluation that failed, or threw: its message alone. Throws nlohmann::json::exception for
/// what outcome_of() did not write.
ProgramTrial trial_of(const Evaluation& evaluation);

struct ProgramSpace {
  NodeRange nodes;
  std::vector<std::int64_t> tiles;
  std::vector<std::string> modes;
};

/// All with the first number of nodes, twice, four times as many, ..., and the last, in the order in which
/// they are tried: each size of tiles before the next size, each mode on all numbers of nodes before the next
/// mode.
std::vector<ProgramCandidate> candidates_of(const ProgramSpace& space);

struct ProgramTuning {
  std::vector<ProgramTrial> trials;  ///< by nodes, then as candidates_of() has them
  /// On which some candidate fits. Nothing: on none of the range, or trials that did not end hide it.
  std::optional<int> fewest_nodes;
  TuneEnd end = TuneEnd::complete;  ///< else not all was tried

  double tie = kTie;
  bool about = false;  ///< joules come from guesses

  /// Of each number of nodes better_than_defaults(), or the defaults, which are the first sizes of tiles that
  /// were simulated, level by level where that was. Of these the one with the least time, node-hours or
  /// joules (of equal ones that with fewer nodes); nullptr: there is none. For joules, these are compared all
  /// along.
  const ProgramTrial* taken(Goal goal) const;
  /// Of the trials on so many nodes; nullptr: there is none.
  const ProgramTrial* fastest(int nodes) const;
};

struct NodesTried {
  std::vector<ProgramTrial> trials;
  TuneEnd end = TuneEnd::complete;
};
/// Tries candidates of so many nodes, without simulations, until one fits.
using TryNodes = std::function<NodesTried(int nodes)>;

/// With what was tried of candidates_of(): the fewest nodes by bisection between a number that does not fit
/// and one that does.
ProgramTuning conclude(const ProgramSpace& space, NodesTried tried, const TryNodes& try_nodes);

/// A line for each trial, and the answers.
std::string text_of(const ProgramTuning& tuning);
/// {trials: [json_of() of each], fewest_nodes, tie, shortest_time, fewest_node_hours (objects as the trials),
/// complete}; least_energy and energy_is_guess where joules are known.
nlohmann::ordered_json json_of(const ProgramTuning& tuning);

}  // namespace foretile
