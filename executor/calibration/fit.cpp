#include "executor/calibration/fit.hpp"

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
using SizedVector = std::array<double, kFactorSizes.size()>;
using SizedMatrix = std::array<SizedVector, kFactorSizes.size()>;

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

/// Solves A y = b by elimination with pivots; A is positive definite: by damping, or by ties between sizes.
template <std::size_t unknowns>
std::array<double, unknowns> solve(std::array<std::array<double, unknowns>, unknowns> a,
                                   std::array<double, unknowns> b) {
  for (std::size_t column = 0; column < unknowns; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < unknowns; ++row) {
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    }
    std::swap(a[column], a[pivot]);
    std::swap(b[column], b[pivot]);
    for (std::size_t row = column + 1; row < unknowns; ++row) {
      const double factor = a[row][column] / a[column][column];
      for (std::size_t j = column; j < unknowns; ++j) a[row][j] -= factor * a[column][j];
      b[row] -= factor * b[column];
    }
  }
  for (std::size_t row = unknowns; row-- > 0;) {
    for (std::size_t j = row + 1; j < unknowns; ++j) b[row] -= a[row][j] * b[j];
    b[row] /= a[row][row];
  }
  return b;
}

/// The parameters differ by 15 orders of magnitude; steps are taken in these units.
constexpr Vector scale = {1e-11, 10, 10, 10, 1e-6};

Vector step(const Vector& x, const std::vector<KernelSample>& samples, double damping,
            double least_seconds_per_flop) {
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
  next[0] = std::max({next[0], x[0] / 10, least_seconds_per_flop});
  return next;
}

/// Small or noisy samples leave the rate open: large half sizes make up for any. It stays within this factor
/// of the start's, so that no fit names a rate that no machine has.
constexpr double kMostRate = 100;

Vector descend(Vector x, const std::vector<KernelSample>& samples) {
  const double least_seconds_per_flop = x[0] / kMostRate;
  double damping = 1e-3;
  double best = cost(x, samples);
  for (int i = 0; i < 200 && damping < 1e12; ++i) {
    const Vector next = step(x, samples, damping, least_seconds_per_flop);
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

double ratio(const KernelModel& model, const KernelSample& s) {
  return model.seconds(s.m, s.n, s.k, s.batch) / s.seconds;
}

std::vector<double> errors(const KernelModel& model, const std::vector<KernelSample>& samples) {
  std::vector<double> result;
  for (const KernelSample& s : samples) {
    result.push_back(std::abs(ratio(model, s) - 1));
  }
  std::sort(result.begin(), result.end());
  return result;
}

void set_errors(KernelFit& fit, const std::vector<KernelSample>& samples) {
  const std::vector<double> sorted = errors(fit.model, samples);
  fit.median_error = sorted[sorted.size() / 2];
  fit.p90_error = sorted[sorted.size() * 9 / 10];
}

/// Most products of a contraction have extents within a factor of 3 of each other, and the table is to be
/// right for those: 0.5 where the largest extent is 2.9 times the smallest, 0.03 at 11 times.
double weight_of_shape(const KernelSample& s) {
  constexpr double width = 0.4;
  const auto [least, most] = std::minmax({s.m, s.n, s.k});
  const double log_ratio = std::log(static_cast<double>(most) / static_cast<double>(least)) / width;
  return std::exp(-0.5 * log_ratio * log_ratio);
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
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
  set_errors(fit, samples);
  return fit;
}

KernelFit with_size_factors(KernelFit fit, const std::vector<KernelSample>& samples) {
  constexpr std::size_t sizes = kFactorSizes.size();
  constexpr double stiffness = 1e-3;  // of the ties between neighbours, against one sample
  SizedMatrix normal{};
  SizedVector right{};
  for (std::size_t i = 0; i + 1 < sizes; ++i) {
    normal[i][i] += stiffness;
    normal[i + 1][i + 1] += stiffness;
    normal[i][i + 1] -= stiffness;
    normal[i + 1][i] -= stiffness;
  }
  fit.model.factors.fill(1);
  for (const KernelSample& s : samples) {
    const double work = s.batch * fit.model.work_seconds(s.m, s.n, s.k);
    const double measured = std::max(s.seconds - fit.model.start_seconds(), s.seconds / 20);
    const double log_factor = std::log(measured / work);
    const double trust = weight_of_shape(s);
    const auto [below, share] = factor_place(s.m, s.n, s.k);
    const std::array<std::pair<std::size_t, double>, 2> weights = {{{below, 1 - share}, {below + 1, share}}};
    for (const auto& [i, weight] : weights) {
      right[i] += trust * weight * log_factor;
      for (const auto& [j, other] : weights) normal[i][j] += trust * weight * other;
    }
  }
  const SizedVector logs = solve(normal, right);
  for (std::size_t i = 0; i < sizes; ++i) fit.model.factors[i] = std::exp(logs[i]);
  set_errors(fit, samples);
  return fit;
}

HeldOut held_out_error(const std::vector<KernelSample>& samples) {
  std::vector<KernelSample> fitted, others;
  for (std::size_t i = 0; i < samples.size(); ++i) (i % 2 == 0 ? fitted : others).push_back(samples[i]);
  if (fitted.size() < parameters || others.empty()) return {};
  KernelFit fit = with_size_factors(fit_kernel_model(fitted), fitted);
  set_errors(fit, others);
  return {fit.median_error, fit.p90_error};
}

std::vector<SizeError> errors_by_size(const KernelModel& model, const std::vector<KernelSample>& samples) {
  std::array<std::vector<double>, kFactorSizes.size()> ratios;
  for (const KernelSample& s : samples) {
    const auto [least, most] = std::minmax({s.m, s.n, s.k});
    if (most > 3 * least) continue;
    const auto [below, share] = factor_place(s.m, s.n, s.k);
    ratios.at(below + (share > 0.5 ? 1 : 0)).push_back(ratio(model, s) - 1);
  }
  std::vector<SizeError> found;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    std::vector<double>& of_size = ratios.at(i);
    if (of_size.empty()) continue;
    SizeError error{kFactorSizes.at(i), of_size.size(), 0, middle(of_size)};
    for (double& value : of_size) value = std::abs(value);
    error.median_error = middle(of_size);
    found.push_back(error);
  }
  return found;
}

}  // namespace foretile
