// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/blas_lane.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "random_products.hpp"

namespace foretile::blas_lane_test {
namespace {

class BlasLaneTest : public CudaTest {
 protected:
  template <typename Real>
  void run(std::vector<TestProduct<Real>> products) {
    const std::vector<TileProduct> tiles = put_products(*gpus_, *gpu_, products);
    gpu_->multiply(kFirstKernelLane, {{sizeof(Real) == 8 ? Precision::f64 : Precision::f32}}, tiles);
    wait_for(*gpu_, kFirstKernelLane);
    expect_results(*gpus_, *gpu_, products);
  }

  void SetUp() override {
    CudaTest::SetUp();
    gpus_ = std::make_unique<CudaGpus>();
    gpu_ = gpus_->open(0, 2);
  }
  void TearDown() override {
    gpu_.reset();
    CudaTest::TearDown();
  }

  std::unique_ptr<CudaGpus> gpus_;
  std::unique_ptr<Gpu> gpu_;
};

template <typename Real>
TestProduct<Real> product(Random& random, std::int64_t m, std::int64_t n, std::int64_t k, bool first) {
  TestProduct<Real> p;
  p.m = m;
  p.n = n;
  p.k = k;
  p.first = first;
  finish_product(random, p);
  return p;
}

TEST_F(BlasLaneTest, OneProductIsOneCall) {
  Random random(1);
  run<double>({product<double>(random, 3, 4, 5, true)});
  run<double>({product<double>(random, 3, 4, 5, false)});
  run<float>({product<float>(random, 5, 1, 2, true)});
  EXPECT_EQ(fake_cuda::calls("cublasDgemm"), 2);
  EXPECT_EQ(fake_cuda::calls("cublasSgemm"), 1);
}

TEST_F(BlasLaneTest, EqualProductsAreOneBatch) {
  Random random(2);
  for (const bool first : {true, false}) {
    std::vector<TestProduct<double>> products;
    for (int p = 0; p < 5; ++p) products.push_back(product<double>(random, 2, 3, 4, first));
    run(products);
  }
  EXPECT_EQ(fake_cuda::calls("cublasDgemmBatched"), 2);
  EXPECT_EQ(fake_cuda::calls("cublasDgemm"), 0);
  EXPECT_EQ(fake_cuda::calls("launch_bring"), 2);
}

/// They would wait for tiles on the copy engine.
TEST_F(BlasLaneTest, ListsAreNotCopied) {
  Random random(6);
  std::vector<TestProduct<double>> products = {product<double>(random, 2, 3, 4, true),
                                               product<double>(random, 2, 3, 4, true)};
  const std::vector<TileProduct> tiles = put_products(*gpus_, *gpu_, products);
  const int before = fake_cuda::calls("cudaMemcpyAsync");
  gpu_->multiply(kFirstKernelLane, {{Precision::f64}}, tiles);
  wait_for(*gpu_, kFirstKernelLane);
  EXPECT_EQ(fake_cuda::calls("cudaMemcpyAsync"), before);
  expect_results(*gpus_, *gpu_, products);
}

TEST_F(BlasLaneTest, DifferentProductsAreOneGroupedBatch) {
  Random random(3);
  run<double>({product<double>(random, 2, 3, 4, true), product<double>(random, 2, 3, 4, false),
               product<double>(random, 1, 3, 4, false), product<double>(random, 2, 3, 4, true)});
  run<float>({product<float>(random, 2, 3, 4, true), product<float>(random, 4, 3, 4, true)});
  EXPECT_EQ(fake_cuda::calls("cublasDgemmGroupedBatched"), 1);
  EXPECT_EQ(fake_cuda::calls("cublasSgemmGroupedBatched"), 1);
  EXPECT_EQ(fake_cuda::calls("cublasDgemmBatched") + fake_cuda::calls("cublasDgemm"), 0);
}

/// 15 products in two groups are fewer than 8 in each, 16 are not.
TEST_F(BlasLaneTest, LargeGroupsAreABatchEach) {
  Random random(7);
  std::vector<TestProduct<double>> products = {product<double>(random, 1, 3, 4, true)};
  while (products.size() < 15) products.push_back(product<double>(random, 2, 3, 4, true));
  run(products);
  EXPECT_EQ(fake_cuda::calls("cublasDgemmGroupedBatched"), 1);
  products.push_back(product<double>(random, 2, 3, 4, true));
  run(products);
  EXPECT_EQ(fake_cuda::calls("cublasDgemmGroupedBatched"), 1);
  EXPECT_EQ(fake_cuda::calls("cublasDgemmBatched"), 1);
  EXPECT_EQ(fake_cuda::calls("cublasDgemm"), 1);
}

TEST_F(BlasLaneTest, WhatCuBlasDoesNotSupportIsALaunchPerShape) {
  gpu_.reset();
  fake_cuda::Options options;
  options.grouped = false;
  fake_cuda::reset(options);
  gpu_ = gpus_->open(0, 2);
  Random random(8);
  for (int launch = 1; launch <= 2; ++launch) {
    run<double>({product<double>(random, 2, 3, 4, true), product<double>(random, 2, 3, 4, true),
                 product<double>(random, 1, 3, 4, false)});
    EXPECT_EQ(fake_cuda::calls("cublasDgemmBatched"), launch);
    EXPECT_EQ(fake_cuda::calls("cublasDgemm"), launch);
  }
}

TEST_F(BlasLaneTest, TheEnvironmentTurnsGroupsOff) {
  const char* name = "FORETILE_GROUPED";
  unsetenv(name);
  EXPECT_EQ(wants_grouped(), kHasGroupedBatched);
  setenv(name, "1", 1);
  EXPECT_EQ(wants_grouped(), kHasGroupedBatched);
  setenv(name, "0", 1);
  EXPECT_FALSE(wants_grouped());
  gpu_ = gpus_->open(0, 2);
  setenv(name, "no", 1);
  EXPECT_THROW(wants_grouped(), InputError);
  EXPECT_THROW(gpus_->open(0, 2), InputError);
  unsetenv(name);
  Random random(9);
  run<double>({product<double>(random, 2, 3, 4, true), product<double>(random, 1, 3, 4, false)});
  EXPECT_EQ(fake_cuda::calls("cublasDgemmGroupedBatched"), 0);
  EXPECT_EQ(fake_cuda::calls("cublasDgemm"), 2);
}

TEST_F(BlasLaneTest, EmptyProducts) {
  Random random(4);
  // With k = 0 the sum is empty: C becomes 0 when the product is the first, else it stays.
  run<double>({product<double>(random, 3, 2, 0, true), product<double>(random, 3, 2, 0, false),
               product<double>(random, 0, 2, 3, true), product<double>(random, 2, 0, 3, true),
               product<double>(random, 2, 2, 2, false)});
  run<float>({product<float>(random, 3, 2, 0, true)});
  EXPECT_EQ(fake_cuda::calls("cudaMemsetAsync"), 2);
  EXPECT_EQ(fake_cuda::calls("cublasDgemm"), 1);
}

TEST_F(BlasLaneTest, RandomProducts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::int64_t most = random.integer(1, 4);  // few sizes give large groups
    std::vector<TestProduct<double>> doubles;
    std::vector<TestProduct<float>> floats;
    for (std::int64_t p = random.integer(1, 12); p > 0; --p)
      doubles.push_back(random_product<double>(random, 0, most));
    for (std::int64_t p = random.integer(1, 12); p > 0; --p)
      floats.push_back(random_product<float>(random, 0, most));
    run(doubles);
    run(floats);
  }
}

/// One product, several alike and mixed ones; cuBLAS has grouped products for real numbers only.
template <typename Number>
std::vector<TestProduct<Number>> formed_products(Random& random, const ProductForm& form) {
  std::vector<TestProduct<Number>> products;
  for (std::int64_t p = random.integer(1, 6); p > 0; --p) {
    TestProduct<Number> one;
    one.m = random.integer(1, 3);
    one.n = random.integer(1, 3);
    one.k = random.integer(1, 3);
    one.first = random.integer(0, 1) == 1;
    finish_product(random, one, form);
    products.push_back(std::move(one));
  }
  return products;
}

TEST_F(BlasLaneTest, TakesAllOperationsFactorsAndComplexNumbers) {
  const auto run_formed = [&]<class Number>(Random& random, ElementType type, Number) {
    const auto op = [&] { return static_cast<Op>(random.integer(0, 2)); };
    const double imaginary = type.is_complex ? 3 : 0;
    const ProductForm form{type, op(), op(), {-2, imaginary}};
    std::vector<TestProduct<Number>> products = formed_products<Number>(random, form);
    const std::vector<TileProduct> tiles = put_products(*gpus_, *gpu_, products);
    gpu_->multiply(kFirstKernelLane, form, tiles);
    wait_for(*gpu_, kFirstKernelLane);
    expect_results(*gpus_, *gpu_, products);
  };
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    for (const ElementType type : {ElementType{Precision::f64, false}, ElementType{Precision::f32, false},
                                   ElementType{Precision::f64, true}, ElementType{Precision::f32, true}})
      with_element(type, [&](auto number) { run_formed(random, type, number); });
  }
  EXPECT_GT(fake_cuda::calls("cublasZgemm"), 0);
  EXPECT_GT(fake_cuda::calls("cublasCgemmBatched"), 0);
}

TEST_F(BlasLaneTest, RefusesExtentsThatCuBlasCannotCount) {
  const std::int64_t too_many = std::int64_t{1} << 31;
  for (const auto& [m, n, k] : {std::tuple{too_many, std::int64_t{1}, std::int64_t{1}},
                                {std::int64_t{1}, too_many, std::int64_t{1}},
                                {std::int64_t{1}, std::int64_t{1}, too_many},
                                {std::int64_t{-1}, std::int64_t{1}, std::int64_t{1}}}) {
    const TileProduct product{m, n, k, nullptr, nullptr, nullptr, true};
    EXPECT_THROW(gpu_->multiply(kFirstKernelLane, {{Precision::f64}}, {&product, 1}), InputError);
  }
  EXPECT_EQ(fake_cuda::waiting(), 0);
}

TEST_F(BlasLaneTest, OlderCuBlasTakesALaunchPerShape) {
  Random random(5);
  std::vector<TestProduct<double>> products = {
      product<double>(random, 2, 3, 4, true), product<double>(random, 2, 3, 4, false),
      product<double>(random, 1, 3, 4, false), product<double>(random, 2, 3, 4, true)};
  const std::vector<TileProduct> tiles = put_products(*gpus_, *gpu_, products);
  const Stream stream = make_stream();
  BlasLane lane(stream.get(), 30, false);
  lane.multiply({{Precision::f64}}, tiles);
  fake_cuda::drain();
  expect_results(*gpus_, *gpu_, products);
  EXPECT_EQ(fake_cuda::calls("cublasDgemmGroupedBatched"), 0);
  EXPECT_EQ(fake_cuda::calls("cublasDgemmBatched"), 1);
  EXPECT_EQ(fake_cuda::calls("cublasDgemm"), 2);
}

/// A ring of 12 addresses holds the lists of 4 products. Nothing is done before the ring has to wait.
TEST_F(BlasLaneTest, ListsWaitForRoomInTheRing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    std::vector<std::vector<TestProduct<double>>> launches;
    for (int l = 0; l < 10; ++l) {
      launches.emplace_back();
      for (std::int64_t p = random.integer(1, 9); p > 0; --p)
        launches.back().push_back(random_product<double>(random, 1, 3));
    }
    const Stream stream = make_stream();
    BlasLane lane(stream.get(), 12, random.integer(0, 1) == 1);
    for (auto& launch : launches) {
      const std::vector<TileProduct> tiles = put_products(*gpus_, *gpu_, launch);
      lane.multiply({{Precision::f64}}, tiles);
    }
    fake_cuda::drain();
    for (const auto& launch : launches) expect_results(*gpus_, *gpu_, launch);
  }
}

}  // namespace
}  // namespace foretile::blas_lane_test
