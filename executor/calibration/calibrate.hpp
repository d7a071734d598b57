// SPDX-License-Identifier: BSD-3-Clause
// Measuring the machine at hand, to write its platform file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time_budget.hpp"
#include "executor/calibration/fit.hpp"
#include "executor/calibration/probe.hpp"
#include "executor/calibration/rate_spread.hpp"
#include "platforms/here.hpp"
#include "platforms/platform.hpp"

namespace foretile {

struct CalibrationResult;

struct CalibrationOptions {
  /// For all of it. Where it is short there are fewer shapes and rounds, and what matters least is left out.
  TimeBudget budget = TimeBudget();
  /// Products of every m, n and k from this list are timed; single precision on every second size. With the
  /// default a round takes about 18 s.
  std::vector<std::int64_t> sizes = {18, 40, 90, 200, 450, 950, 2000};
  /// And of these sizes with m = n = k, which count most in the table of factors.
  std::vector<std::int64_t> cubes = {17,  21,  24,  28,  32,  37,  42,  48,  56,  64,  75,  88,  99, 103,
                                     112, 120, 128, 141, 151, 160, 176, 208, 230, 256, 330, 512, 700};
  double seconds_per_shape = 0.015;  ///< in each round; at least one product after the warm-up
  int least_rounds = 3;              ///< over all shapes, until three rounds in a row agree
  int most_rounds = 6;
  double settle_s = 1;  ///< products on all cores before the first round, until clocks have settled
  ProbeRound probe = {};
  /// Tiles of A, B and C are taken in turn from this much memory per core, so that they come from memory, as
  /// most of a contraction do. Bandwidths are measured in it, too. 0: twice the last cache for all cores
  /// together, less where the budget is short.
  std::int64_t bytes_per_core = 0;
  bool cache = true;                                      ///< whether DeviceModel::cache is measured, too
  double seconds_per_cached_product = 0.05;               ///< of about 150 such products
  double seconds_per_bandwidth = 0.5;                     ///< for generation and for copies
  std::function<void(const std::string& what)> progress;  ///< now and then, what is measured; may be empty
  /// When products and bandwidths are there, and all that follows has its default; may be empty.
  std::function<void(const CalibrationResult&)> essential;
};

/// Messages of one size between two ranks.
struct MessageSample {
  std::int64_t bytes = 0;
  double seconds = 0;  ///< one way, median
  double spread = 0;   ///< relative, from one to the next
};

struct MessageFigures {
  std::string when;  ///< UTC
  LinkModel link;    ///< latency of one word, bandwidth of 16 MB
  std::vector<MessageSample> samples;
};

/// What foretile-run takes beyond products, generation and the wire.
struct RuntimeFigures {
  std::string when;                      ///< UTC
  double operation_overhead_s = 0;       ///< Runtime::operation_overhead_s
  double product_overhead_s = 0;         ///< Runtime::product_overhead_s
  double shared_product_overhead_s = 0;  ///< Runtime::shared_product_overhead_s
  double load_overhead_s = 0;            ///< Runtime::load_overhead_s
  double store_overhead_s = 0;           ///< Runtime::store_overhead_s
  double overhead_spread = 0;            ///< relative, from run to run
  double message_copy_bytes_per_s = 0;   ///< Runtime::message_copy_bytes_per_s; 0: not measured
  double look_overhead_s = 0;            ///< Runtime::look_overhead_s
  double polling_delay_s = 0;            ///< Runtime::polling_delay_s; 0: not measured
};

/// Largest difference between three rounds in a row that agree, in the median over the shapes.
inline constexpr double kStable = 0.03;
/// Cores that were ours for less of the time make a calibration worthless.
inline constexpr double kLeastCoreShare = 0.9;

struct CalibrationResult {
  MachineFacts facts;
  std::string cpu;      ///< model name as the system tells it
  std::string kernels;  ///< tile_kernels()
  std::string when;     ///< UTC, "2025-01-31 12:00"
  std::vector<KernelSample> samples;
  KernelFit fit;
  std::vector<KernelSample> single_samples;  ///< single precision: every second size
  KernelFit single_fit;
  double single_spread = 0;
  double kernel_spread = 0;  ///< relative spread of repeated products, median over the shapes
  double generation_bytes_per_s_per_core = 0;         ///< all cores busy
  double generation_spread = 0;                       ///< relative
  double copy_bytes_per_s_per_core = 0;               ///< memcpy, bytes copied, all cores busy
  double copy_spread = 0;                             ///< relative spread of repeated copies
  double addition_bytes_per_s_per_core = 0;           ///< of tiles in memory, all cores busy
  double addition_spread = 0;                         ///< relative spread of repeated additions
  double cached_addition_bytes_per_s_per_core = 0;    ///< of tiles in `cache`; 0: that was not measured
  double permuted_addition_bytes_per_s_per_core = 0;  ///< indices in another order, of tiles in memory
  double core_share = 1;    ///< part of the time for which the cores were ours while all were measured
  int rounds = 0;           ///< over all shapes
  bool stable = true;       ///< the last three rounds agreed within kStable
  double round_spread = 0;  ///< largest less smallest of the last three rounds, relative
  RateSpread rate_spread;   ///< of the probes between products
  std::vector<double> core_speeds;  ///< Platform::device_speeds; `fit` and `single_fit` are of the fastest
  std::optional<HeldOut> held_out;  ///< double precision
  double probe_flops_per_s = 0;     ///< of one core with all busy (executor/calibration/probe.hpp)
  double solo_speedup = 1;          ///< Platform::solo_speedup
  CacheModel cache;                 ///< DeviceModel::cache
  /// For lack of time, in words: "single precision, taken as twice as fast as double".
  std::vector<std::string> left_out;
  std::optional<RuntimeFigures> runtime;  ///< measured by who has MPI
  std::optional<MessageFigures> message;  ///< between two ranks; measured by who has MPI
};

/// Measures with one thread on every core that this process may use. Call choose_blas_kernels() before.
CalibrationResult calibrate(const CalibrationOptions& options = {});

/// The part of it that needs no products: generation and copies, with machine and time.
CalibrationResult calibrate_host(const CalibrationOptions& options = {});

/// Whether other work took the cores while they were measured.
bool was_busy(const CalibrationResult& result);

struct CalibrationText {
  bool noise = false;        ///< whether [noise] gets the measured spreads; else it is off
  std::string samples_file;  ///< where the tables are, for a comment; empty: nowhere
};

/// A platform file with each figure's origin in a comment. Without a measured message it writes a guess and
/// says so.
std::string calibration_toml(const CalibrationResult& result, const CalibrationText& text = {});

/// The table [message], measured or guessed.
std::string message_toml(const CalibrationResult& result);

/// The table [addition]; empty where it was not measured.
std::string addition_toml(const CalibrationResult& result);

/// One line of printable characters, for a comment.
std::string printable(std::string text);

}  // namespace foretile
