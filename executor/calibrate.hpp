// Measuring the machine at hand, to write its platform file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "executor/fit.hpp"
#include "platforms/here.hpp"
#include "platforms/platform.hpp"

namespace foretile {

struct CalibrationOptions {
  /// Products of every m, n and k from this list are timed; the default takes about 15 s, and single
  /// precision on every second size 3 s more.
  std::vector<std::int64_t> sizes = {64, 128, 256, 512, 1024};
  double seconds_per_shape = 0.1;  ///< at least three products each, so large ones take longer
  /// Tiles of A, B and C are taken in turn from this much memory per core, so that they come from where those
  /// of a contraction come from: mostly not from the first caches.
  std::int64_t bytes_per_core = std::int64_t{48} << 20;
  std::int64_t bandwidth_bytes_per_core = std::int64_t{128} << 20;  ///< written in turn; beyond the caches
  double seconds_per_bandwidth = 0.5;                               ///< for generation and for copies
  std::function<void(std::size_t done, std::size_t all)> progress;  ///< after each shape; may be empty
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

struct CalibrationResult {
  MachineFacts facts;
  std::string cpu;      ///< model name as the system tells it
  std::string kernels;  ///< blas_kernels()
  std::string when;     ///< UTC, "2025-01-31 12:00"
  std::vector<KernelSample> samples;
  KernelFit fit;
  std::vector<KernelSample> single_samples;  ///< single precision: every second size
  KernelFit single_fit;
  double single_spread = 0;
  double kernel_spread = 0;  ///< relative spread of repeated products, median over the shapes
  double generation_bytes_per_s_per_core = 0;  ///< all cores busy
  double generation_spread = 0;                ///< relative
  double copy_bytes_per_s_per_core = 0;        ///< memcpy, bytes copied, all cores busy
  double copy_spread = 0;                      ///< relative spread of repeated copies
  double core_share = 1;  ///< part of the time for which the cores were ours; figures are processor time
  std::optional<MessageFigures> message;  ///< between two ranks; measured by who has MPI
};

/// Measures with one thread on every core that this process may use. Call choose_blas_kernels() before.
CalibrationResult calibrate(const CalibrationOptions& options = {});

/// The part of it that needs no products: generation and copies, with machine and time.
CalibrationResult calibrate_host(const CalibrationOptions& options = {});

struct CalibrationText {
  bool noise = false;        ///< whether [noise] gets the measured spreads; else it is off
  std::string samples_file;  ///< where the tables are, for a comment; empty: nowhere
};

/// A platform file with each figure's origin in a comment. Without a measured message it writes a guess and
/// says so.
std::string calibration_toml(const CalibrationResult& result, const CalibrationText& text = {});

/// The table [message], measured or guessed.
std::string message_toml(const CalibrationResult& result);

/// One line of printable characters, for a comment.
std::string printable(std::string text);

}  // namespace foretile
