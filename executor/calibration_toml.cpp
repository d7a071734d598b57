#include <fmt/format.h>

#include <algorithm>

#include "executor/calibrate.hpp"

namespace foretile {

namespace {

/// One line that can stand in a comment.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string node_text(const CalibrationResult& r) {
  const std::int64_t usable = std::max<std::int64_t>(r.facts.memory_bytes / 5 * 4, 1);
  return fmt::format(
      R"(# Measured by `foretile-run calibrate` on {host}, {when} UTC: {cpu}, {cores} cores, {kernels}.
# One thread ran on every core at once; figures are medians of repetitions, in processor time: the cores were
# ours for {share:.2f} of the time.
name = "here"
nodes = 1
sockets_per_node = 1
ranks_per_node = {cores}

[socket]
cores = {cores}
devices = {cores}  # the cores are the devices
memory = {memory}  # four fifths of what is installed
memory_bandwidth = {bandwidth:.4g}  # memcpy on all cores, bytes read and written; spread {spread:.3f}
)",
      fmt::arg("host", printable(r.facts.host)), fmt::arg("when", r.when), fmt::arg("cpu", printable(r.cpu)),
      fmt::arg("kernels", printable(r.kernels)), fmt::arg("cores", r.facts.cores),
      fmt::arg("share", r.core_share), fmt::arg("memory", usable),
      fmt::arg("bandwidth", 2 * r.copy_bytes_per_s_per_core * r.facts.cores),
      fmt::arg("spread", r.copy_spread));
}

std::string device_text(const CalibrationResult& r) {
  const std::int64_t budget = std::max<std::int64_t>(r.facts.memory_bytes / 5 * 2 / r.facts.cores, 1);
  const KernelModel& model = r.fit.model;
  return fmt::format(R"(
[device]
kind = "core"
memory = {budget}  # half of the usable memory, in equal parts

# Fitted to {shapes} shapes of dgemm: relative error: median {median:.3f}, 90th percentile {p90:.3f}.
[device.kernel]
rate = {rate:.5g}
half_m = {half_m:.4g}
half_n = {half_n:.4g}
half_k = {half_k:.4g}
latency = {latency:.4g}
streams = 1
)",
                     fmt::arg("budget", budget), fmt::arg("shapes", r.samples.size()),
                     fmt::arg("median", r.fit.median_error), fmt::arg("p90", r.fit.p90_error),
                     fmt::arg("rate", model.rate_flops_per_s), fmt::arg("half_m", model.half_m),
                     fmt::arg("half_n", model.half_n), fmt::arg("half_k", model.half_k),
                     fmt::arg("latency", model.latency_s));
}

std::string message_text(const CalibrationResult& r) {
  if (r.message) {
    return fmt::format("\n[message]  # measured between two ranks\nlatency = {:.4g}\nbandwidth = {:.4g}\n",
                       r.message->latency_s, r.message->bandwidth_bytes_per_s);
  }
  return fmt::format(
      "\n[message]  # guessed: half of what one core copies\nlatency = 1e-6\nbandwidth = {:.4g}\n",
      r.copy_bytes_per_s_per_core / 2);
}

std::string software_text(const CalibrationResult& r) {
  return fmt::format(R"(
[generation]
rate = {:.4g}  # one core, the others generating too

[noise]  # off; repeated products vary by {:.3f} and copies by {:.3f}
kernel = 0
link = 0
)",
                     r.generation_bytes_per_s_per_core, r.kernel_spread, r.copy_spread);
}

}  // namespace

std::string calibration_toml(const CalibrationResult& result) {
  return node_text(result) + device_text(result) + message_text(result) + software_text(result);
}

}  // namespace foretile
