#include "executor/calibrate.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>
#include <numeric>

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

Summary time_product(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                     const KernelSample& shape) {
  const auto [m, n, k, unused] = shape;
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds_per_shape, 3};
  return summarize(time_on_all_cores(repetition, [&, m = m, n = n, k = k](int core, int i) {
    Workspace& space = spaces[static_cast<std::size_t>(core)];
    gemm(m, n, k, TileRing(space.a, m * k).at(i), m, TileRing(space.b, k * n).at(i), k,
         TileRing(space.c, m * n).at(i), m);
  }));
}

void measure_products(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                      CalibrationResult& result) {
  std::vector<double> spreads;
  const std::size_t all = options.sizes.size() * options.sizes.size() * options.sizes.size();
  for (const std::int64_t m : options.sizes) {
    for (const std::int64_t n : options.sizes) {
      for (const std::int64_t k : options.sizes) {
        KernelSample sample{m, n, k, 0};
        const Summary time = time_product(options, spaces, sample);
        sample.seconds = time.median;
        result.samples.push_back(sample);
        spreads.push_back(time.spread / time.median);
        if (options.progress) options.progress(result.samples.size(), all);
      }
    }
  }
  result.fit = fit_kernel_model(result.samples);
  result.kernel_spread = summarize(spreads).median;
}

/// Tiles of a megabyte, as many as fit, so that they are written to memory rather than to a cache.
void measure_generation(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                        CalibrationResult& result) {
  constexpr std::int64_t elements = 1 << 17;
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds_per_bandwidth, 3};
  const Summary time = summarize(time_on_all_cores(repetition, [&](int core, int i) {
    std::vector<double>& memory = spaces[static_cast<std::size_t>(core)].b;
    const std::size_t size = std::min<std::size_t>(elements, memory.size());
    generate_tile({TileRing(memory, static_cast<std::int64_t>(size)).at(i), size}, tile_key(1, Operand::b, i),
                  1);
  }));
  const std::size_t size = std::min<std::size_t>(elements, spaces[0].b.size());
  result.generation_bytes_per_s_per_core = static_cast<double>(size * sizeof(double)) / time.median;
}

void measure_copies(const CalibrationOptions& options, std::vector<Workspace>& spaces,
                    CalibrationResult& result) {
  const std::size_t bytes = spaces[0].a.size() * sizeof(double);
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds_per_bandwidth, 3};
  const Summary time = summarize(time_on_all_cores(repetition, [&](int core, int) {
    Workspace& space = spaces[static_cast<std::size_t>(core)];
    std::memcpy(space.b.data(), space.a.data(), bytes);
  }));
  result.copy_bytes_per_s_per_core = static_cast<double>(bytes) / time.median;
  result.copy_spread = time.spread / time.median;
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

}  // namespace

CalibrationResult calibrate(const CalibrationOptions& options) {
  check(options);
  CalibrationResult result;
  result.facts = machine_facts();
  result.cpu = cpu_name();
  result.kernels = blas_kernels();
  result.when = fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(std::time(nullptr)));
  std::vector<Workspace> spaces = make_workspaces(options, result.facts.cores);
  measure_products(options, spaces, result);
  measure_generation(options, spaces, result);
  measure_copies(options, spaces, result);
  return result;
}

}  // namespace foretile
