// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/calibration_samples.hpp"

#include <nlohmann/json.hpp>

namespace foretile {

namespace {

nlohmann::json product(const KernelSample& s, const KernelFit& fit, int lanes, const char* precision) {
  const double flops =
      2.0 * s.batch * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  return {{"m", s.m},
          {"n", s.n},
          {"k", s.k},
          {"batch", s.batch},
          {"lanes", lanes},
          {"precision", precision},
          {"seconds", s.seconds},
          {"flops_per_s", flops / s.seconds},
          {"spread", s.spread},
          {"predicted_s", fit.model.seconds(s.m, s.n, s.k, s.batch)}};
}

nlohmann::json head(const CalibrationResult& r) {
  nlohmann::json json = {{"host", r.facts.host},
                         {"cpu", r.cpu},
                         {"cores", r.facts.cores},
                         {"when", r.when},
                         {"kernels", r.kernels}};
  json["messages"] = nlohmann::json::array();
  if (r.message) {
    for (const MessageSample& s : r.message->samples)
      json["messages"].push_back({{"bytes", s.bytes}, {"seconds", s.seconds}, {"spread", s.spread}});
  }
  return json;
}

nlohmann::json figure(double value, double spread, const std::string& when) {
  return {{"value", value}, {"spread", spread}, {"when", when}};
}

void add_products(nlohmann::json& to, const ProductCurve& curve, const char* precision) {
  for (const KernelSample& s : curve.samples) to.push_back(product(s, curve.fit, curve.lanes, precision));
}

void add_copies(nlohmann::json& to, const CopyCurve& curve, const char* path) {
  for (const CopySample& s : curve.samples) {
    to.push_back({{"path", path},
                  {"bytes", s.bytes},
                  {"alone_s", s.alone_s},
                  {"queued_s", s.queued_s},
                  {"spread", s.spread}});
  }
}

nlohmann::json host_figures(const CalibrationResult& r) {
  return {
      {"generation_bytes_per_s_per_core",
       figure(r.generation_bytes_per_s_per_core, r.generation_spread, r.when)},
      {"copy_bytes_per_s_per_core", figure(r.copy_bytes_per_s_per_core, r.copy_spread, r.when)},
      {"addition_bytes_per_s_per_core", figure(r.addition_bytes_per_s_per_core, r.addition_spread, r.when)}};
}

}  // namespace

nlohmann::json calibration_samples(const CalibrationResult& r) {
  nlohmann::json json = head(r);
  json["products"] = nlohmann::json::array();
  for (const KernelSample& s : r.samples) json["products"].push_back(product(s, r.fit, 1, "double"));
  for (const KernelSample& s : r.single_samples)
    json["products"].push_back(product(s, r.single_fit, 1, "single"));
  json["figures"] = host_figures(r);
  json["left_out"] = r.left_out;
  json["rounds"] = r.rounds;
  json["round_spread"] = r.round_spread;
  json["stable"] = r.stable;
  json["core_share"] = r.core_share;
  json["probe_flops_per_s"] = r.probe_flops_per_s;
  json["solo_speedup"] = r.solo_speedup;
  json["rate_spread"] = {{"node", r.rate_spread.node}, {"device", r.rate_spread.device}};
  json["cache"] = {{"bytes", r.cache.bytes},
                   {"sizes", kFactorSizes},
                   {"factors", r.cache.factors},
                   {"percents", kReuseDistances},
                   {"kept", r.cache.kept}};
  if (r.runtime) {
    json["runtime"] = {{"operation_overhead_s", r.runtime->operation_overhead_s},
                       {"look_overhead_s", r.runtime->look_overhead_s},
                       {"polling_delay_s", r.runtime->polling_delay_s},
                       {"product_overhead_s", r.runtime->product_overhead_s},
                       {"shared_product_overhead_s", r.runtime->shared_product_overhead_s},
                       {"load_overhead_s", r.runtime->load_overhead_s},
                       {"store_overhead_s", r.runtime->store_overhead_s},
                       {"overhead_spread", r.runtime->overhead_spread},
                       {"message_copy_bytes_per_s", r.runtime->message_copy_bytes_per_s}};
  }
  return json;
}

nlohmann::json calibration_samples(const GpuCalibration& r) {
  nlohmann::json json = head(r.host);
  json["device"] = r.device.name;
  json["devices"] = r.devices;
  json["library"] = r.device.library;
  json["products"] = nlohmann::json::array();
  add_products(json["products"], r.kernel, "double");
  add_products(json["products"], r.batched, "double");
  add_products(json["products"], r.single, "single");
  add_products(json["products"], r.single_batched, "single");
  json["lanes"] = nlohmann::json::array();
  for (const LaneSample& s : r.lanes) {
    json["lanes"].push_back(
        {{"tile", s.tile}, {"lanes", s.lanes}, {"flops_per_s", s.flops_per_s}, {"spread", s.spread}});
  }
  json["copies"] = nlohmann::json::array();
  add_copies(json["copies"], r.copies.in, "h2d");
  add_copies(json["copies"], r.copies.out, "d2h");
  add_copies(json["copies"], r.copies.peer, "d2d");
  nlohmann::json figures = host_figures(r.host);
  figures["both_ways_bytes_per_s"] = figure(r.copies.both.bytes_per_s, r.copies.both.spread, r.copies.when);
  figures["all_devices_in_bytes_per_s"] =
      figure(r.copies.all_in.bytes_per_s, r.copies.all_in.spread, r.copies.when);
  figures["device_generation_bytes_per_s"] = figure(r.making.bytes_per_s, r.making.spread, r.making.when);
  figures["mixed_launch_over_curve"] =
      figure(r.mixed.seconds / r.mixed.predicted_s, r.mixed.spread, r.batched.when);
  figures["launches_per_s"] = figure(r.launches_per_s, r.launches_spread, r.launches_when);
  json["figures"] = figures;
  return json;
}

}  // namespace foretile
