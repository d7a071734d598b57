// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/plan_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "apps/quantities.hpp"
#include "apps/resources.hpp"
#include "planner/plan/devices.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/strategies/communication_model.hpp"
#include "platforms/here.hpp"
#include "platforms/runtime_source.hpp"
#include "scheduler/report/report_json.hpp"

namespace foretile {

namespace {

std::string bytes(std::int64_t count) {
  return quantity(static_cast<double>(count), "B");
}

std::string bytes_of_budget(std::int64_t used, std::int64_t budget) {
  return fmt::format("{} of {} ({})", bytes(used), bytes(budget),
                     percent(static_cast<double>(used) / static_cast<double>(budget)));
}

std::string settings_text(const Settings& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

std::string model_text(double count) {
  return fmt::format(", {} by the model", quantity(count, "B"));
}

/// RR-9289 3.2.2 and 3.2.3.
std::string cases_text(const PredictedVolumes& predicted) {
  const ModelSymbols& s = predicted.symbols;
  return fmt::format("case {}: {} x {} blocks of {} chunks", predicted.case_name(), s.X(), s.Y(), s.Z());
}

std::string label_line(std::string_view label, std::string_view value) {
  return fmt::format("  {:<22}{}\n", label, value);
}

/// Where several nodes take part.
std::string moves_text(const FrameView& view) {
  const auto moves = node_volume(view.contraction, view.machine, view.frame);
  if (!moves || view.machine.counted_nodes() == 1) return "";
  std::string text = label_line("between nodes", quantity(moves->between_nodes_bytes, "B") + " at least");
  if (moves->redistributed_bytes > 0)
    text += label_line("from natural order",
                       fmt::format("{} between nodes, {}", quantity(moves->redistributed_bytes, "B"),
                                   quantity(moves->redistribution_s, "s")));
  return text;
}

/// Bytes of A, of B where it is given, and of C.
double storage_bytes(const Contraction& p, const PlanFrame& frame) {
  double bytes = 0;
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    if (!frame.operands.of(matrix).generated()) bytes += bytes_of_all(p, matrix);
  }
  return bytes;
}

void add_moves(nlohmann::ordered_json& json, const FrameView& view) {
  const auto moves = node_volume(view.contraction, view.machine, view.frame);
  if (!moves) return;
  json["moves"] = {{"rank_bytes", moves->rank_bytes},
                   {"between_nodes_bytes", moves->between_nodes_bytes},
                   {"redistributed_bytes", moves->redistributed_bytes},
                   {"redistribution_s", moves->redistribution_s}};
}

/// " (distribution.a=cyclic ...)", or nothing.
std::string variant_text(const ComparedStrategy& one) {
  std::vector<std::string> settings;
  for (const auto& [key, value] : one.variant) settings.push_back(fmt::format("{}={}", key, value));
  return settings.empty() ? "" : fmt::format(" ({})", fmt::join(settings, " "));
}

}  // namespace

double memory_ratio(const PlannedWork& work) {
  return static_cast<double>(work.summary.peak_host_bytes) * work.plan.grid.size() /
         storage_bytes(work.contraction, work.plan);
}

std::string compared_text(const PlannedWork& work) {
  std::string text = work.compared.empty() ? "" : "strategies, compared\n";
  for (const ComparedStrategy& one : work.compared) {
    std::string said = one.refusal;
    if (said.empty()) {
      const bool known = one.plan_s && std::isfinite(*one.plan_s);
      const bool is_stopped = one.plan_s && !known;
      said = known ? quantity(*one.plan_s, "s")
                   : fmt::format("{} {}", is_stopped ? "more than" : "at least",
                                 quantity(std::max(one.bound_s, one.stopped_s), "s"));
      if (is_stopped) said += ", where its simulation was stopped";
      if (one.redistribution && one.redistribution->bytes > 0)
        said += fmt::format(", and {} to redistribute the matrices ({}, of these {} between nodes)",
                            quantity(one.redistribution->seconds, "s"), bytes(one.redistribution->bytes),
                            bytes(one.redistribution->between_nodes_bytes));
    }
    text += label_line(one.strategy, said + variant_text(one));
  }
  return text;
}

void add_compared(nlohmann::ordered_json& json, const PlannedWork& work) {
  if (!work.decision.empty()) json["decision"] = work.decision;
  for (const ComparedStrategy& one : work.compared) {
    nlohmann::ordered_json entry{{"strategy", one.strategy}};
    if (!one.variant.empty()) entry["settings"] = one.variant;
    if (!one.refusal.empty()) {
      entry["refusal"] = one.refusal;
    } else {
      entry["bound_s"] = one.bound_s;
      if (one.plan_s && std::isfinite(*one.plan_s)) entry["seconds"] = *one.plan_s;
      if (one.redistribution)
        entry["redistribution"] = {{"bytes", one.redistribution->bytes},
                                   {"between_nodes_bytes", one.redistribution->between_nodes_bytes},
                                   {"seconds", one.redistribution->seconds}};
    }
    json["compared"].push_back(entry);
  }
}

std::string frame_text(const FrameView& view) {
  const auto& [contraction, machine, frame] = view;
  return fmt::format("{} on {}: not planned, nothing is proven\n", contraction.name, machine.platform.name) +
         label_line("strategy", frame.strategy) + label_line("parameters", settings_text(frame.parameters)) +
         label_line("nodes, ranks", fmt::format("{}, {}", machine.nodes(), machine.ranks)) +
         label_line("grid", grid_text(frame.grid)) + moves_text(view);
}

nlohmann::ordered_json frame_json(const FrameView& view) {
  const auto& [contraction, machine, frame] = view;
  nlohmann::ordered_json json{{"problem", contraction.name},
                              {"platform", machine.platform.name},
                              {"strategy", frame.strategy},
                              {"parameters", frame.parameters},
                              {"grid", {{"p", frame.grid.p}, {"q", frame.grid.q}, {"r", frame.grid.r}}},
                              {"nodes", machine.nodes()},
                              {"ranks", machine.ranks}};
  add_moves(json, view);
  return json;
}

std::string plan_text(const PlanView& view) {
  const auto& [contraction, machine, plan, summary, compared, decision] = view.work;
  const bool streams_b = plan.operands.b.streams();
  std::string text = fmt::format("{} on {}: the plan fits\n", contraction.name, machine.platform.name);
  const auto line = [&text](std::string_view label, std::string_view value) {
    text += label_line(label, value);
  };
  if (contraction.precision != Precision::f64) line("precision", name_of(contraction.precision));
  line("strategy", decision.empty() ? plan.strategy : decision);
  line("sources", explain_choice(contraction.sources, plan.strategy).reason());
  if (contraction.is_transposed)
    line("planned as", "C^T = op(B)^T op(A)^T: A below is B of the problem, B below is its A");
  line("parameters", settings_text(plan.parameters));
  line("nodes, ranks, devices",
       fmt::format("{}, {}, {}", machine.nodes(), machine.ranks, devices_of(plan, machine)));
  const std::string idle = idle_ranks_text(machine.ranks - plan.grid.size());
  line("grid", fmt::format("{}{}{}", grid_text(plan.grid), idle.empty() ? "" : ", ", idle));
  line("software costs", runtime_source_text(machine.platform.runtime.source));
  line("GEMM tasks", grouped(summary.gemms));
  line("blocks, chunks", fmt::format("{}, {}", grouped(summary.blocks), grouped(summary.chunks)));
  line("peak device memory",
       bytes_of_budget(summary.peak_device_bytes, plan.device_classes.front().memory_bytes));
  if (plan.messages_on_devices()) line("messages", device_messages_text(plan.device_message_bytes));
  line("peak host memory", fmt::format("{} per rank, {:.3g} times a share of the matrices",
                                       bytes_of_budget(summary.peak_host_bytes, plan.host_budget_bytes),
                                       memory_ratio(view.work)));
  if (machine.platform.toml.find(kShareOfInstalled) != std::string::npos)
    line("budget of host memory", kShareOfInstalled);
  const auto predicted = predict_volumes(contraction, machine, plan);
  const auto volume = [&](std::int64_t counted, double PredictedVolumes::*of_model) {
    return bytes(counted) + (predicted ? model_text(*predicted.*of_model) : "");
  };
  line(plan.partial_sums ? "A, B, parts of C sent"
       : streams_b       ? "A and B sent"
                         : "A sent",
       volume(summary.network_bytes, &PredictedVolumes::network_bytes));
  text += moves_text({contraction, machine, plan});
  if (!streams_b) line("B generated", bytes(summary.generated_bytes));
  line("host to devices", "at most " + volume(summary.h2d_bytes, &PredictedVolumes::loaded_bytes));
  line("devices to host", volume(summary.d2h_bytes, &PredictedVolumes::stored_bytes));
  if (predicted) line("model", cases_text(*predicted));
  line("imbalance", fmt::format("{:.4f}", summary.imbalance));
  line("bound of this plan", bound_text(view.bounds.plan));
  line("bound of any plan", bound_text(view.bounds.problem));
  line("planned in", quantity(view.wall_s, "s"));
  if (view.with_comparison && !compared.empty()) text += fmt::format("\n{}", compared_text(view.work));
  return text;
}

nlohmann::ordered_json plan_json(const PlanView& view) {
  const auto& [contraction, machine, plan, summary, compared, decision] = view.work;
  nlohmann::ordered_json json{{"problem", contraction.name},
                              {"precision", name_of(contraction.precision)},
                              {"platform", machine.platform.name},
                              {"runtime_source", machine.platform.runtime.source},
                              {"parameters", plan.parameters},
                              {"grid", {{"p", plan.grid.p}, {"q", plan.grid.q}, {"r", plan.grid.r}}},
                              {"nodes", machine.nodes()},
                              {"ranks", machine.ranks},
                              {"devices", devices_of(plan, machine)},
                              {"gemms", summary.gemms},
                              {"blocks", summary.blocks},
                              {"chunks", summary.chunks},
                              {"plan_digest", plan_digest(plan)},
                              {"peak_device_bytes", summary.peak_device_bytes},
                              {"budget_device_bytes", plan.device_classes.front().memory_bytes},
                              {"peak_host_bytes", summary.peak_host_bytes},
                              {"budget_host_bytes", plan.host_budget_bytes},
                              {"memory_ratio", memory_ratio(view.work)},
                              {"bytes",
                               {{"network", summary.network_bytes},
                                {"h2d", summary.h2d_bytes},
                                {"d2h", summary.d2h_bytes},
                                {"generated", summary.generated_bytes}}},
                              {"imbalance", summary.imbalance},
                              {"wall_s", view.wall_s},
                              {"peak_rss_bytes", peak_rss_bytes()}};
  add_moves(json, {contraction, machine, plan});
  add_bounds(json, view.bounds);
  add_choice(json, explain_choice(contraction.sources, plan.strategy));
  if (const auto predicted = predict_volumes(contraction, machine, plan))
    json["model"] = model_json(*predicted);
  add_compared(json, view.work);
  return json;
}

}  // namespace foretile
