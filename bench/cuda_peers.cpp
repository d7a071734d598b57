// SPDX-License-Identifier: BSD-3-Clause
// What others reach on this GPU, and what it could do at best: cuBLAS on a whole matrix, copies, cublasXt out
// of core, many small products in one launch or one by one. Each part runs when its option is given. Prints
// an object of JSON on a line as soon as it has measured something: the later of two with one name counts, so
// that what is there when the program is ended can be used. Exits with 3 where there is no GPU.
#include <cublasXt.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "apps/options.hpp"
#include "apps/program.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "executor/cuda/blas_calls.hpp"
#include "executor/cuda/cuda_gpus.hpp"
#include "executor/cuda/kernels.hpp"
#include "executor/cuda/owned.hpp"
#include "executor/cuda/status.hpp"

namespace {

using namespace foretile;
using Json = nlohmann::ordered_json;

constexpr BlasForm<double> kPlain{CUBLAS_OP_N, CUBLAS_OP_N, 1.0};
constexpr int kNoGpu = 3;

struct Request {
  int device = 0;
  int repeats = 3;
  std::vector<std::int64_t> pin;
  std::int64_t dense = 0;
  std::int64_t copy_bytes = 0;
  std::int64_t xt = 0;
  std::vector<int> xt_blocks = {1024, 2048, 4096, 8192};
  std::vector<int> small;
  int products = 2000;
  int batch = 500;
  int streams = 8;
};

void print_line(const Json& json) {
  fmt::print("{}\n", json.dump());
  std::fflush(stdout);
}

void wait() {
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// Once to warm up, then the median of `repeats`. `run` returns when the work is done.
template <typename Run>
double median_seconds(int repeats, Run run) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  for (int r = -1; r < repeats; ++r) {
    const Clock::time_point start = Clock::now();
    run();
    if (r >= 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  return seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
}

double flops_of(double m, double n, double k) {
  return 2 * m * n * k;
}

double* doubles(const OwnedDeviceMemory& memory) {
  return reinterpret_cast<double*>(memory.get());
}

/// Random numbers: zeros would cost less energy, and so a GPU would be faster with them.
OwnedDeviceMemory random_on_device(std::int64_t elements, std::uint64_t key) {
  OwnedDeviceMemory memory = allocate_on_device(elements * 8);
  check(launch_make(memory.get(), elements, key, 2.0, Precision::f64, nullptr), "cudaLaunchKernel");
  wait();
  return memory;
}

/// cuBLAS with its own workspace, as the executor has it on Hopper.
struct BlasOnStream {
  Stream stream = make_stream();
  OwnedDeviceMemory workspace = allocate_on_device(kWorkspace);
  Blas blas = make_blas();

  static constexpr std::int64_t kWorkspace = std::int64_t{32} << 20;
  BlasOnStream() {
    check(cublasSetStream(blas.get(), stream.get()), "cublasSetStream");
    check(cublasSetWorkspace(blas.get(), workspace.get(), kWorkspace), "cublasSetWorkspace");
  }
};

Json measure_dense(const Request& request) {
  const auto n = static_cast<int>(request.dense);
  const std::int64_t elements = request.dense * request.dense;
  const OwnedDeviceMemory a = random_on_device(elements, 1);
  const OwnedDeviceMemory b = random_on_device(elements, 2);
  const OwnedDeviceMemory c = random_on_device(elements, 3);
  const BlasOnStream lane;
  const double seconds = median_seconds(request.repeats, [&] {
    check(gemm(lane.blas.get(), kPlain, n, n, n, doubles(a), doubles(b), 0.0, doubles(c)), "cublasDgemm");
    wait();
  });
  return {{"n", n}, {"seconds", seconds}, {"flops_per_s", flops_of(n, n, n) / seconds}};
}

/// What a run waits for before its clock starts: locking host memory takes long, and the first touch too.
void measure_pinned(const Request& request) {
  Json sizes = Json::array();
  for (const std::int64_t bytes : request.pin) {
    const auto start = std::chrono::steady_clock::now();
    const PinnedMemory memory = allocate_pinned(bytes);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    sizes.push_back({{"bytes", bytes}, {"seconds", took.count()}});
    print_line({{"pinned", sizes}});
  }
}

/// One way or both ways at once, each on a stream of its own.
struct Copies {
  explicit Copies(std::int64_t size)
      : bytes(size),
        host_in(allocate_pinned(size)),
        host_out(allocate_pinned(size)),
        device_in(allocate_on_device(size)),
        device_out(allocate_on_device(size)) {
    std::fill_n(host_in.get(), size, std::byte{1});
    std::fill_n(host_out.get(), size, std::byte{1});
  }

  void copy(const OwnedDeviceMemory& to, const PinnedMemory& from, const Stream& on) const {
    start(to.get(), from.get(), on);
  }
  void copy(const PinnedMemory& to, const OwnedDeviceMemory& from, const Stream& on) const {
    start(to.get(), from.get(), on);
  }
  void copy(const OwnedDeviceMemory& to, const OwnedDeviceMemory& from, const Stream& on) const {
    start(to.get(), from.get(), on);
  }

  std::int64_t bytes;
  PinnedMemory host_in, host_out;
  OwnedDeviceMemory device_in, device_out;
  Stream in = make_stream();
  Stream out = make_stream();

 private:
  void start(void* to, const void* from, const Stream& on) const {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, on.get()),
          "cudaMemcpyAsync");
  }
};

void measure_copies(const Request& request) {
  const Copies with(request.copy_bytes);
  Json json{{"bytes", request.copy_bytes}};
  const auto rate = [&](const char* name, double bytes, auto run) {
    json[name] = bytes / median_seconds(request.repeats, [&] {
                   run();
                   wait();
                 });
    print_line({{"copies", json}});
  };
  const auto bytes = static_cast<double>(request.copy_bytes);
  rate("h2d_bytes_per_s", bytes, [&] { with.copy(with.device_in, with.host_in, with.in); });
  rate("d2h_bytes_per_s", bytes, [&] { with.copy(with.host_out, with.device_out, with.out); });
  rate("d2d_bytes_per_s", bytes, [&] { with.copy(with.device_out, with.device_in, with.in); });
  // The sum of both ways, until the later one has ended. Several in a row, lest the ends weigh much.
  constexpr int in_a_row = 4;
  rate("both_ways_bytes_per_s", 2 * in_a_row * bytes, [&] {
    for (int c = 0; c < in_a_row; ++c) {
      with.copy(with.device_in, with.host_in, with.in);
      with.copy(with.host_out, with.device_out, with.out);
    }
  });
}

/// An n x n matrix in page-locked host memory, random if it has a key.
struct HostMatrix {
  HostMatrix(std::int64_t extent, std::uint64_t key) : n(extent), memory(allocate_pinned(n * n * 8)) {
    const int workers = usable_cores();
    run_on_threads(workers, [&](int w) {
      for (std::int64_t e = n * w / workers * n; e < n * (w + 1) / workers * n; ++e) {
        data()[e] = key == 0 ? 0.0 : unit_real(counter_bits(key, static_cast<std::uint64_t>(e))) - 0.5;
      }
    });
  }
  double* data() const { return reinterpret_cast<double*>(memory.get()); }
  double at(std::int64_t i, std::int64_t j) const { return data()[i + j * n]; }

  std::int64_t n;
  PinnedMemory memory;
};

/// Throws when C is not A B, by a few of its elements. Terms are below 1/4 and random in sign.
void expect_product(const HostMatrix& a, const HostMatrix& b, const HostMatrix& c) {
  Random random(1);
  for (int sample = 0; sample < 8; ++sample) {
    const std::int64_t i = random.integer(0, a.n - 1);
    const std::int64_t j = random.integer(0, a.n - 1);
    double sum = 0;
    for (std::int64_t k = 0; k < a.n; ++k) sum += a.at(i, k) * b.at(k, j);
    if (!(std::abs(sum - c.at(i, j)) <= 1e-12 * static_cast<double>(a.n))) {
      throw WorkError(
          fmt::format("cublasXtDgemm: element ({}, {}) is {}, expected {}", i, j, c.at(i, j), sum));
    }
  }
}

struct DestroyXt {
  void operator()(cublasXtHandle_t handle) const { static_cast<void>(cublasXtDestroy(handle)); }
};

/// Blocks need room on the device: a size that has none is printed, not an end.
Json measure_xt_block(const Request& request, int block, const HostMatrix& a, const HostMatrix& b,
                      HostMatrix& c) {
  cublasXtHandle_t made = nullptr;
  check(cublasXtCreate(&made), "cublasXtCreate");
  const std::unique_ptr<cublasXtContext, DestroyXt> xt(made);
  int device = request.device;
  check(cublasXtDeviceSelect(made, 1, &device), "cublasXtDeviceSelect");
  check(cublasXtSetBlockDim(made, block), "cublasXtSetBlockDim");
  const auto n = static_cast<std::size_t>(request.xt);
  const double one = 1;
  const double zero = 0;
  try {
    const double seconds = median_seconds(request.repeats, [&] {
      check(cublasXtDgemm(made, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.data(), n, b.data(), n, &zero,
                          c.data(), n),
            "cublasXtDgemm");
      wait();
    });
    expect_product(a, b, c);
    const auto extent = static_cast<double>(n);
    return {
        {"block", block}, {"seconds", seconds}, {"flops_per_s", flops_of(extent, extent, extent) / seconds}};
  } catch (const WorkError& error) {
    return {{"block", block}, {"error", error.what()}};
  }
}

void measure_xt(const Request& request) {
  const HostMatrix a(request.xt, 1);
  const HostMatrix b(request.xt, 2);
  HostMatrix c(request.xt, 0);
  Json json{{"n", request.xt}, {"best_flops_per_s", 0.0}, {"blocks", Json::array()}};
  for (const int block : request.xt_blocks) {
    json["blocks"].push_back(measure_xt_block(request, block, a, b, c));
    const double rate = json["blocks"].back().value("flops_per_s", 0.0);
    json["best_flops_per_s"] = std::max(rate, json["best_flops_per_s"].get<double>());
    print_line({{"cublasxt", json}});
  }
  if (json["best_flops_per_s"] == 0.0)
    throw WorkError("cublasXtDgemm: no block size worked: " + json["blocks"].dump());
}

/// Products of s x s tiles, all different, and the lists of their addresses on the device.
class SmallProducts {
 public:
  SmallProducts(int size, int count)
      : s_(size),
        count_(count),
        a_(random_on_device(elements(), 1)),
        b_(random_on_device(elements(), 2)),
        c_(random_on_device(elements(), 3)),
        lists_(allocate_on_device(std::int64_t{3} * count * 8)) {
    std::vector<double*> list;
    for (double* first : {doubles(a_), doubles(b_), doubles(c_)}) {
      for (int p = 0; p < count; ++p) list.push_back(first + std::int64_t{p} * s_ * s_);
    }
    check(cudaMemcpy(lists_.get(), list.data(), list.size() * sizeof(double*), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }

  void one(const BlasOnStream& lane, int p) const {
    const std::int64_t at = std::int64_t{p} * s_ * s_;
    check(
        gemm(lane.blas.get(), kPlain, s_, s_, s_, doubles(a_) + at, doubles(b_) + at, 1.0, doubles(c_) + at),
        "cublasDgemm");
  }
  void batched(const BlasOnStream& lane, int begin, int end) const {
    check(gemm_batched(lane.blas.get(), kPlain, s_, s_, s_, from(begin), 1.0, end - begin),
          "cublasDgemmBatched");
  }
  void grouped(const BlasOnStream& lane, int begin, int end) const {
    const GroupLists<double> lists{{CUBLAS_OP_N}, {CUBLAS_OP_N}, {s_},          {s_},  {s_},
                                   {s_},          {s_},          {end - begin}, {1.0}, {1.0}};
    check(gemm_grouped(lane.blas.get(), lists, from(begin)), "cublasDgemmGroupedBatched");
  }
  double flops() const { return count_ * flops_of(s_, s_, s_); }
  int count() const { return count_; }

 private:
  std::int64_t elements() const { return std::int64_t{count_} * s_ * s_; }
  Addresses<double> from(int begin) const {
    auto* const* list = reinterpret_cast<double**>(lists_.get()) + begin;
    return {list, list + count_, list + 2 * std::int64_t{count_}};
  }

  int s_;
  int count_;
  OwnedDeviceMemory a_, b_, c_, lists_;
};

/// A GPU that was idle takes a while to reach its clock, and small products are over before.
void warm_up(const Request& request, int size) {
  using Clock = std::chrono::steady_clock;
  const SmallProducts products(size, request.products);
  const BlasOnStream lane;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(300);
  while (Clock::now() < end) {
    products.batched(lane, 0, products.count());
    wait();
  }
}

Json measure_small_size(const Request& request, int size) {
  const SmallProducts products(size, request.products);
  const std::vector<BlasOnStream> lanes(static_cast<std::size_t>(request.streams));
  const auto rate = [&](auto run) {
    return products.flops() / median_seconds(request.repeats, [&] {
             run();
             wait();
           });
  };
  const auto in_batches = [&](auto run) {
    for (int p = 0; p < products.count(); p += request.batch)
      run(p, std::min(p + request.batch, products.count()));
  };
  Json json{{"size", size}};
  json["one_by_one_flops_per_s"] = rate([&] {
    for (int p = 0; p < products.count(); ++p) products.one(lanes.front(), p);
  });
  json["streams_flops_per_s"] = rate([&] {
    for (int p = 0; p < products.count(); ++p) {
      products.one(lanes[static_cast<std::size_t>(p) % lanes.size()], p);
    }
  });
  json["batched_flops_per_s"] =
      rate([&] { in_batches([&](int begin, int end) { products.batched(lanes.front(), begin, end); }); });
  json["grouped_flops_per_s"] = nullptr;
  if (kHasGroupedBatched) {
    json["grouped_flops_per_s"] =
        rate([&] { in_batches([&](int begin, int end) { products.grouped(lanes.front(), begin, end); }); });
  }
  return json;
}

void measure_small(const Request& request) {
  Json json{{"products", request.products}, {"batch", request.batch}, {"streams", request.streams}};
  json["sizes"] = Json::array();
  warm_up(request, request.small.front());
  for (const int size : request.small) {
    json["sizes"].push_back(measure_small_size(request, size));
    print_line({{"small", json}});
  }
}

/// Ends the program with kNoGpu when there is none.
GpuFacts facts_or_exit(int device) {
  try {
    CudaGpus gpus;
    if (device < gpus.count()) return gpus.facts(device);
    throw input_error("--device", fmt::to_string(device), fmt::format("a number below {}", gpus.count()));
  } catch (const WorkError& error) {
    fmt::print(stderr, "cuda_peers: {}\n", error.what());
    throw CLI::RuntimeError(kNoGpu);
  }
}

void measure(const Request& request) {
  const GpuFacts facts = facts_or_exit(request.device);
  check(cudaSetDevice(request.device), "cudaSetDevice");
  print_line({{"gpu", facts.name}, {"library", facts.library}, {"repeats", request.repeats}});
  if (!request.pin.empty()) measure_pinned(request);
  if (request.copy_bytes > 0) measure_copies(request);
  if (request.dense > 0) print_line({{"dense", measure_dense(request)}});
  if (!request.small.empty()) measure_small(request);
  if (request.xt > 0) measure_xt(request);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measure what CUDA's own libraries reach on this GPU; exits with 3 where there is none.",
               "cuda_peers");
  Request request;
  const CLI::Range extent(1, 1 << 17);
  const CLI::Range bytes(std::int64_t{1}, std::int64_t{1} << 40);
  app.add_option("--device", request.device, "GPU")->check(CLI::NonNegativeNumber);
  app.add_option("--repeats", request.repeats, "times of which the median is taken")
      ->check(CLI::Range(1, 1000));
  app.add_option("--dense", request.dense,
                 "cuBLAS: N of an N x N x N product in device memory (24 N^2 bytes)")
      ->check(extent);
  app.add_option("--copies", request.copy_bytes,
                 "copies of so many bytes (twice as many of host and device memory)")
      ->check(bytes);
  app.add_option("--pin", request.pin,
                 "page-locking of so many bytes of host memory, such as 268435456,4294967296")
      ->delimiter(',')
      ->check(bytes);
  app.add_option("--xt", request.xt, "cublasXt: N of an N x N x N product in host memory (24 N^2 bytes)")
      ->check(extent);
  app.add_option("--xt-blocks", request.xt_blocks, "its block sizes, of which the best counts")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 15));
  app.add_option("--small", request.small, "extents of small products, such as 64,128,256")
      ->delimiter(',')
      ->check(CLI::Range(1, 4096));
  app.add_option("--products", request.products, "how many small ones")->check(CLI::Range(1, 1 << 22));
  app.add_option("--batch", request.batch, "how many of them in a batch")->check(CLI::Range(1, 1 << 16));
  app.add_option("--streams", request.streams, "streams for small products one by one")
      ->check(CLI::Range(1, 64));
  app.callback([&] { measure(request); });
  return run_program(app, argc, argv);
}
