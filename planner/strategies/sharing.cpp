// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/sharing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "platforms/cost/copy.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

namespace {

constexpr const char* kKey = "sharing";

std::int64_t mean_tile(const Tiling& tiling) {
  return std::max<std::int64_t>(1, tiling.extent() / std::max(1, tiling.tiles()));
}

[[noreturn]] void refuse(const std::string& how, const std::string& expected, const std::string& change) {
  throw input_error(kKey, "\"" + how + "\"", expected, change);
}

/// Throws InputError where cores cannot multiply `how` the setting says.
void require_cores(const Contraction& p, const Machine& machine, const std::string& how) {
  const Platform& platform = machine.platform;
  const std::string off = "set sharing=off";
  if (platform.device.kind == DeviceKind::core)
    refuse(how, fmt::format("a platform with GPUs: the devices of {} are cores", platform.name), off);
  const char* const table = p.precision == Precision::f64 ? "core.kernel" : "core.single";
  if (!platform.core.kernel_for(p.precision).known())
    refuse(how, fmt::format("a kernel curve of the cores in {}", platform.source),
           fmt::format("add the table [{}], or {}", table, off));
  if (machine.cores_beside_gpus() == 0)
    refuse(how,
           fmt::format("more cores than GPUs: a rank of {} has {} cores and {} GPUs, and each GPU keeps one",
                       platform.name, machine.cores_per_rank(), machine.devices_per_rank),
           off);
}

std::string setting(const Settings& settings) {
  const auto found = settings.find(kKey);
  return found == settings.end() ? "auto" : found->second;
}

bool can_share(const Contraction& p, const Machine& machine) {
  return machine.platform.device.kind == DeviceKind::gpu &&
         machine.platform.core.kernel_for(p.precision).known() && machine.cores_beside_gpus() > 0;
}

}  // namespace

ParameterInfo sharing_parameter() {
  return {.key = kKey,
          .default_value = "auto",
          .meaning =
              "who multiplies: planned (GPUs, and the cores that serve none as one device more, each as "
              "much as it is fast), dynamic (a rank's devices take blocks from each other while they run), "
              "cores (these alone) or off (the platform's devices); auto: planned where the platform has "
              "[core.kernel] (in single precision [core.single])",
          .spelling = one_of({"auto", "planned", "dynamic", "cores", "off"}),
          .distributes_c = true,
          .in_reports = true};
}

int cores_sharing(const Contraction& contraction, const Machine& machine, const Settings& settings) {
  const std::string how = setting(settings);
  const bool where_they_can = how == "auto" || how == "dynamic";
  if (how == "off" || (where_they_can && !can_share(contraction, machine))) return 0;
  if (!where_they_can) require_cores(contraction, machine, how);
  return machine.cores_beside_gpus();
}

void share_with_cores(PlanFrame& frame, const Contraction& contraction, const Machine& machine,
                      const Settings& settings) {
  const int cores = cores_sharing(contraction, machine, settings);
  const bool alone = cores > 0 && setting(settings) == "cores";
  const bool dynamic = setting(settings) == "dynamic";
  frame.parameters[kKey] = dynamic ? "dynamic" : cores == 0 ? "off" : alone ? "cores" : "planned";
  if (dynamic) frame.pool = Pool::open;
  if (cores == 0) return;
  const DeviceClass team{DeviceKind::core, machine.platform.device.memory_bytes, cores};
  if (alone) frame.device_classes.clear();
  frame.device_classes.push_back(team);
}

std::vector<double> device_speeds(const PlanFrame& frame, const std::vector<int>& classes,
                                  const Contraction& p, const Machine& machine) {
  const std::int64_t m = mean_tile(p.m), n = mean_tile(p.n), k = mean_tile(p.k);
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const double loading_s =
      host_to_device_s(machine.platform, static_cast<double>(p.element_bytes() * k * n)) /
      std::max(1, p.m.tiles());
  std::vector<double> speeds;
  for (const int of : classes) {
    const DeviceClass& alike = frame.device_classes[static_cast<std::size_t>(of)];
    const LeastTimes least(machine, p.element(), frame.batch, alike.kind, alike.cores);
    const double product_s = least.work(m, n, k) + least.launches(1);
    speeds.push_back(flops / (alike.kind == DeviceKind::gpu ? std::max(product_s, loading_s) : product_s));
  }
  return speeds;
}

}  // namespace foretile
