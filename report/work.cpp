// SPDX-License-Identifier: BSD-3-Clause
#include "report/work.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <utility>

#include "report/answer.hpp"
#include "report/timeline_facts.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

/// None of a trace, which has no critical path.
Json answers_json(const Report& report) {
  Json list = Json::array();
  if (!(report.limits.total() > 0)) return list;
  for (const Answer& answer : answers_of(report))
    list.push_back({{"rule", answer.rule}, {"text", answer.text}});
  return list;
}

std::vector<TimeMark> marks_of(const Report& report) {
  if (!report.bounds) return {};
  return {{"bound of any plan", report.bounds->problem.seconds},
          {"bound of this plan", report.bounds->plan.seconds}};
}

std::string title_of(const Json& work) {
  const int nodes = work.at("nodes");
  return fmt::format("{} on {} {} of {}", work.at("problem").get<std::string>(), nodes,
                     nodes == 1 ? "node" : "nodes", work.at("platform").get<std::string>());
}

std::string title_of_page(const Json& works, const Json& tunings) {
  std::vector<std::string> titles;
  for (const Json& work : works) {
    std::string title = title_of(work);
    if (std::ranges::find(titles, title) == titles.end()) titles.push_back(std::move(title));
  }
  for (const Json& tuning : tunings) titles.push_back("search " + tuning.at("name").get<std::string>());
  return fmt::format("{}", fmt::join(titles, "; "));
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::chrono::system_clock::now()));
}

}  // namespace

Json work_json(WorkFacts facts, const Report& report, const Machine& machine, const Timeline& timeline,
               Sections& sections) {
  TimelineFacts of_time = timeline_facts(timeline, machine, marks_of(report), sections);
  return {{"name", facts.name},
          {"source", facts.source},
          {"problem", facts.problem},
          {"platform", machine.platform.name},
          {"strategy", report.plan},
          {"digest", facts.digest},
          {"nodes", machine.nodes()},
          {"ranks", machine.ranks},
          {"devices", machine.devices()},
          {"report", std::move(facts.json)},
          {"answer", answers_json(report)},
          {"timeline", std::move(of_time.timeline)},
          {"curves", std::move(of_time.curves)}};
}

Json page_facts(const std::string& program, const std::string& command, Json works, Json tunings) {
  return {{"format", 1},
          {"title", title_of_page(works, tunings)},
          {"program", program},
          {"made", now_text()},
          {"command", command},
          {"works", std::move(works)},
          {"tunings", std::move(tunings)}};
}

}  // namespace foretile
