#include <fmt/format.h>

#include <algorithm>

#include "executor/calibrate.hpp"

namespace foretile {

std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

namespace {

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

std::string single_text(const CalibrationResult& r) {
  if (r.single_samples.empty()) return {};
  const KernelModel& model = r.single_fit.model;
  return fmt::format(R"(
# Fitted to {} shapes of sgemm: relative error: median {:.3f}, 90th percentile {:.3f}; spread {:.3f}.
[device.single]
rate = {:.5g}
half_m = {:.4g}
half_n = {:.4g}
half_k = {:.4g}
latency = {:.4g}
)",
                     r.single_samples.size(), r.single_fit.median_error, r.single_fit.p90_error,
                     r.single_spread, model.rate_flops_per_s, model.half_m, model.half_n, model.half_k,
                     model.latency_s);
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
      "\n[message]  # guessed: half of what one core copies\nlatency = 1e-6\nbandwidth = {:.4g}\n",
      r.copy_bytes_per_s_per_core / 2);
}

namespace {

std::string software_text(const CalibrationResult& r, bool noise) {
  return fmt::format(R"(
[generation]
rate = {:.4g}  # one core, the others generating too; spread {:.3f}

[noise]  # {}; repeated products vary by {:.3f} and copies by {:.3f}
kernel = {:.4g}
link = {:.4g}
)",
                     r.generation_bytes_per_s_per_core, r.generation_spread, noise ? "as measured" : "off",
                     r.kernel_spread, r.copy_spread, noise ? std::min(r.kernel_spread, 1.0) : 0.0,
                     noise ? std::min(r.copy_spread, 1.0) : 0.0);
}

}  // namespace

std::string calibration_toml(const CalibrationResult& result, const CalibrationText& text) {
  std::string all;
  if (!text.samples_file.empty())
    all = fmt::format("# Every single time is in {}.\n", printable(text.samples_file));
  return all + node_text(result) + device_text(result) + single_text(result) + message_toml(result) +
         software_text(result, text.noise);
}

}  // namespace foretile
