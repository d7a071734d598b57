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
  TileRing(std::vector<double>& memory, std::int64_t bytes)
      : memory_(reinterpret_cast<std::byte*>(memory.data())),
        bytes_(static_cast<std::size_t>(bytes)),
        count_(std::max<std::size_t>(1, memory.size() * sizeof(double) / bytes_)) {}

  std::byte* at(int i) { return memory_ + static_cast<std::size_t>(i) % count_ * bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
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
  for (Workspace& space : all) {
    for (std::vector<double>* memory : {&space.a, &space.b, &space.c}) memory->resize(elements);
  }
  return all;
}

void fill(std::vector<Workspace>& spaces, Precision precision) {
  for (std::size_t core = 0; core < spaces.size(); ++core) {
    for (std::vector<double>* memory : {&spaces[core].a, &spaces[core].b, &spaces[core].c}) {
      const auto bytes = static_cast<std::int64_t>(memory->size() * sizeof(double));
      generate_tile(precision, reinterpret_cast<std::byte*>(memory->data()), bytes / bytes_of(precision),
                    core, 1);
    }
  }
}

Timing time_product(const CalibrationOptions& options, std::vector<Workspace>& spaces, Precision precision,
                    const KernelSample& shape) {
  const std::int64_t m = shape.m, n = shape.n, k = shape.k;
  const std::int64_t size = bytes_of(precision);
  const Repetition repetition{static_cast<int>(spaces.size()), options.seconds_per_shape, 3};
  return time_on_all_cores(repetition, [&](int core, int i) {
    Workspace& space = spaces[static_cast<std::size_t>(core)];
    multiply_tiles(precision, m, n, k, TileRing(space.a, m * k * size).at(i),
                   TileRing(space.b, k * n * size).at(i), TileRing(space.c, m * n * size).at(i));
  });
}

struct Spreads {
  std::vector<double> of_products, core_shares;
};

void time_shapes(const CalibrationOptions& options, std::vector<Workspace>& spaces, Precision precision,
                 std::vector<KernelSample>& samples, Spreads& spreads,
                 const std::function<void(std::size_t)>& timed) {
  fill(spaces, precision);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Timing timing = time_product(options, spaces, precision, samples[i]);
    const Summary time = summarize(timing.seconds);
    samples[i].seconds = time.median;
    samples[i].spread = time.spread / time.median;
    spreads.of_products.push_back(samples[i].spread);
    spreads.core_shares.push_back(timing.core_share);
    timed(i + 1);
  }
}

void measure_products(const CalibrationOptions& options, CalibrationResult& result) {
  std::vector<Workspace> spaces = make_workspaces(options, result.facts.cores);
  Spreads spreads;
  result.samples = shapes_of(options.sizes);
  result.single_samples = shapes_of(every_second(options.sizes));
  const std::size_t all = result.samples.size() + result.single_samples.size();
  const auto timed = [&](std::size_t before) {
    return [&options, before, all](std::size_t done) {
      if (options.progress) options.progress(before + done, all);
    };
  };
  time_shapes(options, spaces, Precision::f64, result.samples, spreads, timed(0));
  result.fit = fit_kernel_model(result.samples);
  result.kernel_spread = summarize(spreads.of_products).median;
  result.core_share = summarize(spreads.core_shares).median;
  Spreads single;
  time_shapes(options, spaces, Precision::f32, result.single_samples, single, timed(result.samples.size()));
  result.single_fit = fit_kernel_model(result.single_samples);
  result.single_spread = summarize(single.of_products).median;
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
