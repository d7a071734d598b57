#include "executor/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr std::size_t parameters = 5;
using Vector = std::array<double, parameters>;  // seconds per flop, half_m, half_n, half_k, latency
using Matrix = std::array<Vector, parameters>;

KernelModel model_of(const Vector& x) {
  return {.rate_flops_per_s = 1 / x[0],
          .half_m = x[1],
          .half_n = x[2],
          .half_k = x[3],
          .latency_s = x[4],
          .streams = 1};
}

double log_ratio(const Vector& x, const KernelSample& s) {
  return std::log(model_of(x).seconds(s.m, s.n, s.k, s.batch) / s.seconds);
}

double cost(const Vector& x, const std::vector<KernelSample>& samples) {
  double sum = 0;
  for (const KernelSample& s : samples) sum += std::pow(log_ratio(x, s), 2);
  return sum;
}

/// Derivatives of the model's logarithm: for t = latency + work, d log t = d t / t.
Vector gradient(const Vector& x, const KernelSample& s) {
  const double total = model_of(x).seconds(s.m, s.n, s.k, s.batch);
  const double work = total - x[4];
  const auto half = [&](double parameter, std::int64_t size) {
    return work / total / (static_cast<double>(size) + parameter);
  };
  return {work / total / x[0], half(x[1], s.m), half(x[2], s.n), half(x[3], s.k), 1 / total};
}

/// Solves A y = b by elimination with pivots; A is positive definite thanks to the damping.
Vector solve(Matrix a, Vector b) {
  for (std::size_t column = 0; column < parameters; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < parameters; ++row) {
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    }
    std::swap(a[column], a[pivot]);
    std::swap(b[column], b[pivot]);
    for (std::size_t row = column + 1; row < parameters; ++row) {
      const double factor = a[row][column] / a[column][column];
      for (std::size_t j = column; j < parameters; ++j) a[row][j] -= factor * a[column][j];
      b[row] -= factor * b[column];
    }
  }
  for (std::size_t row = parameters; row-- > 0;) {
    for (std::size_t j = row + 1; j < parameters; ++j) b[row] -= a[row][j] * b[j];
    b[row] /= a[row][row];
  }
  return b;
}

/// The parameters differ by 15 orders of magnitude; steps are taken in these units.
constexpr Vector scale = {1e-11, 10, 10, 10, 1e-6};

Vector step(const Vector& x, const std::vector<KernelSample>& samples, double damping) {
  Matrix normal{};
  Vector right{};
  for (const KernelSample& s : samples) {
    const Vector g = gradient(x, s);
    const double residual = log_ratio(x, s);
    for (std::size_t i = 0; i < parameters; ++i) {
      right[i] -= g[i] * scale[i] * residual;
      for (std::size_t j = 0; j < parameters; ++j) normal[i][j] += g[i] * scale[i] * g[j] * scale[j];
    }
  }
  for (std::size_t i = 0; i < parameters; ++i) normal[i][i] += damping * (normal[i][i] + 1e-12);
  Vector next = solve(normal, right);
  for (std::size_t i = 0; i < parameters; ++i) next[i] = std::max(x[i] + next[i] * scale[i], 0.0);
  next[0] = std::max(next[0], x[0] / 10);  // a rate is never infinite
  return next;
}

Vector descend(Vector x, const std::vector<KernelSample>& samples) {
  double damping = 1e-3;
  double best = cost(x, samples);
  for (int i = 0; i < 200 && damping < 1e12; ++i) {
    const Vector next = step(x, samples, damping);
    const double reached = cost(next, samples);
    if (reached < best) {
      best = reached;
      x = next;
      damping /= 3;
    } else {
      damping *= 4;
    }
  }
  return x;
}

void check(const std::vector<KernelSample>& samples) {
  if (samples.size() < parameters) {
    throw WorkError(fmt::format(
        "the kernel model has {} parameters, but only {} shapes were measured; with calibrate, raise "
        "--budget or ask for smaller --sizes",
        parameters, samples.size()));
  }
  for (const KernelSample& s : samples) {
    const bool sound =
        s.batch > 0 && s.m > 0 && s.n > 0 && s.k > 0 && s.seconds > 0 && std::isfinite(s.seconds);
    if (!sound) {
      throw WorkError(fmt::format("a product of {} x {} x {} cannot take {} s", s.m, s.n, s.k, s.seconds));
    }
  }
}

double best_rate(const std::vector<KernelSample>& samples) {
  double best = 0;
  for (const KernelSample& s : samples) {
    best = std::max(best, 2.0 * s.batch * static_cast<double>(s.m) * static_cast<double>(s.n) *
                              static_cast<double>(s.k) / s.seconds);
  }
  return best;
}

std::vector<double> errors(const KernelModel& model, const std::vector<KernelSample>& samples) {
  std::vector<double> result;
  for (const KernelSample& s : samples) {
    result.push_back(std::abs(model.seconds(s.m, s.n, s.k, s.batch) - s.seconds) / s.seconds);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

std::vector<KernelSample> shapes_of(const std::vector<std::int64_t>& sizes, int batch) {
  std::vector<KernelSample> shapes;
  for (const std::int64_t m : sizes) {
    for (const std::int64_t n : sizes) {
      for (const std::int64_t k : sizes) shapes.push_back({m, n, k, 0, batch});
    }
  }
  return shapes;
}

std::vector<std::int64_t> every_second(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> chosen;
  for (std::size_t i = (sizes.size() + 1) % 2; i < sizes.size(); i += 2) chosen.push_back(sizes[i]);
  return chosen.size() < 2 ? sizes : chosen;
}

KernelFit fit_kernel_model(const std::vector<KernelSample>& samples) {
  check(samples);
  const double per_flop = 1 / best_rate(samples);
  Vector best{};
  double least = std::numeric_limits<double>::infinity();
  for (const double half : {1.0, 10.0, 60.0}) {
    for (const double latency : {0.0, 1e-6, 1e-5}) {
      const Vector found = descend({per_flop, half, half, half, latency}, samples);
      if (const double reached = cost(found, samples); reached < least) {
        least = reached;
        best = found;
      }
    }
  }
  KernelFit fit;
  fit.model = model_of(best);
  const std::vector<double> sorted = errors(fit.model, samples);
  fit.median_error = sorted[sorted.size() / 2];
  fit.p90_error = sorted[sorted.size() * 9 / 10];
  return fit;
}

}  // namespace foretile
