// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/calibrate_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"

namespace foretile {

namespace {

/// One part of the calibration and its weight in the time.
struct Part {
  std::string what;
  double weight = 1;
  std::function<void(double seconds)> measure;
};

void check_sizes(const std::vector<std::int64_t>& sizes, const char* what, std::int64_t most) {
  for (const std::int64_t size : sizes) {
    if (size >= 1 && size <= most) continue;
    throw input_error(what, fmt::format("{}", size), fmt::format("1 to {}", most));
  }
  if (sizes.empty()) throw input_error(what, "none", "one or more");
}

void check(const GpuCalibrationOptions& o) {
  check_sizes(o.sizes, "calibration sizes", 16384);
  if (!o.odd_sizes.empty()) check_sizes(o.odd_sizes, "odd calibration sizes", 16384);
  check_sizes(o.lane_tiles, "tiles on several lanes", 16384);
  check_sizes(o.batch_tiles, "tiles of batches", 16384);
  check_sizes(o.copies, "sizes of copies", std::int64_t{1} << 34);
  if (o.sizes.size() < 2 || o.batch_tiles.size() < 2)
    throw input_error("calibration sizes", "fewer than two", "two or more");
  if (!(o.seconds > 0))
    throw input_error("calibration time", fmt::format("{} s", o.seconds), "more than 0 s");
}

/// A cube of each size, and a product that has it with the two behind it in the list.
void add_odd_shapes(const std::vector<std::int64_t>& sizes, std::vector<KernelSample>& shapes) {
  const auto of = [&](std::size_t i) { return sizes[i % sizes.size()]; };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    shapes.push_back({of(i), of(i), of(i)});
    if (sizes.size() > 2) shapes.push_back({of(i), of(i + 1), of(i + 2)});
  }
}

std::vector<KernelSample> batched_shapes(const GpuCalibrationOptions& o) {
  std::vector<KernelSample> shapes = shapes_of(o.batch_tiles, o.shape_batch);
  for (const std::int64_t tile : o.batch_tiles) {
    for (const int batch : o.batches) {
      if (batch > 1 && batch != o.shape_batch) shapes.push_back({tile, tile, tile, 0, batch});
    }
  }
  return shapes;
}

class GpuCalibrator {
 public:
  GpuCalibrator(Gpus& gpus, const GpuCalibrationOptions& options)
      : gpus_(gpus), options_(options), budget_(options.seconds) {
    result_.devices = gpus.count();
    result_.device = gpus.facts(0);
    for (int d = 0; d < gpus.count(); ++d) devices_.push_back(gpus.open(d, d == 0 ? options.most_lanes : 1));
    bench_ = std::make_unique<ProductBench>(gpus, *devices_[0], options.most_lanes,
                                            std::min(options.ring_bytes, result_.device.free_bytes / 4));
  }

  GpuCalibration run() {
    std::vector<Part> parts = {{"host memory and generation", 3, [this](double s) { host(s); }},
                               {"lanes", 6, [this](double s) { lanes(s); }},
                               {"products", 40, [this](double s) { products(s); }},
                               {"batches", 15, [this](double s) { batches(s); }},
                               {"launches", 2, [this](double s) { launches(s); }}};
    if (options_.single) {
      parts.push_back({"products in single precision", 14, [this](double s) { single(s); }});
      parts.push_back({"batches in single precision", 6, [this](double s) { single_batches(s); }});
    }
    parts.push_back({"copies", 12, [this](double s) { copies(s); }});
    parts.push_back({"generation on the device", 2, [this](double s) { making(s); }});
    double open = 0;
    for (const Part& part : parts) open += part.weight;
    for (const Part& part : parts) {
      if (options_.progress) options_.progress(part.what);
      part.measure(budget_.share(part.weight, open));
      open -= part.weight;
    }
    return std::move(result_);
  }

 private:
  void host(double seconds) {
    CalibrationOptions options = options_.host;
    options.seconds_per_bandwidth = std::min(options.seconds_per_bandwidth, seconds / 5);
    result_.host = calibrate_host(options);
  }

  void lanes(double seconds) {
    bench_->fill(Precision::f64);
    warm_up(seconds / 10);
    result_.lanes_when = utc_now();
    result_.lanes = measure_lanes(*bench_, options_.lane_tiles, options_.most_lanes, seconds);
    result_.best_lanes = best_lanes(result_.lanes);
  }

  /// An idle GPU has a slow clock.
  void warm_up(double seconds) {
    const std::int64_t tile = *std::max_element(options_.lane_tiles.begin(), options_.lane_tiles.end());
    const KernelSample cube{tile, tile, tile};
    if (bench_->fits(cube)) bench_->measure(cube, options_.most_lanes, seconds);
  }

  void products(double seconds) {
    std::vector<KernelSample> shapes = shapes_of(options_.sizes);
    add_odd_shapes(options_.odd_sizes, shapes);
    result_.kernel = measure_curve(*bench_, shapes, result_.best_lanes, 0.95 * seconds);
    add_complex(result_.kernel, options_.sizes, 1, 0.05 * seconds);
  }

  void add_complex(ProductCurve& curve, const std::vector<std::int64_t>& tiles, int batch, double seconds) {
    curve.fit.model.complex_factor = measure_complex(*bench_, tiles, batch, curve, seconds);
  }

  void batches(double seconds) {
    result_.batched = measure_curve(*bench_, batched_shapes(options_), result_.best_lanes, 0.9 * seconds);
    add_complex(result_.batched, options_.batch_tiles, options_.shape_batch, 0.05 * seconds);
    result_.mixed =
        measure_mixed(*bench_, options_.batch_tiles, options_.shape_batch, result_.batched, 0.05 * seconds);
  }

  void single(double seconds) {
    bench_->fill(Precision::f32);
    result_.single =
        measure_curve(*bench_, shapes_of(every_second(options_.sizes)), result_.best_lanes, 0.9 * seconds);
    add_complex(result_.single, every_second(options_.sizes), 1, 0.1 * seconds);
  }

  void single_batches(double seconds) {
    result_.single_batched = measure_curve(*bench_, shapes_of(options_.batch_tiles, options_.shape_batch),
                                           result_.best_lanes, 0.9 * seconds);
    add_complex(result_.single_batched, options_.batch_tiles, options_.shape_batch, 0.1 * seconds);
  }

  void launches(double seconds) {
    const KernelSample tiny{16, 16, 16};
    const GpuLane lane{devices_[0].get(), kFirstKernelLane};
    result_.launches_when = utc_now();
    const Measured all = bench_->measure(tiny, result_.best_lanes, seconds * 0.4);
    result_.launches_per_s = 1 / all.seconds;
    result_.launches_spread = all.spread;
    result_.launches_per_s_one_lane = 1 / bench_->measure(tiny, 1, seconds * 0.4).seconds;
    result_.notice_s =
        measure_alone(gpus_, {&lane, 1}, seconds * 0.2, [](std::int64_t, std::int64_t) {}).seconds;
  }

  void copies(double seconds) {
    std::vector<Gpu*> devices;
    for (const auto& device : devices_) devices.push_back(device.get());
    result_.copies = measure_gpu_copies(gpus_, devices, options_.copies, seconds);
  }

  void making(double seconds) {
    result_.making = measure_generation(gpus_, *devices_[0], options_.make_bytes, seconds);
  }

  Gpus& gpus_;
  const GpuCalibrationOptions& options_;
  TimeBudget budget_;
  GpuCalibration result_;
  std::vector<std::unique_ptr<Gpu>> devices_;
  std::unique_ptr<ProductBench> bench_;
};

}  // namespace

GpuCalibration calibrate_gpu(Gpus& gpus, const GpuCalibrationOptions& options) {
  check(options);
  return GpuCalibrator(gpus, options).run();
}

}  // namespace foretile
