// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "executor/calibration/calibrate.hpp"

namespace foretile {

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

namespace {

/// Whether other work or drift makes the figures doubtful.
std::string warnings_text(const CalibrationResult& r) {
  std::string text;
  if (was_busy(r)) text += "# WRITTEN BY FORCE: other work took the cores while they were measured.\n";
  if (!r.stable) text += "# NOT STABLE: repeated rounds did not agree, or were fewer than three.\n";
  for (const std::string& what : r.left_out)
    text += fmt::format("# NOT MEASURED for lack of time: {}.\n", what);
  return text;
}

/// Its first line is what `foretile platform list` shows.
std::string node_text(const CalibrationResult& r, const std::string& samples_file) {
  const std::int64_t usable = std::max<std::int64_t>(r.facts.memory_bytes / 5 * 4, 1);
  return fmt::format(
      R"(# Measured by `foretile-run calibrate` on {host}, {when} UTC: {cpu}, {cores} cores, {kernels}.
# One thread ran on every core at once, on tiles that come from memory; times are elapsed times, medians of
# {rounds} rounds over all shapes. The last three rounds differ by {difference:.3f} (stable: at most {limit}). The cores
# were ours for {share:.2f} of the time.
{samples}{warnings}name = "here"
nodes = 1
sockets_per_node = 1
ranks_per_node = {cores}

[socket]
cores = {cores}
devices = {cores}  # the cores are the devices
solo_speedup = {solo:.4g}  # a core whose neighbours are idle
memory = {memory}  # four fifths of what is installed: the rest is for the system, MPI and OpenBLAS
memory_bandwidth = {bandwidth:.4g}  # memcpy on all cores, bytes read and written; spread {spread:.3f}
)",
      fmt::arg("host", printable(r.facts.host)), fmt::arg("when", r.when), fmt::arg("cpu", printable(r.cpu)),
      fmt::arg("kernels", printable(r.kernels)), fmt::arg("cores", r.facts.cores),
      fmt::arg("share", r.core_share), fmt::arg("memory", usable), fmt::arg("rounds", r.rounds),
      fmt::arg("difference", r.round_spread), fmt::arg("limit", kStable), fmt::arg("solo", r.solo_speedup),
      fmt::arg("samples", samples_file.empty()
                              ? std::string()
                              : fmt::format("# Every single time is in {}.\n", printable(samples_file))),
      fmt::arg("warnings", warnings_text(r)),
      fmt::arg("bandwidth", 2 * r.copy_bytes_per_s_per_core * r.facts.cores),
      fmt::arg("spread", r.copy_spread));
}

std::string curve_text(const KernelModel& model) {
  std::string text =
      fmt::format("rate = {:.5g}\nhalf_m = {:.4g}\nhalf_n = {:.4g}\nhalf_k = {:.4g}\nlatency = {:.4g}\n",
                  model.rate_flops_per_s, model.half_m, model.half_n, model.half_k, model.latency_s);
  if (model.complex_factor != 1)
    text += fmt::format("complex_factor = {:.4g}  # complex products beside four real ones\n",
                        model.complex_factor);
  for (std::size_t i = 0; i < kFactorSizes.size(); ++i)
    text +=
        fmt::format("factor_{} = {:.4g}\n", kFactorSizes.at(i), std::clamp(model.factors.at(i), 1e-3, 1e3));
  return text;
}

std::string errors_text(const CalibrationResult& r) {
  std::string text;
  for (const SizeError& e : errors_by_size(r.fit.model, r.samples)) {
    text += fmt::format("#   about {:>4}  {:>3} shapes  median error {:.3f}  bias {:+.3f}\n", e.size,
                        e.samples, e.median_error, e.bias);
  }
  return text;
}

std::string cache_text(const CalibrationResult& r) {
  if (r.cache.bytes == 0) return {};
  std::string text = fmt::format(
      "\n# Products on tiles that are still in a core's part of the last cache: their time over that of "
      "tiles\n"
      "# that come from memory. The size is where products of tiles of 48 and 100 are halfway between the "
      "two.\n"
      "[device.cache]\nsize = {}\n",
      r.cache.bytes);
  for (std::size_t i = 0; i < kFactorSizes.size(); ++i)
    text += fmt::format("factor_{} = {:.4g}\n", kFactorSizes.at(i), r.cache.factors.at(i));
  text +=
      "# Shares of the gain that are left where tiles of so many percent of the size were used meanwhile.\n";
  for (std::size_t i = 0; i < kReuseDistances.size(); ++i)
    text += fmt::format("kept_{} = {:.3f}\n", kReuseDistances.at(i), r.cache.kept.at(i));
  return text;
}

std::string held_out_text(const CalibrationResult& r) {
  if (!r.held_out) return "Not checked on other shapes: too few were measured.";
  return fmt::format("Fitted to one half of them, on the other half: median {:.3f}, 90th percentile {:.3f}.",
                     r.held_out->median_error, r.held_out->p90_error);
}

std::string speeds_text(const CalibrationResult& r) {
  if (r.core_speeds.empty()) return {};
  return fmt::format("speeds = [{:.3f}]  # rate of each core over the fastest, which the curves are of\n",
                     fmt::join(r.core_speeds, ", "));
}

std::string device_text(const CalibrationResult& r) {
  const std::int64_t budget = std::max<std::int64_t>(r.facts.memory_bytes / 5 * 2 / r.facts.cores, 1);
  return fmt::format(R"(
[device]
kind = "core"
memory = {budget}  # of the memory above, for a block at a time: half, in equal parts
{speeds}
# Fitted to {shapes} shapes of dgemm: relative error: median {median:.3f}, 90th percentile {p90:.3f}.
# {held_out} By size:
{errors}[device.kernel]
{curve}streams = 1
)",
                     fmt::arg("budget", budget), fmt::arg("speeds", speeds_text(r)),
                     fmt::arg("shapes", r.samples.size()), fmt::arg("median", r.fit.median_error),
                     fmt::arg("p90", r.fit.p90_error), fmt::arg("held_out", held_out_text(r)),
                     fmt::arg("errors", errors_text(r)), fmt::arg("curve", curve_text(r.fit.model)));
}

std::string single_text(const CalibrationResult& r) {
  if (r.single_samples.empty()) {
    if (r.single_fit.model.rate_flops_per_s <= 0) return {};
    return "\n# Not measured: twice as fast as double precision.\n[device.single]\n" +
           curve_text(r.single_fit.model);
  }
  return fmt::format(R"(
# Fitted to {} shapes of sgemm: relative error: median {:.3f}, 90th percentile {:.3f}; spread {:.3f}.
[device.single]
{})",
                     r.single_samples.size(), r.single_fit.median_error, r.single_fit.p90_error,
                     r.single_spread, curve_text(r.single_fit.model));
}

}  // namespace

std::string message_toml(const CalibrationResult& r) {
  if (r.message) {
    std::string text = fmt::format("\n# Between two ranks, ping-pong, medians; {} UTC.\n", r.message->when);
    for (const MessageSample& s : r.message->samples) {
      text += fmt::format("#   {:>9} bytes  {:.4g} s  spread {:.3f}\n", s.bytes, s.seconds, s.spread);
    }
    return text +
           fmt::format("[message]  # measured: one word, and 16 MB\nlatency = {:.4g}\nbandwidth = {:.4g}\n",
                       r.message->link.latency_s, r.message->link.bandwidth_bytes_per_s);
  }
  return fmt::format(
      "\n[message]\nlatency = 1e-6  # a guess\nbandwidth = {:.4g}  # a guess: half of what one core copies\n",
      r.copy_bytes_per_s_per_core / 2);
}

std::string addition_toml(const CalibrationResult& r) {
  if (r.addition_bytes_per_s_per_core <= 0) return {};
  std::string text = fmt::format(
      "\n[addition]\nrate = {:.4g}  # bytes of tiles that one core adds to others; spread {:.3f}\n",
      r.addition_bytes_per_s_per_core, r.addition_spread);
  if (r.cached_addition_bytes_per_s_per_core > 0)
    text += fmt::format("cached_rate = {:.4g}  # both tiles in its part of the last cache\n",
                        r.cached_addition_bytes_per_s_per_core);
  if (r.permuted_addition_bytes_per_s_per_core > 0)
    text += fmt::format("permuted_rate = {:.4g}  # indices in another order\n",
                        r.permuted_addition_bytes_per_s_per_core);
  return text;
}

namespace {

/// foretile-run's own costs, measured by running small plans.
std::string runtime_text(const CalibrationResult& r) {
  if (!r.runtime) return {};  // readers take the typical costs
  const RuntimeFigures& f = *r.runtime;
  std::string text = fmt::format(
      "\n[runtime]  # {} UTC\nsource = \"foretile-run\"\n"
      "operation_overhead = {:.4g}  # of the progress loop for each group of products or generated tiles\n"
      "product_overhead = {:.4g}  # between two products on a core; spread {:.3f}\nshared_product_overhead = "
      "{:.4g}  # the same in a rank with several cores\n"
      "load_overhead = {:.4g}  # for each tile of A or B that comes to a core\n"
      "store_overhead = {:.4g}  # for each tile of C\n"
      "look_overhead = {:.4g}  # what products lose for each poll for messages and ended work\n",
      f.when, f.operation_overhead_s, f.product_overhead_s, f.overhead_spread, f.shared_product_overhead_s,
      f.load_overhead_s, f.store_overhead_s, f.look_overhead_s);
  if (f.polling_delay_s > 0)
    text += fmt::format("polling_delay = {:.4g}  # until a message is seen while all cores work\n",
                        f.polling_delay_s);
  if (f.message_copy_bytes_per_s > 0)
    text += fmt::format("message_copy_rate = {:.4g}  # bytes at either end in the time that products lose\n",
                        f.message_copy_bytes_per_s);
  return text;
}

std::string calibration_table(const CalibrationResult& r) {
  if (r.probe_flops_per_s <= 0) return {};
  const std::string error =
      r.held_out ? fmt::format("error = {:.4f}  # median, of shapes to which the curve was not fitted\n",
                               std::min(r.held_out->median_error, 1.0))
                 : "";
  return fmt::format(
      "\n[calibration]\ncore_share = {:.4f}\nstable = {}\n{}probe_rate = {:.5g}  # of one core, all "
      "busy\nkernels = \"{}\"\n",
      r.core_share, r.stable, error, r.probe_flops_per_s, r.kernels);
}

std::string software_text(const CalibrationResult& r, bool noise) {
  const auto figure = [noise](double spread) { return noise ? std::min(spread, 1.0) : 0.0; };
  return fmt::format(
      R"(
[generation]
rate = {:.4g}  # one core, the others generating too; spread {:.3f}

[noise]  # {}; repeated products vary by {:.3f} and copies by {:.3f}
kernel = {:.4g}
link = {:.4g}
# Probes, two seconds of them at a time: one core among all at the same time varies by {:.3f}, and all cores
# together from time to time by {:.3f}.
device = {:.4g}
node = {:.4g}
# The curve on shapes that it was not fitted to: 1.4826 times the median error.
model = {:.4g}
)",
      r.generation_bytes_per_s_per_core, r.generation_spread, noise ? "as measured" : "off", r.kernel_spread,
      r.copy_spread, figure(r.kernel_spread), figure(r.copy_spread), r.rate_spread.device, r.rate_spread.node,
      figure(r.rate_spread.device), figure(r.rate_spread.node),
      figure(r.held_out ? r.held_out->spread() : 0));
}

}  // namespace

std::string calibration_toml(const CalibrationResult& result, const CalibrationText& text) {
  return node_text(result, text.samples_file) + device_text(result) + cache_text(result) +
         single_text(result) + message_toml(result) + software_text(result, text.noise) +
         addition_toml(result) + runtime_text(result) + calibration_table(result);
}

}  // namespace foretile
