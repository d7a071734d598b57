// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <utility>

#include "planner/plan_file.hpp"
#include "planner/stored_json.hpp"
#include "planner/strategies/parameter.hpp"

namespace foretile {

namespace {

constexpr StoredKind kKind{"foretile_plan", 2};
constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::string plan_file_json(const PlanFile& file) {
  nlohmann::ordered_json json = {
      {"problem", {{"name", file.problem.name}, {"toml", file.problem.toml}}},
      {"platform", platform_json(file)},
      {"machine", machine_json(file)},
      {"parameters", file.parameters},
      {"summary", {{"gemms", file.gemms}, {"blocks", file.blocks}, {"chunks", file.chunks}}}};
  if (file.predicted) json["predicted"] = prediction_json(*file.predicted);
  return stored_text(kKind, json);
}

PlanFile plan_file_from_json(const std::string& text, const std::string& source) {
  PlanFile file;
  read_stored(text, kKind, source, "a plan file", [&](ObjectReader& reader) {
    ObjectReader problem = reader.object("problem");
    file.problem.name = problem.text("name");
    file.problem.toml = problem.text("toml");
    problem.refuse_other_keys();
    read_platform(reader.object("platform"), file);
    read_machine(reader.object("machine"), file);
    file.parameters = present_keys(reader.object("parameters").texts());
    ObjectReader summary = reader.object("summary");
    file.gemms = summary.whole("gemms", 0, kMost);
    file.blocks = summary.whole("blocks", 0, kMost);
    file.chunks = summary.whole("chunks", 0, kMost);
    summary.refuse_other_keys();
    if (reader.has("predicted")) file.predicted = read_prediction(reader.object("predicted"));
  });
  return file;
}

}  // namespace foretile
