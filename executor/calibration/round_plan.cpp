// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/round_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace foretile {

namespace {

constexpr double kLeast_s = 1e-3;    // for a shape: below, the start of threads counts more than products
constexpr double kStart_s = 0.3e-3;  // of the threads
constexpr std::size_t kLeastSizes = 3;

std::size_t shapes_in(const std::vector<std::int64_t>& sizes, const std::vector<std::int64_t>& cubes) {
  return sizes.size() * sizes.size() * sizes.size() + cubes.size();
}

/// One product to warm up, then so many as take the time.
double shape_seconds(const KernelSample& s, double flops_per_s, double seconds_per_shape) {
  const double product_s = 2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k) / flops_per_s;
  return kStart_s + product_s + std::max(product_s, seconds_per_shape);
}

double round_seconds(const std::vector<KernelSample>& shapes, double flops_per_s, double seconds_per_shape) {
  return std::accumulate(shapes.begin(), shapes.end(), 0.0, [&](double sum, const KernelSample& s) {
    return sum + shape_seconds(s, flops_per_s, seconds_per_shape);
  });
}

/// By rising work.
void drop_largest(std::vector<KernelSample>& shapes, const RoundLimits& limits) {
  double sum = round_seconds(shapes, limits.flops_per_s, kLeast_s);
  while (sum > limits.seconds && shapes.size() > kLeastShapes) {
    sum -= shape_seconds(shapes.back(), limits.flops_per_s, kLeast_s);
    shapes.pop_back();
  }
}

/// Steps of about the golden section through all of them: no two neighbours stay together.
std::vector<KernelSample> mixed(const std::vector<KernelSample>& shapes) {
  const std::size_t count = shapes.size();
  std::size_t step = static_cast<std::size_t>(0.618 * static_cast<double>(count)) + 1;
  while (std::gcd(step, count) != 1) ++step;
  std::vector<KernelSample> found;
  for (std::size_t i = 0; i < count; ++i) found.push_back(shapes[i * step % count]);
  return found;
}

}  // namespace

RoundPlan plan_round(std::vector<std::int64_t> sizes, std::vector<std::int64_t> cubes,
                     const RoundLimits& limits) {
  while (sizes.size() > kLeastSizes &&
         static_cast<double>(shapes_in(sizes, cubes)) * (kStart_s + kLeast_s) > limits.seconds) {
    sizes = every_second(sizes);
    if (!cubes.empty()) cubes = every_second(cubes);
  }
  RoundPlan plan{shapes_of(sizes), limits.seconds_per_shape};
  for (const std::int64_t size : cubes) plan.shapes.push_back({size, size, size});
  std::stable_sort(plan.shapes.begin(), plan.shapes.end(), [](const KernelSample& x, const KernelSample& y) {
    return x.m * x.n * x.k < y.m * y.n * y.k;
  });
  drop_largest(plan.shapes, limits);
  while (plan.seconds_per_shape > kLeast_s &&
         round_seconds(plan.shapes, limits.flops_per_s, plan.seconds_per_shape) > limits.seconds)
    plan.seconds_per_shape /= 2;
  plan.shapes = mixed(plan.shapes);
  return plan;
}

}  // namespace foretile
