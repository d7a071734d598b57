// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "executor/calibration/calibrate_gpu.hpp"

namespace foretile {

namespace {

std::string head(const GpuCalibration& r, const std::string& samples_file) {
  const CalibrationResult& h = r.host;
  std::string text = fmt::format(
      R"(# Measured by `foretile-run calibrate` on {host}, {when} UTC: {devices} x {device},
# {library}; {cpu}, {cores} cores.
# Times are elapsed times on a device that does nothing else, medians of repeated samples. A sample is many launches or
# copies given one behind the other; "spread" is the relative standard deviation of samples (1.4826 times the median
# distance from the median).
)",
      fmt::arg("host", printable(h.facts.host)), fmt::arg("when", h.when), fmt::arg("devices", r.devices),
      fmt::arg("device", printable(r.device.name)), fmt::arg("library", printable(r.device.library)),
      fmt::arg("cpu", printable(h.cpu)), fmt::arg("cores", h.facts.cores));
  if (!samples_file.empty())
    text += fmt::format("# Every single figure is in {}.\n", printable(samples_file));
  return text;
}

/// All devices on one socket: nothing tells how they are joined.
std::string node_text(const GpuCalibration& r) {
  const CalibrationResult& h = r.host;
  const GpuCopies& c = r.copies;
  const double together =
      std::max({c.all_in.bytes_per_s, c.in.link.bandwidth_bytes_per_s, c.out.link.bandwidth_bytes_per_s});
  return fmt::format(
      R"(name = "here"
nodes = 1
sockets_per_node = 1  # all devices are taken to be alike and on one socket
ranks_per_node = 1

[socket]
cores = {cores}
devices = {devices}
memory = {memory}  # four fifths of what is installed
memory_bandwidth = {bandwidth:.4g}  # {when}: memcpy on all cores, bytes read and written; spread {spread:.3f}
device_bandwidth = {together:.4g}  # host to {all} at once; spread {together_spread:.3f}
)",
      fmt::arg("cores", h.facts.cores), fmt::arg("devices", r.devices),
      fmt::arg("memory", std::max<std::int64_t>(h.facts.memory_bytes / 5 * 4, 1)),
      fmt::arg("bandwidth", std::max(2 * h.copy_bytes_per_s_per_core * h.facts.cores, c.both.bytes_per_s)),
      fmt::arg("when", h.when), fmt::arg("spread", h.copy_spread), fmt::arg("together", together),
      fmt::arg("all", r.devices == 1 ? "the one device" : "all devices"),
      fmt::arg("together_spread", c.all_in.spread));
}

std::string lanes_text(const GpuCalibration& r) {
  std::string text = fmt::format("# Streams, {} UTC: Gflop/s of square tiles.\n", r.lanes_when);
  for (const LaneSample& s : r.lanes) {
    text += fmt::format("#   tile {:>5}  {} stream{}  {:.5g}  spread {:.3f}\n", s.tile, s.lanes,
                        s.lanes == 1 ? " " : "s", s.flops_per_s / 1e9, s.spread);
  }
  return text;
}

std::string curve_text(const std::string& table, const char* what, const ProductCurve& curve) {
  if (!curve.measured()) return {};
  const KernelModel& model = curve.fit.model;
  return fmt::format(
      R"(
# {what}, {when} UTC: fitted to {shapes} shapes on {lanes} stream{s} at once; relative error of the fit:
# median {median:.3f}, 90th percentile {p90:.3f}. Spread from run to run {spread:.3f}.{left_out}
[{table}]
rate = {rate:.5g}
half_m = {half_m:.4g}
half_n = {half_n:.4g}
half_k = {half_k:.4g}
latency = {latency:.4g}
complex_factor = {complex:.4g}  # complex products beside four real ones
)",
      fmt::arg("complex", model.complex_factor), fmt::arg("what", what), fmt::arg("when", curve.when),
      fmt::arg("shapes", curve.samples.size()), fmt::arg("lanes", curve.lanes),
      fmt::arg("s", curve.lanes == 1 ? "" : "s"), fmt::arg("median", curve.fit.median_error),
      fmt::arg("p90", curve.fit.p90_error), fmt::arg("spread", curve.spread),
      fmt::arg("left_out", curve.left_out == 0
                               ? std::string()
                               : fmt::format("\n# {} larger ones were left out: no time.", curve.left_out)),
      fmt::arg("table", table), fmt::arg("rate", model.rate_flops_per_s), fmt::arg("half_m", model.half_m),
      fmt::arg("half_n", model.half_n), fmt::arg("half_k", model.half_k),
      fmt::arg("latency", model.latency_s));
}

std::string device_text(const GpuCalibration& r) {
  return fmt::format(R"(
[device]
kind = "gpu"
memory = {memory}  # nine tenths of what was free, of {installed} bytes

)",
                     fmt::arg("memory", std::max<std::int64_t>(r.device.free_bytes / 10 * 9, 1)),
                     fmt::arg("installed", r.device.memory_bytes)) +
         lanes_text(r) +
         fmt::format(
             "# Launches, {} UTC: {:.5g} per second of 16 x 16 x 16 on {} stream{}, {:.5g} on one; spread "
             "{:.3f}.\n"
             "# Marking an idle stream and seeing that it is idle takes {:.3g} s.\n",
             r.launches_when, r.launches_per_s, r.best_lanes, r.best_lanes == 1 ? "" : "s",
             r.launches_per_s_one_lane, r.launches_spread, r.notice_s) +
         curve_text("device.kernel", "Products one by one", r.kernel) +
         fmt::format("streams = {}  # fewest within 3% of the best, see above\n", r.best_lanes) +
         curve_text("device.batched", "Products in launches of several", r.batched) +
         fmt::format(
             "# {} products of different sizes in a launch take {:.3g} of what the curve says; spread "
             "{:.3f}.\n",
             r.mixed.products, r.mixed.seconds / r.mixed.predicted_s, r.mixed.spread) +
         curve_text("device.single", "Products one by one in single precision", r.single) +
         curve_text("device.single_batched", "Launches of several in single precision", r.single_batched);
}

std::string copies_table(const char* what, const CopyCurve& curve) {
  std::string text =
      fmt::format("# {}: seconds of one waited for, and of one of many given behind each other.\n", what);
  for (const CopySample& s : curve.samples) {
    text += fmt::format("#   {:>9} bytes  {:.4g}  {:.4g}  spread {:.3f}\n", s.bytes, s.alone_s, s.queued_s,
                        s.spread);
  }
  return text;
}

std::string link_text(const GpuCalibration& r) {
  const GpuCopies& c = r.copies;
  const double in = c.in.link.bandwidth_bytes_per_s;
  const double out = c.out.link.bandwidth_bytes_per_s;
  // Never below what one direction has, in the digits that are written.
  const double both = std::max(c.both.bytes_per_s, 1.002 * std::max(in, out));
  return fmt::format(
      R"(
# Pinned memory, {when} UTC.
{in_table}{out_table}[pcie]  # or whatever joins host and device
latency = {latency:.4g}  # the smallest alone, without its bytes; mean of both directions
h2d_bandwidth = {in:.4g}  # the largest, queued
d2h_bandwidth = {out:.4g}
both_bandwidth = {both:.4g}  # both directions together, {measured:.4g} measured; spread {both_spread:.3f}{raised}
)",
      fmt::arg("when", c.when), fmt::arg("in_table", copies_table("Host to device", c.in)),
      fmt::arg("out_table", copies_table("Device to host", c.out)),
      fmt::arg("latency", (c.in.link.latency_s + c.out.link.latency_s) / 2), fmt::arg("in", in),
      fmt::arg("out", out), fmt::arg("both", both), fmt::arg("both_spread", c.both.spread),
      fmt::arg("measured", c.both.bytes_per_s),
      fmt::arg("raised", both > c.both.bytes_per_s ? "; raised to that of one direction" : ""));
}

std::string peer_text(const GpuCalibration& r) {
  const CopyCurve& peer = r.copies.peer;
  if (peer.samples.empty()) {
    const CopyCurve& out = r.copies.out;
    return fmt::format(
        "\n[peer]  # not measured: there is one device; between logical devices on it as to the host\n"
        "latency = {:.4g}\nbandwidth = {:.4g}\n",
        out.link.latency_s, out.link.bandwidth_bytes_per_s);
  }
  return fmt::format("\n{}[peer]  # device 0 to device 1, {}\nlatency = {:.4g}\nbandwidth = {:.4g}\n",
                     copies_table("Device to device", peer),
                     r.copies.direct ? "directly" : "through the host", peer.link.latency_s,
                     peer.link.bandwidth_bytes_per_s);
}

double noise(double spread) {
  return std::clamp(spread, 0.0, 1.0);
}

/// What CUDA takes for a launch or a copy is in the latencies; the progress loop's own time was measured with
/// cores as devices.
std::string runtime_text(const std::optional<RuntimeFigures>& runtime) {
  if (!runtime) return {};  // readers take the typical costs
  return fmt::format(R"(
[runtime]  # of the progress loop, measured with cores as devices; {} UTC
source = "foretile-run"
copy_overhead = {:.4g}  # as for an operation of a core
message_overhead = {:.4g}  # as for a tile that comes to a core
)",
                     runtime->when, runtime->operation_overhead_s, runtime->load_overhead_s);
}

std::string software_text(const GpuCalibration& r) {
  return fmt::format(R"(
[generation]
rate = {rate:.4g}  # {when}: one core, the others generating too; spread {spread:.3f}
device_rate = {device:.4g}  # {device_when}: a device, nothing beside it; spread {device_spread:.3f}

{runtime}
[noise]  # the spreads above: medians over all shapes, and over all sizes of copies
kernel = {kernel:.4g}
link = {link:.4g}
)",
                     fmt::arg("rate", r.host.generation_bytes_per_s_per_core), fmt::arg("when", r.host.when),
                     fmt::arg("runtime", runtime_text(r.host.runtime)),
                     fmt::arg("spread", r.host.generation_spread), fmt::arg("device", r.making.bytes_per_s),
                     fmt::arg("device_when", r.making.when), fmt::arg("device_spread", r.making.spread),
                     fmt::arg("kernel", noise(r.kernel.spread)),
                     fmt::arg("link", noise(std::max(r.copies.in.spread, r.copies.out.spread))));
}

}  // namespace

std::string gpu_calibration_toml(const GpuCalibration& r, const std::string& samples_file) {
  return head(r, samples_file) + node_text(r) + device_text(r) + link_text(r) + peer_text(r) +
         message_toml(r.host) + software_text(r) + addition_toml(r.host);
}

}  // namespace foretile
