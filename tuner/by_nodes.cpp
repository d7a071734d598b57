// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/by_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/parse.hpp"
#include "base/quantity.hpp"

namespace foretile {

namespace {

/// `text` is all that the user wrote, `part` one of its numbers.
int nodes_of(std::string_view part, const std::string& text, std::string_view where) {
  try {
    return static_cast<int>(parse_integer(part, where, 1, kMostNodes));
  } catch (const InputError&) {
    throw input_error(where, text.empty() ? "nothing" : text,
                      fmt::format("a number of nodes from 1 to {}, or a range", kMostNodes),
                      "give 8, or 1..8");
  }
}

void sort_by_nodes(std::vector<NodesResult>& results) {
  std::sort(results.begin(), results.end(),
            [](const NodesResult& l, const NodesResult& r) { return l.nodes < r.nodes; });
}

std::string gap_text(const NodesResult& result) {
  if (is_coarse(result.best->outcome)) return "coarse";
  if (!result.gap) return "-";
  return *result.gap == 0 ? "proven" : fmt::format("{:.1f}%", 100 * *result.gap);
}

/// `energy`: with a column of joules.
std::string line_of(const NodesResult& result, bool energy) {
  if (!result.best) return fmt::format("{:>5}  {}\n", result.nodes, result.message);
  const std::optional<double> joules = result.joules();
  return fmt::format("{:>5}  {:>8.4g}  {:>10.4g}{}  {:>7}\n", result.nodes, result.best->outcome.makespan_s,
                     result.node_hours(),
                     !energy  ? ""
                     : joules ? fmt::format("  {:>9.4g}", *joules)
                              : fmt::format("  {:>9}", "-"),
                     gap_text(result));
}

/// What the goal wants least.
double cost_of(const NodesResult& result, Goal goal) {
  if (!result.best) return 0;
  return goal == Goal::node_hours ? result.node_hours() : cost_of(result.best->outcome, goal);
}

}  // namespace

std::string nodes_text(int nodes) {
  return fmt::format("{} node{}", nodes, nodes == 1 ? "" : "s");
}

Goal goal_of(const std::string& text, std::string_view where) {
  if (text == "time") return Goal::time;
  if (text == "node-hours") return Goal::node_hours;
  if (text == "energy") return Goal::energy;
  throw input_error(where, text, "time, node-hours or energy");
}

NodeRange node_range(const std::string& text, std::string_view where) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) {
    const int nodes = nodes_of(text, text, where);
    return {nodes, nodes};
  }
  const NodeRange range{nodes_of(text.substr(0, dots), text, where),
                        nodes_of(text.substr(dots + 2), text, where)};
  if (range.last < range.first)
    throw input_error(where, text, "the smaller number first",
                      fmt::format("{}..{}", range.last, range.first));
  return range;
}

std::vector<int> visiting_order(const NodeRange& range) {
  std::vector<int> order(range.last - range.first + 1);
  std::iota(order.begin(), order.end(), range.first);
  std::stable_sort(order.begin() + 1, order.end(), [](int l, int r) {
    return std::countr_zero(static_cast<unsigned>(l)) > std::countr_zero(static_cast<unsigned>(r));
  });
  return order;
}

NodesResult nodes_result(int nodes, const TuneResult& result, double tie) {
  NodesResult found{nodes, {}, result.gap, {}};
  if (const Evaluation* const taken = result.chosen(tie)) {
    found.best = *taken;
    if (found.gap)
      *found.gap = (1 + *found.gap) * cost_of(taken->outcome, result.goal) /
                       cost_of(result.best()->outcome, result.goal) -
                   1;
  } else {
    found.message = result.ranking.empty() ? "nothing was finished" : result.ranking.front().outcome.message;
  }
  return found;
}

const NodesResult* best_of(const std::vector<NodesResult>& results, Goal goal) {
  const auto key = [goal](const NodesResult& result) {
    return std::tuple(!result.best, cost_of(result, goal), result.nodes);
  };
  const auto least =
      std::min_element(results.begin(), results.end(),
                       [&key](const NodesResult& l, const NodesResult& r) { return key(l) < key(r); });
  return least == results.end() || !least->best ? nullptr : &*least;
}

std::string nodes_table(std::vector<NodesResult> results, bool about) {
  sort_by_nodes(results);
  const bool energy =
      std::ranges::any_of(results, [](const NodesResult& r) { return r.joules().has_value(); });
  std::string text = fmt::format("{:>5}  {:>8}  {:>10}{}  {:>7}\n", "nodes", "time/s", "node-hours",
                                 energy ? fmt::format("  {:>9}", "energy/J") : "", "gap");
  for (const NodesResult& result : results) text += line_of(result, energy);
  const NodesResult* const fastest = best_of(results, Goal::time);
  if (!fastest) return text;
  const NodesResult& cheapest = *best_of(results, Goal::node_hours);
  text += fmt::format("\nshortest time      {:.4g} s on {}\n", fastest->best->outcome.makespan_s,
                      nodes_text(fastest->nodes));
  text += fmt::format("fewest node-hours  {:.4g} on {}\n", cheapest.node_hours(), nodes_text(cheapest.nodes));
  if (energy) {
    const NodesResult& least = *best_of(results, Goal::energy);
    text += fmt::format("least energy       {}{} on {}\n", about ? "about " : "",
                        quantity(least.joules().value_or(0), "J"), nodes_text(least.nodes));
  }
  return text;
}

nlohmann::json to_json(std::vector<NodesResult> results) {
  sort_by_nodes(results);
  nlohmann::json list = nlohmann::json::array();
  for (const NodesResult& result : results) {
    nlohmann::json line = {{"nodes", result.nodes},
                           {"makespan_s", nullptr},
                           {"node_hours", nullptr},
                           {"gap", nullptr},
                           {"parameters", nullptr}};
    if (result.best) {
      line["makespan_s"] = result.best->outcome.makespan_s;
      line["node_hours"] = result.node_hours();
      line["parameters"] = result.best->candidate;
      if (const std::optional<double> joules = result.joules()) line["joules"] = *joules;
      if (is_coarse(result.best->outcome)) line["coarse"] = true;
      if (result.gap) line["gap"] = *result.gap;
    } else {
      line["message"] = result.message;
    }
    list.push_back(std::move(line));
  }
  return list;
}

}  // namespace foretile
