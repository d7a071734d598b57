// SPDX-License-Identifier: BSD-3-Clause
// A GPU whose work takes a known time at least, and no more but for what the machine adds.
#pragma once

#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "executor/gpu/gpu.hpp"

namespace foretile {

struct TimedGpuRates {
  double latency_s = 0;  ///< of each call
  double bytes_per_s = 1e9;
  double flops_per_s = 1e9;   ///< of real numbers
  double complex_factor = 1;  ///< time of a product of complex numbers over four real ones
};

/// Does nothing but wait, in the call: all lanes share its time. Sleeping threads are woken first, so that a
/// busy machine adds little.
class TimedGpu final : public Gpu {
 public:
  explicit TimedGpu(TimedGpuRates rates) : rates_(rates) {}

  std::byte* allocate(std::int64_t bytes) override {
    memory_.emplace_back(static_cast<std::size_t>(bytes));
    return memory_.back().data();
  }
  void copy(Lane, std::span<const CopyPiece> pieces) override {
    double bytes = 0;
    for (const CopyPiece& piece : pieces) bytes += static_cast<double>(piece.bytes * piece.count);
    take_bytes(bytes);
  }
  void multiply(Lane, const ProductForm& form, std::span<const TileProduct> products) override {
    double flops = 0;
    for (const TileProduct& p : products) flops += 2 * static_cast<double>(p.m * p.n * p.k);
    last_is_complex_ = form.type.is_complex;
    (last_is_complex_ ? complex_s_ : real_s_)
        .push_back(take(flops / rates_.flops_per_s * (last_is_complex_ ? 4 * rates_.complex_factor : 1)));
  }
  void make(Lane, Precision precision, std::span<const TileToMake> tiles) override {
    double bytes = 0;
    for (const TileToMake& tile : tiles) bytes += static_cast<double>(tile.elements * bytes_of(precision));
    take_bytes(bytes);
  }
  void combine(Lane, Precision, std::span<const TileToCombine>) override {}
  void follow(Lane, Lane) override {}
  std::uint64_t mark(Lane lane) override { return ++marked_[lane]; }
  std::uint64_t reached(Lane lane) override { return marked_[lane]; }

  bool last_is_complex() const { return last_is_complex_; }
  /// What each call of multiply() took.
  const std::vector<double>& real_seconds() const { return real_s_; }
  const std::vector<double>& complex_seconds() const { return complex_s_; }

  struct ByteCall {
    double bytes = 0, begin_s = 0, seconds = 0;
  };
  /// Of copy() and make(): what each call took.
  const std::vector<ByteCall>& byte_calls() const { return byte_calls_; }

 private:
  static double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  /// Returns what it took.
  double take(double seconds) const {
    const double begin_s = now_s();
    std::this_thread::sleep_for(std::chrono::duration<double>(rates_.latency_s + seconds));
    return now_s() - begin_s;
  }
  void take_bytes(double bytes) {
    const double begin_s = now_s();
    byte_calls_.push_back({bytes, begin_s, take(bytes / rates_.bytes_per_s)});
  }

  TimedGpuRates rates_;
  bool last_is_complex_ = false;
  std::vector<double> real_s_, complex_s_;
  std::vector<ByteCall> byte_calls_;
  std::vector<std::vector<std::byte>> memory_;
  std::map<Lane, std::uint64_t> marked_;
};

}  // namespace foretile
