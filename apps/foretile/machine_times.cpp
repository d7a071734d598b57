// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/machine_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "apps/quantities.hpp"
#include "base/one_line.hpp"
#include "tuner/by_nodes.hpp"

namespace foretile {

namespace {

bool has_joules(const std::vector<MachineTime>& times) {
  return std::ranges::any_of(times, [](const MachineTime& time) { return time.joules.has_value(); });
}

std::string joules_text(const MachineTime& time) {
  if (!time.joules) return "-";
  return fmt::format("{}{:.4g}", time.energy_is_guess ? "about " : "", *time.joules);
}

std::string over_text(const MachineTime& time) {
  if (time.coarse) return "coarse";
  const std::optional<double> over = time.over_bound();
  return over ? fmt::format("{:.1f}%", 100 * *over) : "-";
}

std::string plan_text(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += fmt::format(" {}={}", key, value);
  return text;
}

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string number_or_nothing(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

std::optional<double> MachineTime::over_bound() const {
  if (!makespan_s || !(bound_s > 0)) return std::nullopt;
  return *makespan_s / bound_s - 1;
}

std::string text_of(const std::vector<MachineTime>& times) {
  std::size_t width = std::string_view("machine").size();
  for (const MachineTime& time : times) width = std::max(width, one_line(time.platform).size());
  const bool energy = has_joules(times);
  std::string text =
      fmt::format("{:<{}}  {:>5}  {:>8}  {:>10}{}  {:>8}\n", "machine", width, "nodes", "time/s",
                  "node-hours", energy ? fmt::format("  {:>15}", "energy/J") : "", "over");
  std::string plans;
  for (const MachineTime& time : times) {
    const std::string name = one_line(time.platform);
    text += fmt::format("{:<{}}  {:>5}", name, width, time.nodes);
    if (!time.makespan_s) {
      text += fmt::format("  {}\n", one_line(time.message));
      continue;
    }
    text += fmt::format("  {:>8.4g}  {:>10.4g}{}  {:>8}\n", *time.makespan_s, time.node_hours(),
                        energy ? fmt::format("  {:>15}", joules_text(time)) : "", over_text(time));
    plans += fmt::format("\n{} on {}:{}\n  {}\n", name, nodes_text(time.nodes), plan_text(time.parameters),
                         time.limit.empty() ? "nothing to do" : one_line(time.limit));
    if (time.cut)
      plans += fmt::format("  the search was cut: {} of {} plans tried; give more --budget\n",
                           grouped(time.tried), grouped(time.candidates));
  }
  return text + plans;
}

nlohmann::ordered_json json_of(const std::vector<MachineTime>& times) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const MachineTime& time : times) {
    nlohmann::ordered_json row{{"platform", time.platform}, {"nodes", time.nodes}, {"makespan_s", nullptr}};
    if (!time.makespan_s) {
      row["message"] = time.message;
    } else {
      row["makespan_s"] = *time.makespan_s;
      row["node_hours"] = time.node_hours();
      if (time.joules) {
        row["joules"] = *time.joules;
        row["energy_is_guess"] = time.energy_is_guess;
      }
      row["bound_s"] = time.bound_s;
      row["over_bound"] =
          time.over_bound() ? nlohmann::ordered_json(*time.over_bound()) : nlohmann::ordered_json();
      row["limit"] = time.limit;
      row["parameters"] = time.parameters;
      if (time.coarse) row["coarse"] = true;
      if (time.candidates > 0) {
        row["tried"] = time.tried;
        row["candidates"] = time.candidates;
        row["complete"] = !time.cut;
      }
    }
    all.push_back(std::move(row));
  }
  return all;
}

std::string csv_of(const std::vector<MachineTime>& times) {
  std::string text =
      "platform,nodes,makespan_s,node_hours,joules,energy_is_guess,bound_s,over_bound,limit,parameters,"
      "message\n";
  for (const MachineTime& time : times) {
    const std::string settings = plan_text(time.parameters);
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{},{},{},{},{},{}\n", in_quotes(time.platform),
                   time.nodes, number_or_nothing(time.makespan_s),
                   time.makespan_s ? number_or_nothing(time.node_hours()) : std::string(),
                   number_or_nothing(time.joules),
                   time.joules ? (time.energy_is_guess ? "true" : "false") : "",
                   time.makespan_s ? number_or_nothing(time.bound_s) : std::string(),
                   number_or_nothing(time.over_bound()), in_quotes(time.limit),
                   in_quotes(settings.empty() ? settings : settings.substr(1)), in_quotes(time.message));
  }
  return text;
}

}  // namespace foretile
