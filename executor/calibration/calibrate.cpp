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
#include "executor/calibration/rate_spread.hpp"
#include "executor/calibration/round_plan.hpp"
#include "executor/cpu/combine.hpp"
#include "executor/cpu/tile_kernel.hpp"
#include "executor/tiles/generate.hpp"

namespace foretile {

namespace {

/// Times of all shapes, round after round. The machine's speed changes from second to second where others use
/// it, too: a probe stands between every few shapes, and their times are taken at its rate.
class Rounds {
 public:
  Rounds(const CalibrationOptions& options, Precision precision, std::vector<Workspace>& spaces, Probe& probe,
         double probe_s)
      : options_(options), precision_(precision), spaces_(spaces), probe_(probe), probe_s_(probe_s) {}

  /// `plan`: what the first round measures, and the later ones again, as far as their time goes.
  void measure(const RoundPlan& plan, const TimeBudget& budget) {
    if (count() == 0) begin(plan);
    ratios_.clear();
    double before = probe();
    for (std::size_t first = 0; first < samples_.size() && !is_over(first, budget);) {
      const std::size_t end = measure_group(first, plan.seconds_per_shape, budget);
      const double after = probe();
      for (std::size_t i = first; i < end; ++i) {
        rates_[i].push_back((before + after) / 2);
        ratios_.push_back(times_[i].back() * rates_[i].back() / (times_[i].front() * rates_[i].front()));
      }
      first = end;
      before = after;
    }
    if (count() == 0) drop_unmeasured();
    shifts_.push_back(ratios_.empty() ? 1 : summarize(ratios_).median);
  }

  /// What the probes gave for one core with all busy.
  double probe_flops_per_s() const { return summarize(probes_).median; }

  /// Over all rounds.
  RateSpread rate_spread(const std::vector<double>& speeds) const {
    return foretile::rate_spread(probes_of_cores_, kWindow, speeds);
  }
  /// Of few probes it is not known.
  std::vector<double> core_speeds() const {
    return probes_of_cores_.size() < kProbesOfSpeeds ? std::vector<double>{}
                                                     : foretile::core_speeds(probes_of_cores_);
  }

  /// Each shape gets the median of its rounds, all at this rate of the probe.
  std::vector<KernelSample> finish(double probe_flops_per_s) {
    for (std::size_t i = 0; i < samples_.size(); ++i)
      samples_[i].seconds = median_at_rate(times_[i], rates_[i], probe_flops_per_s);
    return samples_;
  }

  /// Between the last three rounds, in the median over the shapes.
  double difference() const {
    const auto first = shifts_.end() - std::min<std::ptrdiff_t>(3, std::ssize(shifts_));
    return *std::max_element(first, shifts_.end()) / *std::min_element(first, shifts_.end()) - 1;
  }
  bool stable() const { return shifts_.size() >= 3 && difference() <= kStable; }
  double core_share() const { return shares_.empty() ? share_.value() : summarize(shares_).median; }
  int count() const { return static_cast<int>(shifts_.size()); }

 private:
  int cores() const { return static_cast<int>(spaces_.size()); }

  void begin(const RoundPlan& plan) {
    samples_ = plan.shapes;
    times_.resize(samples_.size());
    rates_.resize(samples_.size());
  }

  /// The first round measures enough for a curve whatever the time.
  bool is_over(std::size_t next, const TimeBudget& budget) const {
    return (count() > 0 || next >= kLeastShapes) && budget.over();
  }

  void drop_unmeasured() {
    const auto last = std::find_if(times_.begin(), times_.end(), [](const auto& t) { return t.empty(); });
    const auto measured = static_cast<std::size_t>(last - times_.begin());
    samples_.resize(measured);
    times_.resize(measured);
    rates_.resize(measured);
  }

  double probe() {
    ProbeRates rates = probe_.rates(probe_s_);
    probes_.push_back(rates.all / cores());
    probes_of_cores_.push_back(std::move(rates.of_each));
    return probes_.back();
  }

  /// Shapes from `first` on for about kGroup_s. Returns the first one that is left.
  std::size_t measure_group(std::size_t first, double seconds_per_shape, const TimeBudget& budget) {
    const Repetition repetition{cores(), seconds_per_shape, 1};
    std::size_t i = first;
    for (double elapsed_s = 0; i < samples_.size() && elapsed_s < kGroup_s && !is_over(i, budget); ++i) {
      const Timing timing = time_product(repetition, spaces_, {precision_}, samples_[i]);
      const Summary time = summarize(timing.seconds);
      times_[i].push_back(mean_of(timing.seconds));
      samples_[i].spread = time.spread / time.median;
      add_share(timing);
      elapsed_s += timing.elapsed_s / cores();
    }
    if (options_.progress)
      options_.progress(fmt::format("{} precision, round {}, shape {} of {}",
                                    precision_ == Precision::f64 ? "double" : "single", count() + 1, i,
                                    samples_.size()));
    return i;
  }

  /// Other work has a core for some milliseconds at a time, longer than a short shape takes.
  void add_share(const Timing& timing) {
    constexpr double kWindow_s = 0.02;
    share_.cpu_s += timing.core_share * timing.elapsed_s;
    share_.elapsed_s += timing.elapsed_s;
    if (share_.elapsed_s < kWindow_s * cores()) return;
    shares_.push_back(share_.value());
    share_ = {};
  }

  struct Share {
    double cpu_s = 0, elapsed_s = 0;  ///< of all cores
    double value() const { return elapsed_s > 0 ? cpu_s / elapsed_s : 1; }
  };

  static constexpr double kGroup_s = 0.5;
  static constexpr std::size_t kWindow = 4;  // probes, kGroup_s apart: the time of a short run
  static constexpr std::size_t kProbesOfSpeeds = 24;

  const CalibrationOptions& options_;
  Precision precision_;
  std::vector<Workspace>& spaces_;
  Probe& probe_;
  double probe_s_;
  std::vector<KernelSample> samples_;
  std::vector<std::vector<double>> times_;  // by shape and round
  std::vector<std::vector<double>> rates_;  // and of the probes before and after them
  std::vector<double> probes_;
  std::vector<std::vector<double>> probes_of_cores_;
  std::vector<double> ratios_;  // of this round's times to those of the first, at one rate
  std::vector<double> shifts_;  // their medians
  Share share_;                 // of the cores, since the last of:
  std::vector<double> shares_;
};

double median_spread(const std::vector<KernelSample>& samples) {
  std::vector<double> spreads;
  for (const KernelSample& s : samples) spreads.push_back(s.spread);
  return summarize(spreads).median;
}

/// Without the table of factors where it would have about as many figures as there are samples.
KernelFit fit_of(const std::vector<KernelSample>& samples) {
  const KernelFit curve = fit_kernel_model(samples);
  return samples.size() < 2 * kFactorSizes.size() ? curve : with_size_factors(curve, samples);
}

/// One core alone against one of all, in pairs.
class SoloSpeedup {
 public:
  SoloSpeedup(Probe& all, int cores, const ProbeRound& round) : all_(all), one_(1, round), cores_(cores) {}

  void measure(double seconds) {
    const double all = all_.flops_per_s(seconds) / cores_;
    ratios_.push_back(one_.flops_per_s(seconds) / all);
  }
  double median() const { return std::max(1.0, summarize(ratios_).median); }

 private:
  Probe& all_;
  Probe one_;
  int cores_;
  std::vector<double> ratios_;
};

/// Twice the last cache, shared by the cores; at most an eighth of the memory.
std::int64_t beyond_the_caches(const MachineFacts& facts) {
  const std::int64_t cache = std::max<std::int64_t>(sysconf(_SC_LEVEL3_CACHE_SIZE), std::int64_t{32} << 20);
  const std::int64_t wanted = std::max(2 * cache / facts.cores, std::int64_t{48} << 20);
  return std::max(std::min(wanted, facts.memory_bytes / 8 / facts.cores), std::int64_t{4} << 20);
}

constexpr std::size_t piece = 1 << 17;  // elements made, copied or added at once: tiles of a megabyte

/// Of A, B and C of each core.
std::int64_t workspace_bytes(const CalibrationOptions& options, const MachineFacts& facts) {
  constexpr std::int64_t kLeast = 3 * std::int64_t{piece} * std::int64_t{sizeof(double)};
  if (options.bytes_per_core > 0) return std::max(options.bytes_per_core, kLeast);
  // New memory comes from a busy system at no more than this, and may take a tenth of the time.
  constexpr double kTouched_bytes_per_s = 4e8;
  const double in_time = 0.1 * options.budget.left() * kTouched_bytes_per_s / facts.cores;
  const double wanted = static_cast<double>(beyond_the_caches(facts));
  return std::max(static_cast<std::int64_t>(std::min(wanted, in_time)), kLeast);
}

/// Bytes per second at which each core works through its memory, a piece at a time.
Summary bandwidth_of(double seconds, std::vector<Workspace>& spaces,
                     const std::function<void(Workspace&, std::size_t at, int i)>& work) {
  const Repetition repetition{static_cast<int>(spaces.size()), seconds, 3};
  const std::size_t pieces = spaces[0].c.size() / piece;
  Timing timing = time_on_all_cores(repetition, [&](int core, int i) {
    work(spaces[static_cast<std::size_t>(core)], static_cast<std::size_t>(i) % pieces * piece, i);
  });
  const double mean_s = mean_of(timing.seconds);  // a run pays the slow pieces too
  for (double& value : timing.seconds) value = piece * sizeof(double) / value;
  return {piece * sizeof(double) / mean_s, summarize(timing.seconds).spread};
}

/// A tile that is added to another.
void add_piece(Workspace& mine, std::size_t at, std::size_t elements) {
  const std::int64_t extent = static_cast<std::int64_t>(elements);
  combine_tile({Precision::f64}, {&extent, 1}, {}, 1, 1,
               reinterpret_cast<const std::byte*>(mine.a.data() + at),
               reinterpret_cast<std::byte*>(mine.c.data() + at));
}

/// Tiles of four indices in orders that contractions of coupled cluster have; no extent is a multiple of a
/// cache line. Less than a piece.
double permuted_addition_rate(double seconds, std::vector<Workspace>& spaces) {
  static constexpr std::array<std::int64_t, 4> kExtents{19, 19, 19, 19};
  static constexpr std::array<std::array<int, 4>, 6> kOrders{
      {{1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}, {2, 1, 0, 3}, {0, 2, 1, 3}, {3, 2, 1, 0}}};
  constexpr double kPart = 19.0 * 19 * 19 * 19 / piece;
  const Summary pieces = bandwidth_of(seconds, spaces, [](Workspace& mine, std::size_t at, int i) {
    combine_tile({Precision::f64}, kExtents, kOrders.at(static_cast<std::size_t>(i) % kOrders.size()), 1, 1,
                 reinterpret_cast<const std::byte*>(mine.a.data() + at),
                 reinterpret_cast<std::byte*>(mine.c.data() + at));
  });
  return kPart * pieces.median;
}

/// Tiles that go round in half of each core's part of the cache.
double cached_addition_rate(double seconds, const CacheModel& cache, std::vector<Workspace>& spaces) {
  const auto half = static_cast<std::size_t>(cache.bytes) / sizeof(double) / 2;
  const std::size_t each = std::min(half / 2, spaces[0].c.size());  // of either operand
  const std::size_t elements = std::min(each, piece);
  if (elements == 0) return 0;
  const Repetition repetition{static_cast<int>(spaces.size()), seconds, 3};
  const Timing timing = time_on_all_cores(repetition, [&](int core, int i) {
    const std::size_t at = static_cast<std::size_t>(i) % (each / elements) * elements;
    add_piece(spaces[static_cast<std::size_t>(core)], at, elements);
  });
  return static_cast<double>(elements * sizeof(double)) / mean_of(timing.seconds);
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

/// What a calibration measures of cores, one after the other.
class CoreCalibrator {
 public:
  explicit CoreCalibrator(const CalibrationOptions& options) : options_(options), result_(of_this_machine()) {
    make_spaces();
  }

  CalibrationResult host() {
    bandwidths(options_.budget.left());
    additions(options_.budget.left());
    return std::move(result_);
  }

  CalibrationResult all() {
    std::vector<Part> parts = {
        {"products", 68, 0, {}, [this](const TimeBudget& budget) { products(budget); }},
        {"bandwidths", 5, 0, {}, [this](const TimeBudget& budget) { bandwidths(budget.left()); }},
        {"additions",
         3,
         0,
         {},
         [this](const TimeBudget& budget) {
           additions(budget.left());
           if (options_.essential) options_.essential(result_);
         }},
        {"complex products", 3, 0.05, "complex products, taken as four real ones",
         [this](const TimeBudget& budget) {
           result_.fit.model.complex_factor = complex_factor(Precision::f64, budget);
         }}};
    if (options_.cache)
      parts.push_back({"products in the cache", 9, 0.2, "the cache, taken as not felt",
                       [this](const TimeBudget& budget) { cache(budget); }});
    parts.push_back({"products in single precision", 12, 0.3,
                     "single precision, taken as twice as fast as double",
                     [this](const TimeBudget& budget) { single(budget); }});
    measure(parts);
    return std::move(result_);
  }

 private:
  /// What is measured, its weight in the time, and what is said where it has less than the least.
  struct Part {
    std::string what;
    double weight = 1;
    double least_s = 0;
    std::string left_out;
    std::function<void(const TimeBudget&)> measure;
  };

  void measure(const std::vector<Part>& parts) {
    double open = 0;
    for (const Part& part : parts) open += part.weight;
    for (const Part& part : parts) {
      const TimeBudget budget = options_.budget.part(part.weight, open);
      open -= part.weight;
      if (budget.left() < part.least_s) {
        result_.left_out.push_back(part.left_out);
        continue;
      }
      if (options_.progress) options_.progress(part.what);
      part.measure(budget);
    }
  }

  void make_spaces() {
    std::int64_t largest = 0;
    for (const auto* sizes : {&options_.sizes, &options_.cubes}) {
      for (const std::int64_t size : *sizes) largest = std::max(largest, size);
    }
    spaces_ = make_workspaces(cores(), workspace_bytes(options_, result_.facts), largest);
  }

  int cores() const { return result_.facts.cores; }

  /// A probe between shapes, and a pair of them before and after a round.
  double probe_seconds(const TimeBudget& round, double longest_s) const {
    return std::min({longest_s, options_.settle_s, 0.03 * round.left()});
  }

  void products(const TimeBudget& budget) {
    constexpr double kShapesShare = 0.7;  // of a round; the rest is for probes
    fill(spaces_, Precision::f64);
    Probe probe(cores(), options_.probe);
    const double rate = probe.flops_per_s(std::min(options_.settle_s, 0.05 * budget.left())) / cores();
    TimeBudget round_budget = budget.part(1, options_.least_rounds);
    Rounds rounds(options_, Precision::f64, spaces_, probe, probe_seconds(round_budget, kShortProbe_s));
    SoloSpeedup solo(probe, cores(), options_.probe);
    const double solo_s = probe_seconds(round_budget, kProbe_s);
    plan_ = plan_round(options_.sizes, options_.cubes,
                       {rate, options_.seconds_per_shape, kShapesShare * round_budget.left()});
    double longest_s = 0;
    while (another_round(rounds, budget.left(), longest_s)) {
      const TimeBudget begin = budget.part(1, 1);
      round_budget = budget.part(1, std::max(1, options_.least_rounds - rounds.count()));
      solo.measure(solo_s);
      rounds.measure(plan_, round_budget);
      solo.measure(solo_s);
      longest_s = std::max(longest_s, begin.elapsed());
    }
    take_products(rounds, solo.median());
  }

  /// Curves are of the fastest core, samples of all cores together.
  double fastest_over_mean() const {
    return result_.core_speeds.empty() ? 1 : 1 / mean_of(result_.core_speeds);
  }

  /// The least number as far as any time is left, more where these do not agree and there is time for them.
  bool another_round(const Rounds& rounds, double left_s, double round_s) const {
    if (rounds.count() < options_.least_rounds) return rounds.count() == 0 || left_s > 0;
    return !rounds.stable() && rounds.count() < options_.most_rounds && left_s >= round_s;
  }

  void take_products(Rounds& rounds, double solo_speedup) {
    result_.probe_flops_per_s = rounds.probe_flops_per_s();
    result_.samples = rounds.finish(result_.probe_flops_per_s);
    result_.fit = fit_of(result_.samples);
    result_.held_out = held_out_error(result_.samples);
    result_.kernel_spread = median_spread(result_.samples);
    result_.core_share = std::min(rounds.core_share(), 1.0);
    result_.rounds = rounds.count();
    result_.stable = rounds.stable();
    result_.round_spread = rounds.difference();
    // What other work takes from some cores is no property of them.
    if (result_.core_share >= kLeastCoreShare) result_.core_speeds = rounds.core_speeds();
    result_.rate_spread = rounds.rate_spread(result_.core_speeds);
    result_.fit.model.rate_flops_per_s *= fastest_over_mean();
    result_.solo_speedup = solo_speedup;
    // Until they are measured.
    result_.single_fit.model = result_.fit.model;
    result_.single_fit.model.rate_flops_per_s *= 2;
  }

  void bandwidths(double all_s) {
    const double seconds = std::min(options_.seconds_per_bandwidth, all_s / 3);
    const Summary made = bandwidth_of(seconds, spaces_, [](Workspace& mine, std::size_t at, int i) {
      generate_tile({mine.c.data() + at, piece}, tile_key(1, Operand::b, i), 1);
    });
    const Summary copied = bandwidth_of(seconds, spaces_, [](Workspace& mine, std::size_t at, int) {
      std::memcpy(mine.c.data() + at, mine.a.data() + at, piece * sizeof(double));
    });
    result_.generation_bytes_per_s_per_core = made.median;
    result_.generation_spread = made.spread / made.median;
    result_.copy_bytes_per_s_per_core = copied.median;
    result_.copy_spread = copied.spread / copied.median;
  }

  void additions(double all_s) {
    const double seconds = std::min(options_.seconds_per_bandwidth, all_s / 3);
    const Summary added = bandwidth_of(
        seconds, spaces_, [](Workspace& mine, std::size_t at, int) { add_piece(mine, at, piece); });
    result_.addition_bytes_per_s_per_core = added.median;
    result_.addition_spread = added.spread / added.median;
    result_.permuted_addition_bytes_per_s_per_core = permuted_addition_rate(seconds, spaces_);
  }

  void cache(const TimeBudget& budget) {
    constexpr double kProducts = 200;  // about
    const double seconds = std::min(options_.seconds_per_cached_product, budget.left() / kProducts);
    result_.cache = measure_cache(spaces_, {.seconds = seconds, .budget = budget});
    const double added_s = std::min(options_.seconds_per_bandwidth, 0.1 * budget.left());
    result_.cached_addition_bytes_per_s_per_core = cached_addition_rate(added_s, result_.cache, spaces_);
  }

  /// Real and complex products in pairs, because the machine's speed changes; the median over cubes and
  /// rounds.
  double complex_factor(Precision precision, const TimeBudget& budget) {
    constexpr std::array<std::int64_t, 4> cubes{64, 160, 256, 512};
    const auto room = static_cast<std::int64_t>(spaces_.front().a.size() * sizeof(double));
    const Repetition repetition{cores(), plan_.seconds_per_shape, 1};
    std::vector<double> ratios;
    for (int round = 0; round < options_.least_rounds; ++round) {
      for (const std::int64_t cube : cubes) {
        if (cube * cube * ElementType{precision, true}.bytes() > room || budget.over()) continue;
        const KernelSample shape{cube, cube, cube};
        const double real_s = mean_of(time_product(repetition, spaces_, {precision}, shape).seconds);
        const double complex_s = mean_of(time_product(repetition, spaces_, {precision, true}, shape).seconds);
        ratios.push_back(complex_s / (4 * real_s));
      }
    }
    return ratios.empty() ? 1 : std::clamp(summarize(ratios).median, 0.1, 10.0);
  }

  void single(const TimeBudget& budget) {
    constexpr double kShapesShare = 0.7;
    const TimeBudget curve = budget.part(0.85, 1);
    fill(spaces_, Precision::f32);
    Probe probe(cores(), options_.probe);
    TimeBudget round_budget = curve.part(1, options_.least_rounds);
    Rounds rounds(options_, Precision::f32, spaces_, probe, probe_seconds(round_budget, kShortProbe_s));
    const RoundPlan plan = plan_round(
        every_second(options_.sizes), {},
        {2 * result_.probe_flops_per_s, options_.seconds_per_shape, kShapesShare * round_budget.left()});
    while (rounds.count() < options_.least_rounds && (rounds.count() == 0 || !curve.over())) {
      round_budget = curve.part(1, options_.least_rounds - rounds.count());
      rounds.measure(plan, round_budget);
    }
    result_.single_samples = rounds.finish(result_.probe_flops_per_s);
    result_.single_fit = fit_of(result_.single_samples);
    result_.single_fit.model.rate_flops_per_s *= fastest_over_mean();
    result_.single_spread = median_spread(result_.single_samples);
    result_.single_fit.model.complex_factor = complex_factor(Precision::f32, budget);
  }

  static constexpr double kShortProbe_s = 0.1;

  const CalibrationOptions& options_;
  CalibrationResult result_;
  std::vector<Workspace> spaces_;
  RoundPlan plan_;
};

}  // namespace

bool was_busy(const CalibrationResult& result) {
  return result.core_share < kLeastCoreShare;
}

CalibrationResult calibrate_host(const CalibrationOptions& options) {
  check(options);
  return CoreCalibrator(options).host();
}

CalibrationResult calibrate(const CalibrationOptions& options) {
  check(options);
  return CoreCalibrator(options).all();
}

}  // namespace foretile
