#include "apps/foretile/plan_view.hpp"

#include <fmt/format.h>

#include <iterator>

#include "apps/quantities.hpp"
#include "apps/resources.hpp"

namespace foretile {

namespace {

std::string bytes(std::int64_t count) {
  return quantity(static_cast<double>(count), "B");
}

std::string bytes_of_budget(std::int64_t used, std::int64_t budget) {
  return fmt::format("{} of {} ({})", bytes(used), bytes(budget),
                     percent(static_cast<double>(used) / static_cast<double>(budget)));
}

std::string parameters_text(const Settings& parameters) {
  std::string text;
  for (const auto& [key, value] : parameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  return text;
}

}  // namespace

std::string plan_text(const PlanView& view) {
  const auto& [contraction, machine, plan, summary] = view.work;
  std::string text = fmt::format("{} on {}: the plan fits\n", contraction.name, machine.platform.name);
  const auto line = [&text](std::string_view label, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "  {:<22}{}\n", label, value);
  };
  line("strategy", plan.strategy);
  line("parameters", parameters_text(plan.parameters));
  line("nodes, ranks, devices", fmt::format("{}, {}, {}", machine.nodes(), machine.ranks, machine.devices()));
  line("grid", fmt::format("{} x {}{}", plan.grid.p, plan.grid.q,
                           plan.grid.size() < machine.ranks
                               ? fmt::format(", {} ranks have no work", machine.ranks - plan.grid.size())
                               : ""));
  line("GEMM tasks", grouped(summary.gemms));
  line("blocks, chunks", fmt::format("{}, {}", grouped(summary.blocks), grouped(summary.chunks)));
  line("peak device memory", bytes_of_budget(summary.peak_device_bytes, plan.device_budget_bytes));
  line("peak host memory", bytes_of_budget(summary.peak_host_bytes, plan.host_budget_bytes) + " per rank");
  line("A sent", bytes(summary.network_bytes));
  line("B generated", bytes(summary.generated_bytes));
  line("host to devices", "at most " + bytes(summary.h2d_bytes));
  line("devices to host", bytes(summary.d2h_bytes));
  line("imbalance", fmt::format("{:.4f}", summary.imbalance));
  line("critical path",
       fmt::format("{} in {} chunks, stores and messages", quantity(view.critical.seconds, "s"),
                   grouped(static_cast<std::int64_t>(view.critical.nodes.size()))));
  line("planned in", quantity(view.wall_s, "s"));
  return text;
}

nlohmann::ordered_json plan_json(const PlanView& view) {
  const auto& [contraction, machine, plan, summary] = view.work;
  return {{"problem", contraction.name},
          {"platform", machine.platform.name},
          {"strategy", plan.strategy},
          {"parameters", plan.parameters},
          {"grid", {{"p", plan.grid.p}, {"q", plan.grid.q}}},
          {"nodes", machine.nodes()},
          {"ranks", machine.ranks},
          {"devices", machine.devices()},
          {"gemms", summary.gemms},
          {"blocks", summary.blocks},
          {"chunks", summary.chunks},
          {"peak_device_bytes", summary.peak_device_bytes},
          {"budget_device_bytes", plan.device_budget_bytes},
          {"peak_host_bytes", summary.peak_host_bytes},
          {"budget_host_bytes", plan.host_budget_bytes},
          {"bytes",
           {{"network", summary.network_bytes},
            {"h2d", summary.h2d_bytes},
            {"d2h", summary.d2h_bytes},
            {"generated", summary.generated_bytes}}},
          {"imbalance", summary.imbalance},
          {"critical_path_s", view.critical.seconds},
          {"wall_s", view.wall_s},
          {"peak_rss_bytes", peak_rss_bytes()}};
}

}  // namespace foretile
