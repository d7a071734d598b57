// SPDX-License-Identifier: BSD-3-Clause
// The same tuning for several sizes of a machine: how many nodes are worth it?
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/tune.hpp"

namespace foretile {

/// "1 node", "2 nodes".
std::string nodes_text(int nodes);

/// "time", "node-hours" or "energy". Throws InputError for another text, which begins with `where`.
Goal goal_of(const std::string& text, std::string_view where);

/// "1..64" or "18": first and last number of nodes. Throws InputError for anything else, which begins with
/// `where`.
struct NodeRange {
  int first = 1, last = 1;
  bool several() const { return first != last; }
};
NodeRange node_range(const std::string& text, std::string_view where);

/// All numbers of the range, so that the first ones already cover it: the smallest, then those that more
/// powers of 2 divide first, e.g. of 1..8: 1, 8, 4, 2, 6, 3, 5, 7.
std::vector<int> visiting_order(const NodeRange& range);

/// What is known of one number of nodes.
struct NodesResult {
  int nodes = 1;
  std::optional<Evaluation> best;  ///< the one taken; none: nothing fits, or nothing was finished
  std::optional<double> gap;       ///< at most so much slower than the best of the space, as TuneResult::gap
  std::string message;             ///< why there is no best

  double node_hours() const { return best ? nodes * best->outcome.makespan_s / 3600 : 0; }
  std::optional<double> joules() const { return best ? joules_of(best->outcome) : std::nullopt; }
};

/// Of TuneResult::chosen(tie).
NodesResult nodes_result(int nodes, const TuneResult& result, double tie);

/// The one with the least time, node-hours or joules (ties: fewer nodes), or null when none has a best.
const NodesResult* best_of(const std::vector<NodesResult>& results, Goal goal);

/// By increasing nodes: a line for each number of nodes, then the shortest time and the fewest node-hours;
/// where joules are known, them too, and the least. `about`: they come from guesses.
std::string nodes_table(std::vector<NodesResult> results, bool about = false);

/// By increasing nodes: [{nodes, makespan_s, node_hours, gap, parameters}]; null where nothing fits or is
/// known; joules where they are known.
nlohmann::json to_json(std::vector<NodesResult> results);

}  // namespace foretile
