// SPDX-License-Identifier: BSD-3-Clause
// Do additions of tiles on a GPU have the bits of a core's, and how fast are both? Prints JSON; exits with 1
// where bits differ and with 3 where there is no GPU.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/options.hpp"
#include "apps/program.hpp"
#include "base/error.hpp"
#include "executor/calibration/measure.hpp"
#include "executor/calibration/measure_gpu.hpp"
#include "executor/gpu/load_cuda.hpp"
#include "executor/gpu/stand_in.hpp"
#include "executor/tiles/generate.hpp"
#include "platforms/here.hpp"
#include "tests/executor/random_combine.hpp"

namespace {

template <class Real>
bool same_bits(Real x, Real y) {
  using Bits = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y);
}

using namespace foretile;
using Json = nlohmann::ordered_json;

constexpr int kNoGpu = 3;

struct Request {
  std::string gpu = "cuda";
  int device = 0;
  int cases = 200;
  std::int64_t elements = 300000;
  std::int64_t side = 32;
  std::int64_t bytes = std::int64_t{256} << 20;
  double seconds = 0.3;
};

/// Ends the program with kNoGpu when there is none.
std::unique_ptr<Gpus> gpus_or_exit(const Request& request) {
  if (request.gpu == "stand-in") return std::make_unique<StandInGpus>();
  LoadedGpus loaded = load_cuda();
  if (!loaded.gpus) {
    fmt::print(stderr, "gpu_additions: {}\n", loaded.why_not);
    throw CLI::RuntimeError(kNoGpu);
  }
  if (request.device < loaded.gpus->count()) return std::move(loaded.gpus);
  throw input_error("--device", fmt::to_string(request.device),
                    fmt::format("a number below {}", loaded.gpus->count()));
}

/// Page-locked host memory.
class HostMemory {
 public:
  HostMemory(Gpus& gpus, std::int64_t bytes) : gpus_(gpus), memory_(gpus.allocate_host(bytes)) {}
  ~HostMemory() { gpus_.free_host(memory_); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  std::byte* get() const { return memory_; }

 private:
  Gpus& gpus_;
  std::byte* memory_;
};

/// A GPU with room for two operands in its memory and in host memory.
class Bench {
 public:
  Bench(Gpus& gpus, int device, std::int64_t bytes)
      : gpus_(gpus),
        gpu_(gpus.open(device, 1)),
        device_{gpu_->allocate(bytes), gpu_->allocate(bytes)},
        from_(gpus, bytes),
        to_(gpus, bytes) {}

  Gpus& gpus() { return gpus_; }
  Gpu& gpu() { return *gpu_; }
  std::byte* from(bool on_device) const { return on_device ? device_[0] : from_.get(); }
  std::byte* to(bool on_device) const { return on_device ? device_[1] : to_.get(); }
  void copy(std::byte* to, const std::byte* from, std::int64_t bytes) {
    const CopyPiece piece{to, from, bytes};
    gpu_->copy(kPeerLane, {&piece, 1});
    wait();
  }
  void wait() {
    const GpuLane lane{gpu_.get(), kPeerLane};
    wait_for(gpus_, {&lane, 1});
  }

 private:
  Gpus& gpus_;
  std::unique_ptr<Gpu> gpu_;
  std::byte* device_[2];
  HostMemory from_, to_;
};

/// Throws unless the GPU gives the expected bits.
template <class Real>
void check_case(Bench& bench, Random& random, std::int64_t elements) {
  RandomCombine<Real> x = random_combine<Real>(random, elements);
  if (x.to.empty()) return;
  const bool from_on_device = random.integer(0, 1) == 1, to_on_device = random.integer(0, 1) == 1;
  const auto bytes = static_cast<std::int64_t>(x.to.size() * sizeof(Real));
  const auto place = [&](std::byte* pinned, std::byte* there, const std::vector<Real>& values) {
    std::memcpy(pinned, values.data(), static_cast<std::size_t>(bytes));
    if (pinned != there) bench.copy(there, pinned, bytes);
  };
  place(bench.from(false), bench.from(from_on_device), x.from);
  place(bench.to(false), bench.to(to_on_device), x.to);
  const TileToCombine tile = x.tile(bench.from(from_on_device), bench.to(to_on_device));
  bench.gpu().combine(kPeerLane, precision_of<Real>(), {&tile, 1});
  bench.wait();
  if (to_on_device) bench.copy(bench.to(false), bench.to(true), bytes);
  std::memcpy(x.to.data(), bench.to(false), static_cast<std::size_t>(bytes));
  for (std::size_t e = 0; e < x.to.size(); ++e) {
    if (!same_bits(x.to[e], x.expected[e]))
      throw WorkError(
          fmt::format("extents {}, permutation {}, beta {}, factor {}: element {} is {} on the "
                      "GPU and {} on a core",
                      fmt::join(x.extents, " "), fmt::join(x.permutation, " "), x.beta, x.factor, e, x.to[e],
                      x.expected[e]));
  }
}

void check_bits(Gpus& gpus, const Request& request) {
  Bench bench(gpus, request.device, request.elements * 8);
  for (int seed = 0; seed < request.cases; ++seed) {
    try {
      Random random(static_cast<std::uint64_t>(seed));
      check_case<double>(bench, random, request.elements);
      check_case<float>(bench, random, request.elements);
    } catch (const WorkError& error) {
      throw WorkError(fmt::format("seed {}: {}", seed, error.what()));
    }
  }
}

/// What is measured, in double precision.
struct Kind {
  const char* what;
  std::vector<int> permutation;
  double beta, factor;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {{"add", {}, 1, 1},
                                        {"scale and add", {}, 0.5, 2},
                                        {"transpose and add", {2, 3, 0, 1}, 1, 1},
                                        {"permute and add", {2, 0, 3, 1}, 1, 1}};
  return all;
}

/// Equal tiles one behind the other.
class Tiles {
 public:
  Tiles(const Request& request)
      : extents_(4, request.side),
        tile_bytes_(request.side * request.side * request.side * request.side * 8),
        count_(std::max<std::int64_t>(request.bytes / tile_bytes_, 1)) {}

  std::int64_t bytes() const { return count_ * tile_bytes_; }
  std::int64_t count() const { return count_; }
  const std::vector<std::int64_t>& extents() const { return extents_; }
  TileToCombine tile(const Kind& kind, std::int64_t number, const std::byte* from, std::byte* to) const {
    const std::int64_t at = number % count_ * tile_bytes_;
    return {extents_, kind.permutation, kind.beta, kind.factor, from + at, to + at};
  }
  double rate(double seconds_of_a_tile) const { return static_cast<double>(tile_bytes_) / seconds_of_a_tile; }

 private:
  std::vector<std::int64_t> extents_;
  std::int64_t tile_bytes_;
  std::int64_t count_;
};

/// Bytes of tiles that were added per second.
double rate_on_gpu(Bench& bench, const Tiles& tiles, const Kind& kind, double seconds, bool from_on_device,
                   bool to_on_device) {
  const GpuLane lane{&bench.gpu(), kPeerLane};
  std::vector<TileToCombine> given;
  const Measured each =
      measure_queued(bench.gpus(), {&lane, 1}, seconds, [&](std::int64_t first, std::int64_t count) {
        // Not more than all tiles in one call: no tile twice.
        for (std::int64_t begin = first; begin < first + count; begin += tiles.count()) {
          given.clear();
          for (std::int64_t t = begin; t < std::min(first + count, begin + tiles.count()); ++t)
            given.push_back(tiles.tile(kind, t, bench.from(from_on_device), bench.to(to_on_device)));
          bench.gpu().combine(kPeerLane, Precision::f64, given);
        }
      });
  return tiles.rate(each.seconds);
}

/// Of one core while `cores` add tiles of their own.
double rate_on_cores(const Bench& bench, const Tiles& tiles, const Kind& kind, double seconds, int cores) {
  const std::int64_t share = std::max<std::int64_t>(tiles.count() / cores, 1);
  const Timing timing = time_on_all_cores({cores, seconds, 3}, [&](int core, int repetition) {
    const TileToCombine tile =
        tiles.tile(kind, core * share + repetition % share, bench.from(false), bench.to(false));
    combine_tile({Precision::f64}, tile.extents, tile.permutation, tile.beta, tile.factor, tile.from,
                 tile.to);
  });
  return tiles.rate(summarize(timing.seconds).median);
}

Json measure_kind(Bench& bench, const Tiles& tiles, const Kind& kind, double seconds, int cores) {
  return {{"what", kind.what},
          {"device_bytes_per_s", rate_on_gpu(bench, tiles, kind, seconds, true, true)},
          {"pinned_bytes_per_s", rate_on_gpu(bench, tiles, kind, seconds, false, false)},
          {"device_to_pinned_bytes_per_s", rate_on_gpu(bench, tiles, kind, seconds, true, false)},
          {"core_bytes_per_s", rate_on_cores(bench, tiles, kind, seconds, 1)},
          {"busy_core_bytes_per_s", rate_on_cores(bench, tiles, kind, seconds, cores)}};
}

Json measure_rates(Gpus& gpus, const Request& request) {
  const Tiles tiles(request);
  Bench bench(gpus, request.device, tiles.bytes());
  for (std::byte* pinned : {bench.from(false), bench.to(false)})
    generate_tile(Precision::f64, pinned, tiles.bytes() / 8, 1, 1.0);
  bench.copy(bench.from(true), bench.from(false), tiles.bytes());
  bench.copy(bench.to(true), bench.to(false), tiles.bytes());
  Json rates = Json::array();
  const int cores = machine_facts().cores;
  for (const Kind& kind : kinds()) rates.push_back(measure_kind(bench, tiles, kind, request.seconds, cores));
  return {{"extents", tiles.extents()}, {"tiles", tiles.count()}, {"cores", cores}, {"kinds", rates}};
}

void check_and_measure(const Request& request) {
  const std::unique_ptr<Gpus> gpus = gpus_or_exit(request);
  const GpuFacts facts = gpus->facts(request.device);
  Json json{{"gpu", facts.name}, {"library", facts.library}};
  if (request.cases > 0) check_bits(*gpus, request);
  json["cases"] = request.cases;
  if (request.bytes > 0) json["rates"] = measure_rates(*gpus, request);
  print_json(json);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Compare additions of tiles on a GPU with a core's, bit for bit, and measure both; exits with 1 where "
      "bits differ and with 3 where there is no GPU.",
      "gpu_additions");
  Request request;
  app.add_option("--gpu", request.gpu, "cuda or stand-in")->check(CLI::IsMember({"cuda", "stand-in"}));
  app.add_option("--device", request.device, "GPU")->check(CLI::NonNegativeNumber);
  app.add_option("--cases", request.cases, "random additions to compare in each precision; 0: none")
      ->check(CLI::Range(0, 1000000));
  app.add_option("--elements", request.elements, "most of a random tile")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 27));
  app.add_option("--side", request.side, "tiles to measure have four indices of this extent")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{128}));
  app.add_option("--bytes", request.bytes, "of each operand's tiles, in device and host memory; 0: no rates")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 38));
  app.add_option("--seconds", request.seconds, "for each rate")->check(CLI::Range(0.001, 60.0));
  app.callback([&] { check_and_measure(request); });
  return run_program(app, argc, argv);
}
