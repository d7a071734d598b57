// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/fit.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/LevenbergMarquardt>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr Eigen::Index parameters = 5;  // seconds per flop, half_m, half_n, half_k, latency
using Parameters = Eigen::Vector<double, parameters>;

KernelModel model_of(const Parameters& x) {
  return {.rate_flops_per_s = 1 / x[0],
          .half_m = x[1],
          .half_n = x[2],
          .half_k = x[3],
          .latency_s = x[4],
          .streams = 1};
}

double log_ratio(const Parameters& x, const KernelSample& s) {
  return std::log(model_of(x).seconds(s.m, s.n, s.k, s.batch) / s.seconds);
}

/// Derivatives of the model's logarithm: for t = latency + work, d log t = d t / t.
Parameters gradient(const Parameters& x, const KernelSample& s) {
  const double total = model_of(x).seconds(s.m, s.n, s.k, s.batch);
  const double work = total - x[4];
  const auto half = [&](double parameter, std::int64_t size) {
    return work / total / (static_cast<double>(size) + parameter);
  };
  return {work / total / x[0], half(x[1], s.m), half(x[2], s.n), half(x[3], s.k), 1 / total};
}

/// Small or noisy samples leave the rate open: large half sizes make up for any. It stays within this factor
/// of the best sample's, so that no fit names a rate that no machine has.
constexpr double kMostRate = 100;

/// What Eigen minimizes. Its unknowns y have no bounds; the parameters are least + unit y^2, which is never
/// below `least`. The units bring all y near 1: parameters differ by 15 orders of magnitude.
class LogRatios : public Eigen::DenseFunctor<double> {
 public:
  LogRatios(const std::vector<KernelSample>& samples, double best_rate)
      : DenseFunctor(parameters, static_cast<int>(samples.size())), samples_(samples) {
    least_[0] = 1 / best_rate / kMostRate;
    unit_[0] = 1 / best_rate;
  }

  Parameters parameters_at(const Eigen::VectorXd& y) const {
    return least_.array() + unit_.array() * y.array().square();
  }
  /// What is a millionth of its unit or less is 0.
  Parameters rounded(const Parameters& x) const { return ((x.array() / unit_.array()) > 1e-6).select(x, 0); }
  Eigen::VectorXd unknowns_at(const Parameters& x) const {
    return ((x - least_).array() / unit_.array()).sqrt();
  }

  int operator()(const Eigen::VectorXd& y, Eigen::VectorXd& residuals) const {
    const Parameters x = parameters_at(y);
    for (std::size_t i = 0; i < samples_.size(); ++i)
      residuals[static_cast<Eigen::Index>(i)] = log_ratio(x, samples_[i]);
    return 0;
  }
  int df(const Eigen::VectorXd& y, Eigen::MatrixXd& jacobian) const {
    const Parameters x = parameters_at(y);
    const Eigen::VectorXd chain = 2 * unit_.array() * y.array();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      jacobian.row(static_cast<Eigen::Index>(i)) = gradient(x, samples_[i]).cwiseProduct(chain).transpose();
    }
    return 0;
  }

 private:
  const std::vector<KernelSample>& samples_;
  Parameters least_ = Parameters::Zero();
  Parameters unit_{0, 10, 10, 10, 1e-6};
};

struct Descent {
  Parameters found;
  double norm = 0;  // of the residuals
};

Descent descend(const Parameters& start, const std::vector<KernelSample>& samples, double best_rate) {
  LogRatios ratios(samples, best_rate);
  Eigen::VectorXd y = ratios.unknowns_at(start);
  Eigen::LevenbergMarquardt<LogRatios> solver(ratios);
  solver.setFtol(1e-12);
  solver.setXtol(1e-12);
  solver.minimize(y);
  return {ratios.rounded(ratios.parameters_at(y)), solver.fnorm()};
}

void check(const std::vector<KernelSample>& samples) {
  if (std::ssize(samples) < parameters) {
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
  const double rate = best_rate(samples);
  Descent best{Parameters::Zero(), std::numeric_limits<double>::infinity()};
  for (const double half : {1.0, 10.0, 60.0}) {
    for (const double latency : {1e-8, 1e-6, 1e-5}) {
      const Descent reached = descend({1 / rate, half, half, half, latency}, samples, rate);
      if (reached.norm < best.norm) best = reached;
    }
  }
  if (best.found[0] == 0) throw WorkError("the kernel model fits none of these times");
  KernelFit fit;
  fit.model = model_of(best.found);
  set_errors(fit, samples);
  return fit;
}

KernelFit with_size_factors(KernelFit fit, const std::vector<KernelSample>& samples) {
  constexpr Eigen::Index sizes = kFactorSizes.size();
  constexpr double stiffness = 1e-3;  // of the ties between neighbours, against one sample
  Eigen::Matrix<double, sizes, sizes> normal = Eigen::Matrix<double, sizes, sizes>::Zero();
  Eigen::Vector<double, sizes> right = Eigen::Vector<double, sizes>::Zero();
  for (Eigen::Index i = 0; i + 1 < sizes; ++i) {
    normal.block<2, 2>(i, i) += stiffness * Eigen::Matrix2d{{1, -1}, {-1, 1}};
  }
  fit.model.factors.fill(1);
  for (const KernelSample& s : samples) {
    const double work = s.batch * fit.model.work_seconds(s.m, s.n, s.k);
    const double measured = std::max(s.seconds - fit.model.start_seconds(), s.seconds / 20);
    const double log_factor = std::log(measured / work);
    const double trust = weight_of_shape(s);
    const auto [below, share] = factor_place(s.m, s.n, s.k);
    const auto place = static_cast<Eigen::Index>(below);
    const Eigen::Vector2d weights(1 - share, share);
    right.segment<2>(place) += trust * log_factor * weights;
    normal.block<2, 2>(place, place) += trust * weights * weights.transpose();
  }
  const Eigen::Vector<double, sizes> logs = normal.ldlt().solve(right);
  for (Eigen::Index i = 0; i < sizes; ++i)
    fit.model.factors.at(static_cast<std::size_t>(i)) = std::exp(logs[i]);
  set_errors(fit, samples);
  return fit;
}

std::optional<HeldOut> held_out_error(const std::vector<KernelSample>& samples) {
  std::vector<KernelSample> fitted, others;
  for (std::size_t i = 0; i < samples.size(); ++i) (i % 2 == 0 ? fitted : others).push_back(samples[i]);
  if (std::ssize(fitted) < parameters || others.empty()) return std::nullopt;
  KernelFit fit = with_size_factors(fit_kernel_model(fitted), fitted);
  set_errors(fit, others);
  return HeldOut{fit.median_error, fit.p90_error};
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
