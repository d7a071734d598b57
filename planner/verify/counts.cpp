// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>
#include <numeric>

#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

double imbalance(const std::vector<double>& flops) {
  double sum = 0;
  double most = 0;
  for (const double f : flops) sum += f, most = std::max(most, f);
  return sum > 0 ? most * static_cast<double>(flops.size()) / sum : 1.0;
}

Spread spread(const std::vector<std::int64_t>& values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const auto sum = std::accumulate(values.begin(), values.end(), std::int64_t{0});
  return {static_cast<double>(*least), static_cast<double>(sum) / static_cast<double>(values.size()),
          static_cast<double>(*most)};
}

std::int64_t bytes_of_tiles(const Contraction& p, const Sum& sum) {
  std::int64_t bytes = 0;
  for (const TileId tile : sum.tiles) bytes += p.c_bytes(tile);
  return bytes;
}

class Counts final : public VerifyPass {
 public:
  using VerifyPass::VerifyPass;

  void open(Rank rank) override {
    gemms_before_ = counted_.gemms;
    count_received(rank);
  }
  void block(const WalkedBlock& walked, const std::string&) override {
    ++counted_.blocks;
    counted_.chunks += std::ssize(walked.block->chunks);
    counted_.gemms += walked.tiles.gemms;
  }
  void device(const DeviceView& device) override {
    double flops = 0;
    std::size_t loads = 0;
    for (const WalkedBlock& walked : device.blocks) {
      flops += walked.tiles.flops;
      loads += count_inputs(walked) + count_c(walked.tiles);
    }
    device_flops_[device.device_class].push_back(flops);
    device_loads_.push_back(static_cast<std::int64_t>(loads));
  }
  void close(Rank /*rank*/) override { counted_.rank_gemms.push_back(counted_.gemms - gemms_before_); }
  void finish(PlanSummary& summary) override {
    counted_.imbalance = 1;
    for (const auto& [alike, flops] : device_flops_)
      counted_.imbalance = std::max(counted_.imbalance, imbalance(flops));
    counted_.device_loads = spread(device_loads_);
    summary = counted_;
  }

 private:
  /// Returns how many tiles of A and B are loaded.
  std::size_t count_inputs(const WalkedBlock& walked) {
    std::size_t loads = 0;
    for (std::size_t z = 0; z < walked.tiles.b.size(); ++z) {
      const std::vector<TileId>& a_tiles = walked.block->chunks[z].a;
      const std::vector<TileId>& b_tiles = walked.tiles.b[z];
      std::int64_t b_bytes = 0;
      for (const TileId b : b_tiles) b_bytes += problem_.b_bytes(b);
      for (const TileId a : a_tiles) counted_.h2d_bytes += problem_.a_bytes(a);
      counted_.h2d_bytes += b_bytes;
      if (plan_.operands.b.generated()) counted_.generated_bytes += b_bytes;
      loads += a_tiles.size() + b_tiles.size();
    }
    return loads;
  }

  std::size_t count_c(const BlockTiles& tiles) {
    std::int64_t bytes = 0;
    for (const TileId c : tiles.c) bytes += problem_.c_bytes(c);
    counted_.d2h_bytes += bytes;
    if (!devices_read_c(plan_, problem_)) return 0;
    counted_.c_loaded_bytes += bytes;
    counted_.h2d_bytes += bytes;
    return tiles.c.size();
  }

  void count_received(Rank rank) {
    std::int64_t received = 0;
    view_.messages.for_each_to(rank, [&](const Messages::Sized& sized) {
      (sized.message->matrix == Matrix::a ? counted_.a_sent_bytes : counted_.b_sent_bytes) += sized.bytes;
      received += sized.bytes;
    });
    for (const Sum& sum : plan_.ranks[static_cast<std::size_t>(rank)].sums) {
      const std::int64_t parts = bytes_of_tiles(problem_, sum) * std::ssize(sum.from);
      counted_.c_sent_bytes += parts;
      received += parts;
    }
    counted_.network_bytes += received;
    counted_.most_received_bytes = std::max(counted_.most_received_bytes, received);
  }

  PlanSummary counted_;
  std::int64_t gemms_before_ = 0;                    // of the ranks before
  std::map<int, std::vector<double>> device_flops_;  // by class
  std::vector<std::int64_t> device_loads_;
};

}  // namespace

Pass counts_pass(const VerifyView& view) {
  return std::make_unique<Counts>(view);
}

}  // namespace foretile
