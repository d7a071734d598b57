// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/cuda_gpu.hpp"

#include <numeric>
#include <stdexcept>

#include "../random_combine.hpp"
#include "base/error.hpp"
#include "executor/tiles/generate.hpp"
#include "random_products.hpp"

namespace foretile::cuda_gpu_test {
namespace {

class CudaGpuTest : public CudaTest {};

std::vector<double> counting(std::int64_t from, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), static_cast<double>(from));
  return values;
}

template <typename Call>
std::string work_error(Call call) {
  try {
    call();
  } catch (const WorkError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(CudaGpuTest, CopiesNothingBeforeThePointIsReached) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  std::byte* there = gpu->allocate(16);
  HostMemory here(gpus, 16);
  std::memcpy(here.get(), counting(1, 2).data(), 16);
  const CopyPiece in{there, here.get(), 16};
  gpu->copy(kInLane, {&in, 1});
  EXPECT_EQ(fake_cuda::waiting(), 1);
  EXPECT_EQ(gpu->reached(kInLane), 0U);
  EXPECT_EQ(gpu->mark(kInLane), 1U);
  EXPECT_EQ(gpu->mark(kInLane), 2U);
  EXPECT_EQ(gpu->mark(kOutLane), 1U);
  while (gpu->reached(kInLane) < 2) {
  }
  EXPECT_EQ(gpu->mark(kInLane), 3U);
  EXPECT_EQ(get<double>(gpus, *gpu, there, 2), counting(1, 2));
}

/// Joined, the first two would overlap themselves.
TEST_F(CudaGpuTest, PiecesAreCopiedOneByOneAndMaySlide) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  const std::vector<double> values = counting(0, 8);
  std::byte* from = put<double>(gpus, *gpu, values);
  std::byte* to = put<double>(gpus, *gpu, values);
  const int before = fake_cuda::calls("cudaMemcpyAsync");
  const std::vector<CopyPiece> pieces = {
      {from, from + 8, 8}, {from + 8, from + 16, 8}, {to, from, 0}, {to + 40, from + 8, 24}};
  gpu->copy(kPeerLane, pieces);
  EXPECT_EQ(fake_cuda::calls("cudaMemcpyAsync") - before, 3);  // nothing is not copied
  wait_for(*gpu, kPeerLane);
  EXPECT_EQ(get<double>(gpus, *gpu, from, 4), (std::vector<double>{1, 2, 2, 3}));
  EXPECT_EQ(get<double>(gpus, *gpu, to, 8), (std::vector<double>{0, 1, 2, 3, 4, 2, 2, 3}));
}

/// Rows of 2 numbers, 3 apart here and 2 apart there.
TEST_F(CudaGpuTest, RowsAreOneCopy) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  HostMemory here(gpus, 64);
  const std::vector<double> values = counting(0, 8);
  std::memcpy(here.get(), values.data(), 64);
  std::byte* there = gpu->allocate(48);
  const CopyPiece piece{there, here.get(), 16, 3, 16, 24};
  gpu->copy(kInLane, {&piece, 1});
  wait_for(*gpu, kInLane);
  EXPECT_EQ(fake_cuda::calls("cudaMemcpy2DAsync"), 1);
  EXPECT_EQ(fake_cuda::calls("cudaMemcpyAsync"), 0);
  EXPECT_EQ(get<double>(gpus, *gpu, there, 6), (std::vector<double>{0, 1, 3, 4, 6, 7}));
}

TEST_F(CudaGpuTest, MakesTheNumbersOfGenerateTile) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(1, 1);
  std::vector<double> expected(1000);
  const std::uint64_t key = tile_key(7, Operand::b, 42);
  generate_tile(expected, key, 3.7);
  std::byte* doubles = gpu->allocate(8000);
  std::byte* floats = gpu->allocate(4000);
  const std::vector<TileToMake> as_double = {{doubles, 1000, key, 3.7}, {doubles, 0, key, 3.7}};
  const TileToMake as_float{floats, 1000, key, 3.7};
  gpu->make(kGenerateLane, Precision::f64, as_double);
  gpu->make(kGenerateLane, Precision::f32, {&as_float, 1});
  wait_for(*gpu, kGenerateLane);
  EXPECT_EQ(get<double>(gpus, *gpu, doubles, 1000), expected);
  EXPECT_EQ(get<float>(gpus, *gpu, floats, 1000), std::vector<float>(expected.begin(), expected.end()));
}

/// Operands are on the device or in pinned memory.
template <class Real>
void expect_the_sums_of_the_cores(std::uint64_t seed) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(1, 1);
  Random random(seed);
  const auto size = [](const std::vector<Real>& values) { return static_cast<std::int64_t>(values.size()); };
  std::vector<RandomCombine<Real>> all;
  for (int t = 0; t < 25; ++t) all.push_back(random_combine<Real>(random, 3000));
  std::vector<std::unique_ptr<HostMemory>> pinned;
  const auto placed = [&](const std::vector<Real>& values) {
    if (values.empty()) return gpu->allocate(8);
    if (random.integer(0, 1) == 1) return put<Real>(gpus, *gpu, values);
    const auto bytes = size(values) * std::int64_t{sizeof(Real)};
    std::byte* const memory = pinned.emplace_back(std::make_unique<HostMemory>(gpus, bytes))->get();
    std::memcpy(memory, values.data(), static_cast<std::size_t>(bytes));
    return memory;
  };
  std::vector<TileToCombine> tiles;
  for (const RandomCombine<Real>& x : all) tiles.push_back(x.tile(placed(x.from), placed(x.to)));
  gpu->combine(kFirstKernelLane, precision_of<Real>(), tiles);
  EXPECT_EQ(fake_cuda::calls("launch_combine"), 2);  // of 20 tiles and what is left
  wait_for(*gpu, kFirstKernelLane);
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (all[t].to.empty()) continue;
    EXPECT_EQ(get<Real>(gpus, *gpu, tiles[t].to, size(all[t].to)), all[t].expected);
  }
}

TEST_F(CudaGpuTest, AddsTilesAsTheCoresDo) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE(seed);
    fake_cuda::reset();
    expect_the_sums_of_the_cores<double>(seed);
    fake_cuda::reset();
    expect_the_sums_of_the_cores<float>(seed);
    for (const std::string& complaint : fake_cuda::complaints(true)) ADD_FAILURE() << complaint;
  }
}

/// (1 2) is loaded, doubled into what was stored, and only then copied back. No wait is in between.
TEST_F(CudaGpuTest, AdditionsFollowOtherLanes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    fake_cuda::Options options;
    options.seed = seed;
    fake_cuda::reset(options);
    CudaGpus gpus;
    const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
    std::byte* const to = put<double>(gpus, *gpu, counting(10, 2));
    std::byte* const loaded = gpu->allocate(16);
    HostMemory here(gpus, 16), there(gpus, 16);
    std::memcpy(here.get(), counting(1, 2).data(), 16);
    const std::vector<std::int64_t> extents{2};
    const CopyPiece in{loaded, here.get(), 16};
    const CopyPiece out{there.get(), to, 16};
    gpu->copy(kInLane, {&in, 1});
    gpu->follow(kPeerLane, kInLane);
    {
      const std::vector<std::int64_t> of_the_call = extents;
      const TileToCombine tile{of_the_call, {}, 1, 2, loaded, to};
      gpu->combine(kPeerLane, Precision::f64, {&tile, 1});
    }
    gpu->follow(kOutLane, kPeerLane);
    gpu->copy(kOutLane, {&out, 1});
    wait_for(*gpu, kOutLane);
    std::vector<double> values(2);
    std::memcpy(values.data(), there.get(), 16);
    EXPECT_EQ(values, (std::vector<double>{12, 15}));
    for (const std::string& complaint : fake_cuda::complaints(false)) ADD_FAILURE() << complaint;
  }
}

TEST_F(CudaGpuTest, AdditionsThatCannotBe) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  std::byte* const memory = gpu->allocate(64);
  const std::vector<std::int64_t> extents{2, 2};
  const std::vector<int> twice_the_same{0, 0};
  TileToCombine tile{extents, twice_the_same, 1, 1, memory, memory + 32};
  EXPECT_THROW(gpu->combine(kPeerLane, Precision::f64, {&tile, 1}), InputError);
  EXPECT_EQ(fake_cuda::calls("launch_combine"), 0);
  tile.permutation = {};
  EXPECT_THROW(gpu->combine(kFirstKernelLane + 1, Precision::f64, {&tile, 1}), std::logic_error);
  fake_cuda::fail_after("cudaLaunchKernel", 0);
  EXPECT_EQ(work_error([&] {
              gpu->combine(kPeerLane, Precision::f64, {&tile, 1});
            }),
            "cudaLaunchKernel: unknown error (cudaErrorUnknown)");
}

TEST_F(CudaGpuTest, SaysHowMuchMemoryIsMissing) {
  fake_cuda::Options options;
  options.memory_bytes = std::int64_t{1} << 28;
  fake_cuda::reset(options);
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  const std::int64_t free = gpus.facts(0).free_bytes;
  const std::string text = work_error([&] { gpu->allocate(free + 1000); });
  EXPECT_NE(text.find("cudaMalloc: out of memory (cudaErrorMemoryAllocation)"), std::string::npos) << text;
  EXPECT_NE(text.find(" 1000 bytes are missing"), std::string::npos) << text;
  EXPECT_TRUE(gpu->allocate(free));
}

TEST_F(CudaGpuTest, WorkspaceFollowsTheArchitecture) {
  for (const auto& [major, bytes] : {std::pair{8, std::int64_t{4} << 20}, {9, std::int64_t{32} << 20}}) {
    fake_cuda::Options options;
    options.major = major;
    fake_cuda::reset(options);
    CudaGpus gpus;
    const std::int64_t before = gpus.facts(0).free_bytes;
    const std::unique_ptr<Gpu> gpu = gpus.open(0, 2);
    const std::int64_t taken = before - gpus.facts(0).free_bytes;
    EXPECT_GE(taken, 2 * bytes);
    EXPECT_LE(taken, 2 * (bytes + (1 << 20)));
  }
}

/// Work fails on the device after the call that asked for it. Every later call says so.
TEST_F(CudaGpuTest, BrokenWorkShowsInLaterCalls) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  std::byte* memory = gpu->allocate(64);
  const CopyPiece piece{memory, memory + 32, 32};
  fake_cuda::break_next_work();
  gpu->copy(kInLane, {&piece, 1});
  gpu->mark(kInLane);
  const std::string text = work_error([&] {
    while (gpu->reached(kInLane) < 1) {
    }
  });
  EXPECT_EQ(text, "cudaEventQuery: an illegal memory access was encountered (cudaErrorIllegalAddress)");
  EXPECT_NE(work_error([&] { gpu->copy(kInLane, {&piece, 1}); }), "no error");
  EXPECT_NE(work_error([&] { gpu->mark(kInLane); }), "no error");
  EXPECT_NE(work_error([&] { gpu->allocate(8); }), "no error");
}

/// A tile goes through all lanes, host to device to device to host, and no wait is in between.
TEST_F(CudaGpuTest, LanesFollowEachOther) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    fake_cuda::Options options;
    options.seed = seed;
    fake_cuda::reset(options);
    CudaGpus gpus;
    const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
    HostMemory here(gpus, 16);
    std::memcpy(here.get(), counting(1, 2).data(), 16);
    HostMemory there(gpus, 16);
    std::byte* first = gpu->allocate(16);
    std::byte* second = gpu->allocate(16);
    for (int round = 0; round < 3; ++round) {
      const CopyPiece in{first, here.get(), 16};
      const CopyPiece across{second, first, 16};
      const CopyPiece out{there.get(), second, 16};
      gpu->copy(kInLane, {&in, 1});
      gpu->follow(kPeerLane, kInLane);
      gpu->copy(kPeerLane, {&across, 1});
      gpu->follow(kInLane, kPeerLane);
      gpu->follow(kOutLane, kPeerLane);
      gpu->follow(kOutLane, kOutLane);
      gpu->copy(kOutLane, {&out, 1});
      gpu->follow(kPeerLane, kOutLane);
    }
    EXPECT_EQ(fake_cuda::calls("cudaStreamSynchronize") + fake_cuda::calls("cudaEventSynchronize"), 0);
    wait_for(*gpu, kOutLane);
    std::vector<double> values(2);
    std::memcpy(values.data(), there.get(), 16);
    EXPECT_EQ(values, counting(1, 2));
    for (const std::string& complaint : fake_cuda::complaints(false)) ADD_FAILURE() << complaint;
  }
}

/// The device goes while work is under way, as after an error elsewhere.
TEST_F(CudaGpuTest, WaitsForItsWorkBeforeItGoes) {
  CudaGpus gpus;
  HostMemory here(gpus, 16);
  std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  const CopyPiece piece{here.get(), put<double>(gpus, *gpu, counting(1, 2)), 16};
  gpu->copy(kOutLane, {&piece, 1});
  gpu->mark(kOutLane);
  gpu.reset();
  std::vector<double> values(2);
  std::memcpy(values.data(), here.get(), 16);
  EXPECT_EQ(values, counting(1, 2));
}

TEST_F(CudaGpuTest, LanesThatAreNotThere) {
  CudaGpus gpus;
  const std::unique_ptr<Gpu> gpu = gpus.open(0, 1);
  EXPECT_THROW(gpu->mark(kFirstKernelLane + 1), std::logic_error);
  EXPECT_THROW(gpu->mark(-1), std::logic_error);
  EXPECT_THROW(gpu->multiply(kInLane, {{Precision::f64}}, {}), std::logic_error);
}

/// A bit of everything on two devices.
void use_everything() {
  Random random(1);
  CudaGpus gpus;
  gpus.facts(0);
  const std::unique_ptr<Gpu> one = gpus.open(0, 1);
  const std::unique_ptr<Gpu> other = gpus.open(1, 2);
  std::vector<TestProduct<double>> products;
  for (int p = 0; p < 3; ++p) products.push_back(random_product<double>(random, 1, 2));
  products.push_back(random_product<double>(random, 3, 3));
  std::vector<TileProduct> tiles = put_products<double>(gpus, *other, products);
  other->multiply(kFirstKernelLane + 1, {{Precision::f64}}, tiles);
  other->multiply(kFirstKernelLane, {{Precision::f64}}, std::span(tiles).last(1));
  const TileToMake to_make{one->allocate(64), 8, 1, 1.0};
  one->make(kGenerateLane, Precision::f64, {&to_make, 1});
  wait_for(*one, kGenerateLane);
  const std::vector<std::int64_t> extents{8};
  const TileToCombine to_add{extents, {}, 1, 1, to_make.to, one->allocate(64)};
  one->follow(kPeerLane, kGenerateLane);
  one->combine(kPeerLane, Precision::f64, {&to_add, 1});
  wait_for(*one, kPeerLane);
  const CopyPiece piece{other->allocate(64), to_make.to, 64};
  other->follow(kPeerLane, kInLane);
  other->copy(kPeerLane, {&piece, 1});
  wait_for(*other, kPeerLane);
}

/// Whichever call fails, there is one WorkError with a name in it, and all is given back.
TEST_F(CudaGpuTest, EveryCallMayFail) {
  bool reached_the_end = false;
  for (int calls = 0; calls < 20000 && !reached_the_end; calls += calls < 50 ? 1 : 61) {
    SCOPED_TRACE(calls);
    fake_cuda::reset();
    fake_cuda::fail_after("", calls);
    const std::string text = work_error(use_everything);
    reached_the_end = !fake_cuda::failed();
    EXPECT_TRUE(text == "no error" || text.rfind("cu", 0) == 0) << text;
    for (const std::string& complaint : fake_cuda::complaints(true)) ADD_FAILURE() << complaint;
  }
  EXPECT_TRUE(reached_the_end);
}

TEST_F(CudaGpuTest, EveryNamedCallMayFail) {
  for (const char* name : {"cudaGetDeviceCount",
                           "cudaGetDeviceProperties",
                           "cudaDeviceGetAttribute",
                           "cudaSetDevice",
                           "cudaGetDevice",
                           "cudaDriverGetVersion",
                           "cudaRuntimeGetVersion",
                           "cudaDeviceCanAccessPeer",
                           "cudaDeviceEnablePeerAccess",
                           "cudaMemGetInfo",
                           "cudaMalloc",
                           "cudaHostAlloc",
                           "cudaStreamCreateWithPriority",
                           "cudaDeviceGetStreamPriorityRange",
                           "cudaEventCreateWithFlags",
                           "cudaEventRecord",
                           "cudaStreamWaitEvent",
                           "cudaEventQuery",
                           "cudaMemcpyAsync",
                           "cudaLaunchKernel",
                           "cublasGetProperty",
                           "cublasCreate",
                           "cublasSetStream",
                           "cublasSetWorkspace",
                           "cublasSetPointerMode",
                           "cublasSetMathMode",
                           "cublasDgemm",
                           "cublasDgemmGroupedBatched"}) {
    fake_cuda::reset();
    fake_cuda::fail_after(name, 0);
    const std::string text = work_error(use_everything);
    EXPECT_TRUE(fake_cuda::failed()) << name << " was never called";
    EXPECT_EQ(text.rfind(std::string(name) + ": ", 0), 0U) << text;
    for (const std::string& complaint : fake_cuda::complaints(true))
      ADD_FAILURE() << name << ": " << complaint;
  }
}

}  // namespace
}  // namespace foretile::cuda_gpu_test
