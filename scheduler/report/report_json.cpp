// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/report_json.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Spread& s) {
  return {{"min", s.min}, {"mean", s.mean}, {"max", s.max}};
}

Json json_of(const BytesByKind& b) {
  return {{"network", b.network},
          {"between_nodes", b.between_nodes},
          {"within_nodes", b.within_nodes()},
          {"sent_per_rank_max", b.sent_per_rank_max},
          {"h2d", b.h2d},
          {"d2d", b.d2d},
          {"d2h", b.d2h},
          {"generated", b.generated}};
}

Json json_of(const BusyShares& b) {
  return {{"kernels", json_of(b.kernels)},
          {"h2d", json_of(b.h2d)},
          {"d2d", json_of(b.d2d)},
          {"d2h", json_of(b.d2h)},
          {"generation", json_of(b.generation)},
          {"network", json_of(b.network)},
          {"combining", json_of(b.combining)}};
}

Json json_of(const LoadCounts& l) {
  return {{"host", l.host}, {"peer", l.peer}, {"hits", l.hits}, {"evictions", l.evictions}};
}

Json json_of(const std::vector<DeviceCounts>& devices) {
  Json json = Json::array();
  for (const DeviceCounts& d : devices) {
    json.push_back({{"rank", d.rank},
                    {"device", d.device},
                    {"gemms", d.gemms},
                    {"loads", json_of(d.loads)},
                    {"bytes", {{"h2d", d.h2d_bytes}, {"d2d", d.d2d_bytes}, {"d2h", d.d2h_bytes}}}});
  }
  return json;
}

Json json_of(const Path& path) {
  Json json;
  for (int cause = 0; cause < kCauses; ++cause)
    json[kCauseNames[static_cast<std::size_t>(cause)]] = path.seconds(static_cast<Cause>(cause));
  return json;
}

Json parts_json(const Path& path) {
  Json json;
  for (std::size_t cause = 0; cause < path.parts.size(); ++cause) {
    for (std::size_t part = 0; part < path.parts[cause].size(); ++part)
      json[kCauseNames[cause]][kPartNames[part]] = path.parts[cause][part];
  }
  return json;
}

Json json_of(const PathOperation& operation) {
  return {{"cause", kCauseNames[static_cast<std::size_t>(operation.cause)]},
          {"seconds", operation.seconds},
          {"bytes", operation.bytes}};
}

Json json_of(const std::vector<WhatIfRow>& rows) {
  Json json = Json::array();
  for (const WhatIfRow& row : rows) {
    json.push_back({{"resource", row.resource},
                    {"set", row.set},
                    {"makespan_s", row.makespan_s},
                    {"saved_s", row.saved_s},
                    {"in_full", row.in_full}});
  }
  return json;
}

}  // namespace

Json model_json(const PredictedVolumes& predicted) {
  const ModelSymbols& s = predicted.symbols;
  const PerMatrix& tiles = predicted.device_tiles;
  return {{"case", predicted.case_name()},
          {"X", s.X()},
          {"Y", s.Y()},
          {"Z", s.Z()},
          {"tiles_per_device", {{"a", tiles.a}, {"b", tiles.b}, {"c", tiles.c}}},
          {"bytes",
           {{"network", predicted.network_bytes},
            {"loaded", predicted.loaded_bytes},
            {"stored", predicted.stored_bytes}}}};
}

void add_choice(Json& json, const StrategyChoice& choice) {
  json["strategy"] = choice.strategy;
  json["sources"] = {{"A", name_of(choice.sources.a)}, {"B", name_of(choice.sources.b)}};
  json["strategy_reason"] = choice.reason();
  if (!choice.overridden.empty()) json["source_override"] = choice.overridden;
}

void add_bounds(Json& json, const Bounds& bounds) {
  json["bound_s"] = bounds.plan.seconds;
  json["bound"] = bounds.plan.limit;
  json["problem_bound_s"] = bounds.problem.seconds;
  json["problem_bound"] = bounds.problem.limit;
}

void add_limits(Json& json, const Report& report) {
  json["limits"] = json_of(report.limits);
  json["limit"] = limit_sentence(report);
}

void add_what_if(Json& json, const WhatIf& what_if) {
  json["what_if"] = json_of(what_if.rows);
  json["what_if_unchanged"] = {{"makespan_s", what_if.makespan_s},
                               {"coarse_makespan_s", what_if.coarse_makespan_s}};
}

void add_energy(Json& json, const Energy& energy) {
  json["joules"] = energy.joules;
  json["energy_is_guess"] = energy.is_guess;
}

Json report_json(const Report& report) {
  Json json{{"makespan_s", report.makespan_s},
            {"flops_per_s", report.flops_per_s()},
            {"flops", report.flops},
            {"gemms", report.gemms},
            {"ranks", report.ranks},
            {"idle_ranks", report.idle_ranks},
            {"devices", report.devices},
            {"runtime_source", report.runtime_source},
            {"bytes", json_of(report.bytes)},
            {"busy", json_of(report.busy)},
            {"loads", json_of(report.loads)},
            {"per_device", json_of(report.per_device)},
            {"peak_device_bytes", json_of(report.peak_device_bytes)},
            {"budget_device_bytes", report.device_budget_bytes},
            {"device_message_bytes", report.device_message_bytes},
            {"limits", json_of(report.limits)},
            {"limit_parts", parts_json(report.limits)},
            {"longest_latency_bound", json_of(report.limits.longest)},
            {"limit", limit_sentence(report)}};
  if (report.energy) add_energy(json, *report.energy);
  if (report.bounds) add_bounds(json, *report.bounds);
  if (report.what_if) add_what_if(json, *report.what_if);
  if (report.choice) add_choice(json, *report.choice);
  if (report.predicted) json["model"] = model_json(*report.predicted);
  return json;
}

}  // namespace foretile
