// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/error.hpp"
#include "executor/calibration/core_products.hpp"
#include "executor/calibration/measure.hpp"
#include "executor/calibration/measure_cache.hpp"
#include "executor/calibration/probe.hpp"
#include "executor/cpu/combine.hpp"
#include "executor/cpu/tile_kernel.hpp"
#include "executor/generate.hpp"

namespace foretile {

namespace {

/// Times of all shapes, round after round. The machine's speed changes from second to second where others use
/// it, too: a probe stands between every few shapes, and their times are taken at its rate.
class Rounds {
 public:
  Rounds(const CalibrationOptions& options, Precision precision, std::vector<Workspace>& spaces,
         std::vector<KernelSample>& samples)
      : options_(options),
        precision_(precision),
        spaces_(spaces),
        samples_(samples),
        times_(samples.size()),
        rates_(samples.size()),
        probe_(cores()) {}

  void measure() {
    ratios_.clear();
    double before = probe();
    for (std::size_t first = 0; first < samples_.size();) {
      const std::size_t end = measure_group(first);
      const double after = probe();
      for (std::size_t i = first; i < end; ++i) {
        rates_[i].push_back((before + after) / 2);
        ratios_.push_back(times_[i].back() * rates_[i].back() / (times_[i].front() * rates_[i].front()));
      }
      first = end;
      before = after;
    }
    shifts_.push_back(summarize(ratios_).median);
  }

  /// What the probes gave for one core with all busy.
  double probe_flops_per_s() const { return summarize(probes_).median; }

  /// Each shape gets the median of its rounds, all at this rate of the probe.
  void finish(double probe_flops_per_s) {
    for (std::size_t i = 0; i < samples_.size(); ++i)
      samples_[i].seconds = median_at_rate(times_[i], rates_[i], probe_flops_per_s);
  }

  /// Between the last three rounds, in the median over the shapes.
  double difference() const {
    const auto first = shifts_.end() - std::min<std::ptrdiff_t>(3, std::ssize(shifts_));
    return *std::max_element(first, shifts_.end()) / *std::min_element(first, shifts_.end()) - 1;
  }
  bool stable() const { return shifts_.size() >= 3 && difference() <= kStable; }
  double core_share() const { return summarize(shares_).median; }
  int count() const { return static_cast<int>(shifts_.size()); }

 private:
  int cores() const { return static_cast<int>(spaces_.size()); }

  double probe() {
    probes_.push_back(probe_.flops_per_s(std::min(kShortProbe_s, options_.settle_s)) / cores());
    return probes_.back();
  }

  /// Shapes from `first` on for about kGroup_s. Returns the first one that is left.
  std::size_t measure_group(std::size_t first) {
    const Repetition repetition{cores(), options_.seconds_per_shape, 1};
    std::size_t i = first;
    for (double elapsed_s = 0; i < samples_.size() && elapsed_s < kGroup_s; ++i) {
      const Timing timing = time_product(repetition, spaces_, {precision_}, samples_[i]);
      const Summary time = summarize(timing.seconds);
      times_[i].push_back(mean_of(timing.seconds));
      samples_[i].spread = time.spread / time.median;
      shares_.push_back(timing.core_share);
      elapsed_s += timing.elapsed_s / cores();
    }
    return i;
  }

  static constexpr double kGroup_s = 0.5;
  static constexpr double kShortProbe_s = 0.1;

  const CalibrationOptions& options_;
  Precision precision_;
  std::vector<Workspace>& spaces_;
  std::vector<KernelSample>& samples_;
  std::vector<std::vector<double>> times_;  // by shape and round
  std::vector<std::vector<double>> rates_;  // and of the probes before and after them
  Probe probe_;
  std::vector<double> probes_;
  std::vector<double> ratios_;  // of this round's times to those of the first, at one rate
  std::vector<double> shifts_;  // their medians
  std::vector<double> shares_;
};

double median_spread(const std::vector<KernelSample>& samples) {
  std::vector<double> spreads;
  for (const KernelSample& s : samples) spreads.push_back(s.spread);
  return summarize(spreads).median;
}

/// One core alone against one of all, in pairs.
class SoloSpeedup {
 public:
  void measure(int cores, double seconds) {
    const double all = probe_flops_per_s(cores, seconds) / cores;
    ratios_.push_back(probe_flops_per_s(1, seconds) / all);
  }
  double median() const { return std::max(1.0, summarize(ratios_).median); }

 private:
  std::vector<double> ratios_;
};

/// Twice the last cache, shared by the cores; at most an eighth of the memory.
std::int64_t beyond_the_caches(const MachineFacts& facts) {
  const std::int64_t cache = std::max<std::int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), std::int64_t{32} << 20);
  const std::int64_t wanted = std::max(2 * cache / facts.cores, std::int64_t{48} << 20);
  return std::max(std::min(wanted, facts.memory_bytes / 8 / facts.cores), std::int64_t{4} << 20);
}

void measure_double(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                    CalibrationResult& result) {
  fill(spaces, Precision::f64);
  result.samples = shapes_of(options.sizes);
  for (const std::int64_t size : options.cubes) result.samples.push_back({size, size, size});
  probe_flops_per_s(result.facts.cores, options.settle_s);
  Rounds rounds(options, Precision::f64, spaces, result.samples);
  SoloSpeedup solo;
  while (rounds.count() < options.least_rounds ||
         (!rounds.stable() && rounds.count() < options.most_rounds)) {
    solo.measure(result.facts.cores, std::min(kProbe_s, options.settle_s));
    rounds.measure();
    solo.measure(result.facts.cores, std::min(kProbe_s, options.settle_s));
    if (options.progress) options.progress(rounds.count(), options.most_rounds);
  }
  result.probe_flops_per_s = rounds.probe_flops_per_s();
  rounds.finish(result.probe_flops_per_s);
  result.fit = with_size_factors(fit_kernel_model(result.samples), result.samples);
  result.held_out = held_out_error(result.samples);
  result.kernel_spread = median_spread(result.samples);
  result.core_share = std::min(rounds.core_share(), 1.0);
  result.rounds = rounds.count();
  result.stable = rounds.stable();
  result.round_spread = rounds.difference();
  if (options.cache) result.cache = measure_cache(spaces, {.seconds = options.seconds_per_cached_product});
  result.solo_speedup = solo.median();
}

void measure_single(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                    CalibrationResult& result) {
  fill(spaces, Precision::f32);
  result.single_samples = shapes_of(every_second(options.sizes));
  Rounds rounds(options, Precision::f32, spaces, result.single_samples);
  for (int round = 0; round < options.least_rounds; ++round) rounds.measure();
  rounds.finish(result.probe_flops_per_s);
  result.single_fit = with_size_factors(fit_kernel_model(result.single_samples), result.single_samples);
  result.single_spread = median_spread(result.single_samples);
}

/// Real and complex products in pairs, because the machine's speed changes; the median over cubes and rounds.
double measure_complex(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                       Precision precision) {
  constexpr std::array<std::int64_t, 4> cubes{64, 160, 256, 512};
  const auto room = static_cast<std::int64_t>(spaces.front().a.size() * sizeof(double));
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds_per_shape, 1};
  std::vector<double> ratios;
  for (const std::int64_t cube : cubes) {
    if (cube * cube * ElementType{precision, true}.bytes() > room) continue;
    const KernelSample shape{cube, cube, cube};
    for (int round = 0; round < options.least_rounds; ++round) {
      const double real_s = mean_of(time_product(repetition, spaces, {precision}, shape).seconds);
      const double complex_s = mean_of(time_product(repetition, spaces, {precision, true}, shape).seconds);
      ratios.push_back(complex_s / (4 * real_s));
    }
  }
  return ratios.empty() ? 1 : std::clamp(summarize(ratios).median, 0.1, 10.0);
}

void measure_products(const CalibrationOptions& options, CalibrationResult& result) {
  const std::int64_t bytes =
      options.bytes_per_core > 0 ? options.bytes_per_core : beyond_the_caches(result.facts);
  std::int64_t largest = 0;
  for (const auto* sizes : {&options.sizes, &options.cubes}) {
    for (const std::int64_t size : *sizes) largest = std::max(largest, size);
  }
  std::vector<Workspace> spaces = make_workspaces(result.facts.cores, bytes, largest);
  measure_double(options, spaces, result);
  result.fit.model.complex_factor = measure_complex(options, spaces, Precision::f64);
  measure_single(options, spaces, result);
  result.single_fit.model.complex_factor = measure_complex(options, spaces, Precision::f32);
}

/// Memory of one core for bandwidths.
struct Buffers {
  std::vector<double> from, to;
};

std::vector<Buffers> make_buffers(const CalibrationOptions& options, const MachineFacts& facts) {
  const std::int64_t bytes =
      options.bandwidth_bytes_per_core > 0 ? options.bandwidth_bytes_per_core : beyond_the_caches(facts);
  const auto elements = static_cast<std::size_t>(bytes) / sizeof(double) / 2;
  return std::vector<Buffers>(static_cast<std::size_t>(facts.cores),
                              {std::vector<double>(elements), std::vector<double>(elements)});
}

constexpr std::size_t piece = 1 << 17;  // elements made, copied or added at once: tiles of a megabyte

/// Bytes per second at which each core works through its memory, a piece at a time.
Summary bandwidth_of(const CalibrationOptions& options, std::vector<Buffers>& buffers,
                     const std::function<void(Buffers&, std::size_t at, int i)>& work) {
  const Repetition repetition{static_cast<int>(buffers.size()), options.seconds_per_bandwidth, 3};
  const std::size_t pieces = buffers[0].to.size() / piece;
  Timing timing = time_on_all_cores(repetition, [&](int core, int i) {
    work(buffers[static_cast<std::size_t>(core)], static_cast<std::size_t>(i) % pieces * piece, i);
  });
  const double mean_s = mean_of(timing.seconds);  // a run pays the slow pieces too
  for (double& value : timing.seconds) value = piece * sizeof(double) / value;
  return {piece * sizeof(double) / mean_s, summarize(timing.seconds).spread};
}

/// A tile that is added to another, from both buffers.
void add_piece(Buffers& mine, std::size_t at, std::size_t elements) {
  const std::int64_t extent = static_cast<std::int64_t>(elements);
  combine_tile({Precision::f64}, {&extent, 1}, {}, 1, 1,
               reinterpret_cast<const std::byte*>(mine.from.data() + at),
               reinterpret_cast<std::byte*>(mine.to.data() + at));
}

/// Tiles of four indices in orders that contractions of coupled cluster have; no extent is a multiple of a
/// cache line. Less than a piece.
double permuted_addition_rate(const CalibrationOptions& options, std::vector<Buffers>& buffers) {
  static constexpr std::array<std::int64_t, 4> kExtents{19, 19, 19, 19};
  static constexpr std::array<std::array<int, 4>, 6> kOrders{
      {{1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}, {2, 1, 0, 3}, {0, 2, 1, 3}, {3, 2, 1, 0}}};
  constexpr double kPart = 19.0 * 19 * 19 * 19 / piece;
  const Summary pieces = bandwidth_of(options, buffers, [](Buffers& mine, std::size_t at, int i) {
    combine_tile({Precision::f64}, kExtents, kOrders.at(static_cast<std::size_t>(i) % kOrders.size()), 1, 1,
                 reinterpret_cast<const std::byte*>(mine.from.data() + at),
                 reinterpret_cast<std::byte*>(mine.to.data() + at));
  });
  return kPart * pieces.median;
}

/// Tiles that go round in half of each core's part of the cache.
double cached_addition_rate(const CalibrationOptions& options, const CacheModel& cache,
                            std::vector<Buffers>& buffers) {
  const auto half = static_cast<std::size_t>(cache.bytes) / sizeof(double) / 2;
  const std::size_t each = std::min(half / 2, buffers[0].to.size());  // of either operand
  const std::size_t elements = std::min(each, piece);
  if (elements == 0) return 0;
  const Repetition repetition{static_cast<int>(buffers.size()), options.seconds_per_bandwidth, 3};
  const Timing timing = time_on_all_cores(repetition, [&](int core, int i) {
    const std::size_t at = static_cast<std::size_t>(i) % (each / elements) * elements;
    add_piece(buffers[static_cast<std::size_t>(core)], at, elements);
  });
  return static_cast<double>(elements * sizeof(double)) / mean_of(timing.seconds);
}

void measure_additions(const CalibrationOptions& options, std::vector<Buffers>& buffers,
                       CalibrationResult& result) {
  const Summary added =
      bandwidth_of(options, buffers, [](Buffers& mine, std::size_t at, int) { add_piece(mine, at, piece); });
  result.addition_bytes_per_s_per_core = added.median;
  result.addition_spread = added.spread / added.median;
  result.cached_addition_bytes_per_s_per_core = cached_addition_rate(options, result.cache, buffers);
  result.permuted_addition_bytes_per_s_per_core = permuted_addition_rate(options, buffers);
}

void measure_bandwidths(const CalibrationOptions& options, CalibrationResult& result) {
  std::vector<Buffers> buffers = make_buffers(options, result.facts);
  const Summary made = bandwidth_of(options, buffers, [](Buffers& mine, std::size_t at, int i) {
    generate_tile({mine.to.data() + at, piece}, tile_key(1, Operand::b, i), 1);
  });
  const Summary copied = bandwidth_of(options, buffers, [](Buffers& mine, std::size_t at, int) {
    std::memcpy(mine.to.data() + at, mine.from.data() + at, piece * sizeof(double));
  });
  result.generation_bytes_per_s_per_core = made.median;
  result.generation_spread = made.spread / made.median;
  result.copy_bytes_per_s_per_core = copied.median;
  result.copy_spread = copied.spread / copied.median;
  measure_additions(options, buffers, result);
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

void check(const CalibrationOptions& options) {
  for (const std::int64_t size : options.sizes) {
    if (size < 1 || size > 8192) throw input_error("calibration sizes", fmt::format("{}", size), "1 to 8192");
  }
  if (options.bandwidth_bytes_per_core != 0 && options.bandwidth_bytes_per_core < std::int64_t{2} << 20) {
    throw input_error("calibration memory", fmt::format("{} B", options.bandwidth_bytes_per_core),
                      "2 MiB per core or more");
  }
  if (options.sizes.size() < 2) throw input_error("calibration sizes", "fewer than two", "two or more");
}

CalibrationResult of_this_machine() {
  CalibrationResult result;
  result.facts = machine_facts();
  result.cpu = cpu_name();
  result.kernels = tile_kernels();
  result.when = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(std::time(nullptr)));
  return result;
}

}  // namespace

bool was_busy(const CalibrationResult& result) {
  return result.core_share < kLeastCoreShare;
}

CalibrationResult calibrate_host(const CalibrationOptions& options) {
  check(options);
  CalibrationResult result = of_this_machine();
  measure_bandwidths(options, result);
  return result;
}

CalibrationResult calibrate(const CalibrationOptions& options) {
  check(options);
  CalibrationResult result = of_this_machine();
  measure_products(options, result);
  measure_bandwidths(options, result);
  return result;
}

}  // namespace foretile
