// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/warm_up.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "planner/plan/products.hpp"

namespace foretile {

namespace {

using Shape3 = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

std::map<Shape3, std::int64_t> count_shapes(const Contraction& p, const PlanFrame& frame,
                                            const RankPlan& rank, std::size_t device) {
  std::map<Shape3, std::int64_t> counts;
  for_each_possible_product(p, frame, rank, device, [&](const Product& x) {
    ++counts[{p.m.size(x.i), p.n.size(x.j), p.k.size(x.k)}];
  });
  return counts;
}

ProductSize product_size(const Shape3& shape) {
  return {std::get<0>(shape), std::get<1>(shape), std::get<2>(shape)};
}

double volume(const Shape3& shape) {
  const auto [m, n, k] = shape;
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

/// What libraries choose kernels by: sizes, and whether rows begin at multiples of 16 or 32 bytes.
using ShapeKind = std::array<int, 6>;

ShapeKind kind_of_shape(const Shape3& shape) {
  const auto digits = [](std::int64_t extent) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(extent)));
  };
  const auto twos = [](std::int64_t extent) {
    return std::min(std::countr_zero(static_cast<std::uint64_t>(extent)), 2);
  };
  const auto [m, n, k] = shape;
  return {digits(m), digits(n), digits(k), twos(m), twos(n), twos(k)};
}

std::vector<Shape3> largest_then_frequent(const std::map<Shape3, std::int64_t>& counts) {
  std::vector<std::pair<std::int64_t, Shape3>> by_count;
  for (const auto& [shape, count] : counts) by_count.emplace_back(count, shape);
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  const auto largest = std::max_element(by_count.begin(), by_count.end(), [](const auto& x, const auto& y) {
    return volume(x.second) < volume(y.second);
  });
  if (largest != by_count.end()) std::rotate(by_count.begin(), largest, largest + 1);
  std::vector<Shape3> shapes;
  shapes.reserve(by_count.size());
  for (const auto& [count, shape] : by_count) shapes.push_back(shape);
  return shapes;
}

/// Products of one shape in the pool: A and B in front, then as many C as fit and are asked for.
std::vector<TileProduct> products_in(const GpuDevice& device, ElementType type, const ProductSize& shape,
                                     int most) {
  const auto place = [&](std::int64_t elements) { return Arena::rounded(elements * type.bytes()); };
  const std::int64_t a = place(shape.m * shape.k);
  const std::int64_t b = place(shape.k * shape.n);
  const std::int64_t c = place(shape.m * shape.n);
  const std::int64_t fit = std::min<std::int64_t>(most, (device.pool_bytes() - a - b) / c);
  std::vector<TileProduct> products;
  for (std::int64_t i = 0; i < fit; ++i) {
    products.push_back(
        {shape.m, shape.n, shape.k, device.pool(), device.pool() + a, device.pool() + a + b + i * c, true});
  }
  return products;
}

/// Once with all C overwritten, once with all added to, and once with every other one: of launches of
/// several, the second kind is one batched call, the last a grouped one.
void multiply_all_ways(Gpu& gpu, Lane lane, const ProductForm& form, std::vector<TileProduct> products) {
  if (products.empty()) return;
  gpu.multiply(lane, form, products);
  for (TileProduct& product : products) product.first = false;
  gpu.multiply(lane, form, products);
  if (products.size() == 1) return;
  for (std::size_t i = 0; i < products.size(); i += 2) products[i].first = true;
  gpu.multiply(lane, form, products);
}

void copy_and_make(GpuDevice& device, std::span<std::byte> host, Precision precision) {
  const std::int64_t bytes = std::min(std::ssize(host), device.pool_bytes() / 2);
  if (bytes <= 0) return;
  Gpu& gpu = device.gpu();
  const CopyPiece in{device.pool(), host.data(), bytes};
  const CopyPiece out{host.data(), device.pool(), bytes};
  const CopyPiece within{device.pool() + device.pool_bytes() / 2, device.pool(), bytes};
  gpu.copy(kInLane, {&in, 1});
  gpu.follow(kPeerLane, kInLane);
  gpu.copy(kPeerLane, {&within, 1});
  gpu.follow(kOutLane, kPeerLane);
  gpu.copy(kOutLane, {&out, 1});
  gpu.follow(kGenerateLane, kOutLane);
  const TileToMake tile{device.pool(), bytes / bytes_of(precision), 1, 1.0};
  gpu.make(kGenerateLane, precision, {&tile, 1});
}

void wait(GpuDevice& device, Gpus& gpus) {
  Gpu& gpu = device.gpu();
  for (Lane lane = 0; lane < kFirstKernelLane + device.kernel_lanes(); ++lane) {
    for (const std::uint64_t point = gpu.mark(lane); gpu.reached(lane) < point;) gpus.pause(1e-3);
  }
}

}  // namespace

PlanShapes plan_shapes(const Contraction& p, const PlanFrame& frame, const RankPlan& rank, std::size_t device,
                       MostShapes most) {
  const std::vector<Shape3> shapes = largest_then_frequent(count_shapes(p, frame, rank, device));
  PlanShapes found;
  std::set<ShapeKind> kinds;
  for (const Shape3& shape : shapes) {
    if (found.usual.size() < most.usual) {
      kinds.insert(kind_of_shape(shape));
      found.usual.push_back(product_size(shape));
    } else if (found.rare.size() < most.rare && kinds.insert(kind_of_shape(shape)).second) {
      found.rare.push_back(product_size(shape));
    }
  }
  return found;
}

void warm_up(GpuDevice& device, Gpus& gpus, std::span<std::byte> host, const WarmUp& what) {
  const auto multiply = [&](Lane lane, const ProductSize& shape) {
    multiply_all_ways(device.gpu(), lane, what.form, products_in(device, what.form.type, shape, 1));
    if (what.batch > 1)
      multiply_all_ways(device.gpu(), lane, what.form,
                        products_in(device, what.form.type, shape, what.batch));
  };
  copy_and_make(device, host, what.form.type.precision);
  wait(device, gpus);
  for (const ProductSize& shape : what.rare) multiply(kFirstKernelLane, shape);
  wait(device, gpus);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(what.seconds);
  do {
    for (Lane lane = kFirstKernelLane; lane < kFirstKernelLane + device.kernel_lanes(); ++lane) {
      for (const ProductSize& shape : what.shapes) multiply(lane, shape);
      wait(device, gpus);  // lanes write the same memory
    }
  } while (std::chrono::steady_clock::now() < end);
}

}  // namespace foretile
