// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/calibration_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/quantities.hpp"

namespace foretile {

namespace {

std::string message_line(const CalibrationResult& r) {
  if (!r.message) return "messages        guessed; start with mpiexec -n 2 to measure them\n";
  return fmt::format("messages        {}, {}\n", quantity(r.message->link.latency_s, "s"),
                     quantity(r.message->link.bandwidth_bytes_per_s, "B/s"));
}

constexpr std::int64_t kLarge = 2000;

std::string rounds_line(const CalibrationResult& r) {
  if (r.rounds < 3) return fmt::format("rounds          {}, too few to compare\n", r.rounds);
  return fmt::format("rounds          {}, {}: the last three differ by {}\n", r.rounds,
                     r.stable ? "stable" : "NOT stable", percent(r.round_spread));
}

std::string left_out_lines(const CalibrationResult& r) {
  std::string text;
  for (const std::string& what : r.left_out) text += fmt::format("not measured    {}\n", what);
  return text;
}

std::string cache_line(const CalibrationResult& r) {
  if (r.cache.bytes == 0) return {};
  const double least = *std::min_element(r.cache.factors.begin(), r.cache.factors.end());
  return fmt::format("cache           {} per core; products of tiles in it take at best {} of the time\n",
                     quantity(static_cast<double>(r.cache.bytes), "B"), percent(least));
}

std::string runtime_lines(const CalibrationResult& r) {
  if (!r.runtime) return {};
  std::string text = fmt::format("operations      {} of the progress loop for each group of products\n",
                                 quantity(r.runtime->operation_overhead_s, "s"));
  text += fmt::format("between products {}, {} in a rank with several cores\n",
                      quantity(r.runtime->product_overhead_s, "s"),
                      quantity(r.runtime->shared_product_overhead_s, "s"));
  text += fmt::format("tiles           {} for each of A or B, {} of C\n",
                      quantity(r.runtime->load_overhead_s, "s"), quantity(r.runtime->store_overhead_s, "s"));
  text += fmt::format("polls           {} of a core for each poll for messages\n",
                      quantity(r.runtime->look_overhead_s, "s"));
  if (r.runtime->polling_delay_s > 0)
    text += fmt::format("polling         {} until a message is seen while all cores work\n",
                        quantity(r.runtime->polling_delay_s, "s"));
  if (r.runtime->message_copy_bytes_per_s > 0)
    text +=
        fmt::format("message copies  {} of a core\n", quantity(r.runtime->message_copy_bytes_per_s, "B/s"));
  return text;
}

std::string curve_line(const char* what, const ProductCurve& curve) {
  if (!curve.measured()) return {};
  return fmt::format("{:<15} {}, {} to start, fitted within {} (median of {} shapes)\n", what,
                     quantity(curve.fit.model.rate_flops_per_s, "flop/s"),
                     quantity(curve.fit.model.latency_s, "s"), percent(curve.fit.median_error),
                     curve.samples.size());
}

nlohmann::ordered_json runtime_json(const CalibrationResult& r) {
  if (!r.runtime) return nullptr;
  return {{"operation_overhead_s", r.runtime->operation_overhead_s},
          {"product_overhead_s", r.runtime->product_overhead_s},
          {"shared_product_overhead_s", r.runtime->shared_product_overhead_s},
          {"load_overhead_s", r.runtime->load_overhead_s},
          {"store_overhead_s", r.runtime->store_overhead_s},
          {"look_overhead_s", r.runtime->look_overhead_s},
          {"polling_delay_s", r.runtime->polling_delay_s},
          {"message_copy_bytes_per_s", r.runtime->message_copy_bytes_per_s}};
}

nlohmann::ordered_json curve_json(const ProductCurve& curve) {
  if (!curve.measured()) return nullptr;
  const KernelModel& m = curve.fit.model;
  return {{"rate_flops_per_s", m.rate_flops_per_s},
          {"half_m", m.half_m},
          {"half_n", m.half_n},
          {"half_k", m.half_k},
          {"latency_s", m.latency_s},
          {"shapes", curve.samples.size()},
          {"left_out", curve.left_out},
          {"median_error", curve.fit.median_error},
          {"p90_error", curve.fit.p90_error},
          {"spread", curve.spread}};
}

std::string fit_line(const CalibrationResult& r) {
  const std::string fitted = fmt::format("fit             within {} (median), ", percent(r.fit.median_error));
  if (!r.held_out) return fitted + "not checked on other shapes: too few were measured\n";
  return fitted + fmt::format("{} on shapes that it was not fitted to\n", percent(r.held_out->median_error));
}

}  // namespace

std::string calibration_text(const CalibrationResult& r) {
  return fmt::format("{} cores, {}\n", r.facts.cores, r.kernels) +
         fmt::format(
             "large products  {} per core, all busy; a core alone is {:.2f} times as fast\n",
             quantity(r.fit.model.seconds(kLarge, kLarge, kLarge) > 0
                          ? 2.0 * kLarge * kLarge * kLarge / r.fit.model.seconds(kLarge, kLarge, kLarge)
                          : 0,
                      "flop/s"),
             r.solo_speedup) +
         fit_line(r) +
         fmt::format(
             "complex         products take {:.2f} times as long as four real ones, in single {:.2f}\n",
             r.fit.model.complex_factor, r.single_fit.model.complex_factor) +
         rounds_line(r) + cache_line(r) + runtime_lines(r) +
         fmt::format("generation      {} per core\n", quantity(r.generation_bytes_per_s_per_core, "B/s")) +
         fmt::format("copies          {} per core\n", quantity(r.copy_bytes_per_s_per_core, "B/s")) +
         fmt::format("additions       {} per core, permuted {}\n",
                     quantity(r.addition_bytes_per_s_per_core, "B/s"),
                     quantity(r.permuted_addition_bytes_per_s_per_core, "B/s")) +
         message_line(r) + left_out_lines(r);
}

std::string calibration_text(const GpuCalibration& r) {
  const GpuCopies& c = r.copies;
  return fmt::format("{} x {}, {}\n", r.devices, r.device.name, r.device.library) +
         fmt::format("streams         {}\n", r.best_lanes) + curve_line("products", r.kernel) +
         curve_line("batches", r.batched) + curve_line("single", r.single) +
         curve_line("single batches", r.single_batched) +
         fmt::format("launches        {} per second\n", quantity(r.launches_per_s, "")) +
         fmt::format("host to device  {}, {}\n", quantity(c.in.link.latency_s, "s"),
                     quantity(c.in.link.bandwidth_bytes_per_s, "B/s")) +
         fmt::format("device to host  {}, {}\n", quantity(c.out.link.latency_s, "s"),
                     quantity(c.out.link.bandwidth_bytes_per_s, "B/s")) +
         fmt::format("both ways       {}\n", quantity(c.both.bytes_per_s, "B/s")) +
         fmt::format("generation      {} on a device, {} per core\n", quantity(r.making.bytes_per_s, "B/s"),
                     quantity(r.host.generation_bytes_per_s_per_core, "B/s")) +
         message_line(r.host);
}

nlohmann::ordered_json calibration_json(const CalibrationResult& r) {
  nlohmann::ordered_json fit = {{"median_error", r.fit.median_error}};
  if (r.held_out) fit["held_out_median_error"] = r.held_out->median_error;
  return {{"kernels", r.kernels},
          {"cores", r.facts.cores},
          {"rate_flops_per_s", r.fit.model.rate_flops_per_s},
          {"core_speeds", r.core_speeds},
          {"fit", fit},
          {"complex_factor", r.fit.model.complex_factor},
          {"single_complex_factor", r.single_fit.model.complex_factor},
          {"rounds", r.rounds},
          {"round_spread", r.round_spread},
          {"stable", r.stable},
          {"core_share", r.core_share},
          {"probe_flops_per_s", r.probe_flops_per_s},
          {"solo_speedup", r.solo_speedup},
          {"noise",
           {{"kernel", r.kernel_spread},
            {"link", r.copy_spread},
            {"device", r.rate_spread.device},
            {"node", r.rate_spread.node},
            {"model", r.held_out ? nlohmann::json(r.held_out->spread()) : nullptr}}},
          {"left_out", r.left_out},
          {"cache", {{"bytes", r.cache.bytes}, {"sizes", kFactorSizes}, {"factors", r.cache.factors}}},
          {"runtime", runtime_json(r)},
          {"generation_bytes_per_s_per_core", r.generation_bytes_per_s_per_core},
          {"copy_bytes_per_s_per_core", r.copy_bytes_per_s_per_core},
          {"addition_bytes_per_s_per_core", r.addition_bytes_per_s_per_core},
          {"cached_addition_bytes_per_s_per_core", r.cached_addition_bytes_per_s_per_core},
          {"permuted_addition_bytes_per_s_per_core", r.permuted_addition_bytes_per_s_per_core}};
}

nlohmann::ordered_json calibration_json(const GpuCalibration& r) {
  const GpuCopies& c = r.copies;
  return {{"device", r.device.name},
          {"devices", r.devices},
          {"library", r.device.library},
          {"streams", r.best_lanes},
          {"kernel", curve_json(r.kernel)},
          {"batched", curve_json(r.batched)},
          {"single", curve_json(r.single)},
          {"single_batched", curve_json(r.single_batched)},
          {"launches_per_s", r.launches_per_s},
          {"h2d_bytes_per_s", c.in.link.bandwidth_bytes_per_s},
          {"h2d_latency_s", c.in.link.latency_s},
          {"d2h_bytes_per_s", c.out.link.bandwidth_bytes_per_s},
          {"d2h_latency_s", c.out.link.latency_s},
          {"both_ways_bytes_per_s", c.both.bytes_per_s},
          {"generation_bytes_per_s_on_device", r.making.bytes_per_s},
          {"generation_bytes_per_s_per_core", r.host.generation_bytes_per_s_per_core},
          {"copy_bytes_per_s_per_core", r.host.copy_bytes_per_s_per_core},
          {"addition_bytes_per_s_per_core", r.host.addition_bytes_per_s_per_core}};
}

}  // namespace foretile
