// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/gpu_backend.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "executor/gpu/memory_pool.hpp"
#include "executor/gpu/stand_in.hpp"
#include "tests/executor/backends/run_alone.hpp"

namespace foretile::gpu_backend_test {
namespace {

/// Hands everything to another device, but for what is asked to fail. Counts pieces.
class FailingGpu final : public Gpu {
 public:
  FailingGpu(std::unique_ptr<Gpu> inner, std::string fails, std::size_t& pieces)
      : inner_(std::move(inner)), fails_(std::move(fails)), pieces_(pieces) {}

  std::byte* allocate(std::int64_t bytes) override { return inner_->allocate(bytes); }
  void copy(Lane lane, std::span<const CopyPiece> pieces) override {
    fail_if("copy");
    pieces_ += pieces.size();
    inner_->copy(lane, pieces);
  }
  void multiply(Lane lane, const ProductForm& form, std::span<const TileProduct> products) override {
    fail_if("multiply");
    inner_->multiply(lane, form, products);
  }
  void make(Lane lane, Precision precision, std::span<const TileToMake> tiles) override {
    fail_if("make");
    inner_->make(lane, precision, tiles);
  }
  void combine(Lane lane, Precision precision, std::span<const TileToCombine> tiles) override {
    inner_->combine(lane, precision, tiles);
  }
  void follow(Lane lane, Lane other) override { inner_->follow(lane, other); }
  std::uint64_t mark(Lane lane) override { return inner_->mark(lane); }
  std::uint64_t reached(Lane lane) override {
    fail_if("reached");
    return inner_->reached(lane);
  }

 private:
  void fail_if(const std::string& call) const {
    if (call == fails_) throw WorkError("cudaSomething: out of luck (cudaErrorLuck)");
  }
  std::unique_ptr<Gpu> inner_;
  std::string fails_;
  std::size_t& pieces_;
};

class FailingGpus final : public Gpus {
 public:
  explicit FailingGpus(std::string fails) : fails_(std::move(fails)) {}
  int count() const override { return 2; }
  GpuFacts facts(int physical) override { return inner_.facts(physical); }
  std::unique_ptr<Gpu> open(int physical, int kernel_lanes) override {
    return std::make_unique<FailingGpu>(inner_.open(physical, kernel_lanes), fails_, pieces);
  }
  bool direct(int, int) override { return true; }
  std::byte* allocate_host(std::int64_t bytes) override { return inner_.allocate_host(bytes); }
  void free_host(std::byte* memory) override { inner_.free_host(memory); }
  void pause(double seconds) override { inner_.pause(seconds); }
  bool reaches(const std::byte*) const override { return reaches_host; }

  std::size_t pieces = 0;  // of copies, ever
  bool reaches_host = true;

 private:
  StandInGpus inner_{{2}};
  std::string fails_;
};

/// One tile of A (2 x 3), two of B (3 x 4, 3 x 5), two of C; all in one chunk on one rank.
struct Small {
  Contraction problem{"p",
                      Tiling({0, 2}),
                      Tiling({0, 4, 9}),
                      Tiling({0, 3}),
                      Shape::dense(1, 1),
                      Shape::dense(1, 2),
                      Shape::dense(1, 2),
                      5};
  PlanFrame frame;
  RankPlan part;
  Small() {
    frame.device_classes[0].memory_bytes = 1'000'000;
    part.devices = {{}, {{{{0, 1}, {{{0}, 0}}}}}};
  }
};

std::string failure(const std::function<void()>& work) {
  try {
    work();
  } catch (const WorkError& error) {
    return error.what();
  }
  return "nothing failed";
}

const GpuBackendOptions kRank3{3, 4, 1, 1};

TEST(GpuBackend, SaysWhereAndAtWhatItFailed) {
  const Small small;
  const TileRef a{Matrix::a, 0};
  const Product product{0, 1, 0, 0, 1, 1, 1, 1};
  const std::string where = "rank 3, device 1 on GPU 1: stand-in (threads of the CPU): ";
  const std::string why = ": cudaSomething: out of luck (cudaErrorLuck)";
  const auto message = [&](const std::string& fails, const std::function<void(GpuBackend&)>& work) {
    HostStore host(small.problem, small.frame, small.part, 0);
    FailingGpus gpus(fails);
    GpuBackend backend(small.problem, small.frame, small.part, host, gpus, kRank3, {});
    for (const TileRef tile : {a, TileRef{Matrix::b, 1}, TileRef{Matrix::c, 1}}) backend.allocate(1, tile);
    return failure([&] { work(backend); });
  };
  EXPECT_EQ(message("copy",
                    [&](GpuBackend& b) {
                      b.start_copy(0, {kHost, 1, {a}, 48});
                    }),
            where + "loading A(0,0)" + why);
  EXPECT_EQ(message("copy",
                    [&](GpuBackend& b) {
                      b.start_copy(0, {1, kHost, {{Matrix::c, 1}}, 80});
                    }),
            where + "storing C(0,1)" + why);
  EXPECT_EQ(message("multiply",
                    [&](GpuBackend& b) {
                      b.start_kernel(0, 1, {&product, 1});
                    }),
            where + "multiplying C(0,1) += A(0,0) B(0,1)" + why);
  EXPECT_EQ(message("make",
                    [&](GpuBackend& b) {
                      b.start_copy(0, {kGenerated, 1, {{Matrix::b, 1}}, 120});
                    }),
            where + "generating B(0,1)" + why);
  EXPECT_EQ(message("copy",
                    [&](GpuBackend& b) {
                      b.start_copy(0, {kHost, 1, {a, {Matrix::b, 1}}, 168});
                    }),
            where + "loading A(0,0) and 1 more" + why);
  EXPECT_EQ(message("reached",
                    [&](GpuBackend& b) {
                      b.start_copy(0, {kHost, 1, {a}, 48});
                      b.ended(1);
                    }),
            where + "loading A(0,0)" + why);
}

TEST(GpuBackend, SaysHowMuchDeviceMemoryIsMissing) {
  const Small small;  // five tiles of 256 bytes when rounded up
  HostStore host(small.problem, small.frame, small.part, 0);
  StandInGpus gpus({1, 1000});
  const std::string message =
      failure([&] { GpuBackend(small.problem, small.frame, small.part, host, gpus, kRank3, {}); });
  EXPECT_EQ(message,
            "rank 3, device 1 on GPU 0: stand-in (threads of the CPU): starting: device memory: 1280 bytes "
            "asked for, "
            "1000 are free: 280 bytes are missing");
}

/// 4 x 1 tiles of A of 256 bytes, 1 x 3 of B of 512 and C's 4 x 3 of 256, all in one chunk.
struct Rows {
  Contraction problem{"p",
                      Tiling::uniform(16, 4),
                      Tiling::uniform(24, 8),
                      Tiling::uniform(8, 8),
                      Shape::dense(4, 1),
                      Shape::dense(1, 3),
                      Shape::dense(4, 3)};
  PlanFrame frame;
  RankPlan part;
  explicit Rows(std::int64_t budget_bytes) {
    frame.device_classes[0].memory_bytes = budget_bytes;
    part.devices = {{{{{0, 1, 2}, {{{0, 1, 2, 3}, 0}}}}}};
  }
};

/// A budget of four tiles of A gives a pool of 1024 + 4 * 255 + 256 = 2300 bytes, eight times 256: full with
/// A and two tiles of B. Two tiles of A that are no neighbours make way for the third of B.
/// As CpuBackend, TheProductDoesNotDependOnHowManyCoresMakeATile.
TEST(GpuBackend, TheProductDoesNotDependOnHowManyCoresMakeATile) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    const Contraction problem = generated_tiles(precision);
    const Machine machine = small_machine(1, 2, 1 << 20, 1 << 24);
    const Plan plan = make_plan(problem, machine, {});
    SchedulerOptions options = scheduler_options(plan, plan.ranks[0], problem, machine, 0, true);
    StandInGpus gpus{{2}};
    const auto run = [&](int cores) {
      options.core_slots = cores;
      return run_alone(plan, problem, options, [&](HostStore& host) {
        return std::make_unique<GpuBackend>(problem, plan, plan.ranks[0], host, gpus,
                                            GpuBackendOptions{0, 0, 1, cores}, Transport{});
      });
    };
    const AloneResult whole = run(1);
    EXPECT_EQ(whole.statistics.generate_operations, 9);
    options.least_part_bytes = 1000;
    for (const int cores : {1, 2, 4}) {
      const AloneResult found = run(cores);
      EXPECT_EQ(found.c, whole.c) << cores << " cores";
      EXPECT_EQ(found.statistics.generated_tiles, 9);
      EXPECT_EQ(found.statistics.generate_operations, generated_operations(precision, cores));
    }
  }
}

TEST(GpuBackend, CountsHowOftenTilesMove) {
  const Rows rows(1024);
  StandInGpus gpus;
  HostStore host(rows.problem, rows.frame, rows.part, 0);
  GpuBackend backend(rows.problem, rows.frame, rows.part, host, gpus, {0, 0, 1, 1}, {});
  for (TileId a = 0; a < 4; ++a) backend.allocate(0, {Matrix::a, a});
  for (TileId b = 0; b < 2; ++b) backend.allocate(0, {Matrix::b, b});
  backend.release(0, {Matrix::a, 1});
  backend.release(0, {Matrix::a, 3});
  EXPECT_EQ(backend.compactions(), 0);
  backend.allocate(0, {Matrix::b, 2});
  EXPECT_EQ(backend.compactions(), 1);
  EXPECT_EQ(backend.compacted_bytes() % 256, 0);
  EXPECT_GT(backend.compacted_bytes(), 0);
}

/// Neighbours on the host in the order in which they are loaded, and so on the device; C is written back as
/// it was placed.
TEST(GpuBackend, NeighboursTravelInOnePiece) {
  const Rows rows(1'000'000);
  const auto& [problem, frame, part] = rows;
  FailingGpus gpus("");
  PinnedPool pool(gpus, 100'000);
  HostStore host(problem, frame, part, 0, {1, &pool});
  GpuBackend backend(problem, frame, part, host, gpus, {0, 0, 1, 1}, {});
  const std::vector<TileRef> loads{{Matrix::b, 0}, {Matrix::b, 1}, {Matrix::b, 2}, {Matrix::a, 0},
                                   {Matrix::a, 1}, {Matrix::a, 2}, {Matrix::a, 3}};
  const std::vector<TileRef> stores{{Matrix::c, 0}, {Matrix::c, 1}, {Matrix::c, 2}};
  for (const TileRef tile : stores) backend.allocate(0, tile);
  for (const TileRef tile : loads) backend.allocate(0, tile);
  backend.start_copy(0, {kHost, 0, loads, 0});
  EXPECT_EQ(gpus.pieces, 1U);
  backend.start_copy(1, {0, kHost, stores, 0});
  EXPECT_EQ(gpus.pieces, 2U);
}

/// Tiles of A are in place with the other sign.
class NegatedTiles final : public PlanTasks {
 public:
  explicit NegatedTiles(std::vector<std::int64_t> extents) : extents_(std::move(extents)) {}
  std::byte* tensor_tile(TileId) override { return nullptr; }
  std::byte* tensor_place(const FlowTask&, bool) override { return nullptr; }
  PermutedCopy permuted_store(const FlowTask&) const override { return {}; }
  std::optional<PermutedCopy> permuted_load(TileRef tile) const override {
    if (tile.matrix != Matrix::a) return std::nullopt;
    return PermutedCopy{extents_, {0, 1}, -1};
  }
  std::vector<std::function<void()>> jobs(const FlowTask&, const std::byte*, std::byte*, int) override {
    return {};
  }
  void step_over(Step) override {}

 private:
  std::vector<std::int64_t> extents_;
};

/// C(0,0) of 4 x 8 numbers = A(0,0) B(0,0).
std::vector<double> first_product(PlanTasks* tasks, bool reaches_host) {
  const Rows rows(1'000'000);
  const auto& [problem, frame, part] = rows;
  FailingGpus gpus("");
  gpus.reaches_host = reaches_host;
  HostStore host(problem, frame, part, 0, {.tasks = tasks});
  GpuBackend backend(problem, frame, part, host, gpus, {0, 0, 1, 1}, {});
  const TileRef a{Matrix::a, 0}, b{Matrix::b, 0}, c{Matrix::c, 0};
  for (const TileRef tile : {c, a, b}) backend.allocate(0, tile);
  const auto wait = [&] {
    while (backend.ended(1).empty()) {
    }
  };
  backend.start_copy(0, {kHost, 0, {a, b}, 0});
  wait();
  const Product product{0, 0, 0, 0, 0, 0, 0, 0};
  backend.start_kernel(1, 0, {&product, 1});
  wait();
  backend.start_copy(2, {0, kHost, {c}, 0});
  wait();
  const auto* const numbers = reinterpret_cast<const double*>(host.c.at(0).data());
  return {numbers, numbers + std::ptrdiff_t{4} * 8};
}

/// By the device, or by a core where the device does not reach host memory.
TEST(GpuBackend, PermutesWhatItLoads) {
  std::vector<double> negated = first_product(nullptr, true);
  EXPECT_NE(negated[0], 0);
  for (double& number : negated) number = -number;
  for (const bool reaches_host : {true, false}) {
    NegatedTiles tiles({4, 8});
    EXPECT_EQ(first_product(&tiles, reaches_host), negated) << reaches_host;
  }
}

TEST(GpuBackend, LogicalDevicesGoRoundThePhysicalOnes) {
  const Small small;
  HostStore host(small.problem, small.frame, small.part, 0);
  StandInGpus gpus({3});
  const std::int64_t free = gpus.facts(2).free_bytes;
  const GpuBackend backend(small.problem, small.frame, small.part, host, gpus, kRank3, {});
  EXPECT_EQ(gpus.facts(1).free_bytes, free);  // device 0 has nothing to do
  EXPECT_EQ(gpus.facts(2).free_bytes, free - 5 * 256 - (4 << 20));
}

}  // namespace
}  // namespace foretile::gpu_backend_test
