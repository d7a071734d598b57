#include "executor/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>

#include "base/error.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/generate.hpp"
#include "executor/measure.hpp"

namespace foretile {

namespace {

/// Tiles of one size in a ring of memory, used one after the other.
class TileRing {
 public:
  TileRing(std::vector<double>& memory, std::int64_t elements)
      : memory_(memory),
        elements_(static_cast<std::size_t>(elements)),
        count_(std::max<std::size_t>(1, memory.size() / elements_)) {}

  double* at(int i) { return memory_.data() + static_cast<std::size_t>(i) % count_ * elements_; }

 private:
  std::vector<double>& memory_;
  std::size_t elements_;
  std::size_t count_;
};

/// What one core works on: memory for the tiles of A, of B and of C.
struct Workspace {
  std::vector<double> a, b, c;
};

std::vector<Workspace> make_workspaces(const CalibrationOptions& options, int cores) {
  const std::int64_t largest = *std::max_element(options.sizes.begin(), options.sizes.end());
  const std::int64_t third = options.bytes_per_core / 3 / static_cast<std::int64_t>(sizeof(double));
  const auto elements = static_cast<std::size_t>(std::max(third, largest * largest));
  std::vector<Workspace> all(static_cast<std::size_t>(cores));
  for (std::size_t core = 0; core < all.size(); ++core) {
    for (std::vector<double>* memory : {&all[core].a, &all[core].b, &all[core].c}) {
      memory->resize(elements);
      generate_tile(*memory, core, 1);
    }
  }
  return all;
}

Timing time_product(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                    const KernelSample& shape) {
  const std::int64_t m = shape.m, n = shape.n, k = shape.k;
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds_per_shape, 3};
  return time_on_all_cores(repetition, [&](int core, int i) {
    Workspace& space = spaces[static_cast<std::size_t>(core)];
    gemm(m, n, k, TileRing(space.a, m * k).at(i), m, TileRing(space.b, k * n).at(i), k,
         TileRing(space.c, m * n).at(i), m);
  });
}

void measure_products(const CalibrationOptions& options, CalibrationResult& result) {
  std::vector<Workspace> spaces = make_workspaces(options, result.facts.cores);
  std::vector<double> spreads, shares;
  result.samples = shapes_of(options.sizes);
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    KernelSample& sample = result.samples[i];
    const Timing timing = time_product(options, spaces, sample);
    const Summary time = summarize(timing.seconds);
    sample.seconds = time.median;
    sample.spread = time.spread / time.median;
    spreads.push_back(sample.spread);
    shares.push_back(timing.core_share);
    if (options.progress) options.progress(i + 1, result.samples.size());
  }
  result.fit = fit_kernel_model(result.samples);
  result.kernel_spread = summarize(spreads).median;
  result.core_share = summarize(shares).median;
}

/// Memory of one core for bandwidths.
struct Buffers {
  std::vector<double> from, to;
};

std::vector<Buffers> make_buffers(const CalibrationOptions& options, int cores) {
  const auto elements = static_cast<std::size_t>(options.bandwidth_bytes_per_core) / sizeof(double) / 2;
  return std::vector<Buffers>(static_cast<std::size_t>(cores),
                              {std::vector<double>(elements), std::vector<double>(elements)});
}

constexpr std::size_t piece = 1 << 17;  // elements made or copied at once: tiles of a megabyte

/// Bytes per second at which each core works through its memory, a piece at a time.
Summary bandwidth_of(const CalibrationOptions& options, std::vector<Buffers>& buffers,
                     const std::function<void(Buffers&, std::size_t at, int i)>& work) {
  const Repetition repetition{static_cast<int>(buffers.size()), options.seconds_per_bandwidth, 3};
  const std::size_t pieces = buffers[0].to.size() / piece;
  Timing timing = time_on_all_cores(repetition, [&](int core, int i) {
    work(buffers[static_cast<std::size_t>(core)], static_cast<std::size_t>(i) % pieces * piece, i);
  });
  for (double& value : timing.seconds) value = piece * sizeof(double) / value;
  return summarize(timing.seconds);
}

void measure_bandwidths(const CalibrationOptions& options, CalibrationResult& result) {
  std::vector<Buffers> buffers = make_buffers(options, result.facts.cores);
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
  if (options.bandwidth_bytes_per_core < std::int64_t{2} << 20) {
    throw input_error("calibration memory", fmt::format("{} B", options.bandwidth_bytes_per_core),
                      "2 MiB per core or more");
  }
  if (options.sizes.size() < 2) throw input_error("calibration sizes", "fewer than two", "two or more");
}

CalibrationResult of_this_machine() {
  CalibrationResult result;
  result.facts = machine_facts();
  result.cpu = cpu_name();
  result.kernels = blas_kernels();
  result.when = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(std::time(nullptr)));
  return result;
}

}  // namespace

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
