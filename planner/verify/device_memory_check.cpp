// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/device_memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

std::string text_of(std::int64_t bytes) {
  return quantity(static_cast<double>(bytes), "B");
}

/// What stays on the device while the block is worked on.
std::int64_t stay_bytes(const Plan& plan, const Contraction& p, const BlockTiles& tiles) {
  std::int64_t bytes = 0;
  for (const TileId c : tiles.c) bytes += p.c_bytes(c);
  if (plan.operands.b.streams()) return bytes;
  for (const auto& chunk : tiles.b) {
    for (const TileId b : chunk) bytes += p.b_bytes(b);
  }
  return bytes;
}

}  // namespace

DeviceMemoryCheck::DeviceMemoryCheck(const Plan& plan, const Contraction& contraction)
    : plan_(plan),
      p_(contraction),
      a_there_(contraction.a.nonzeros(), 0),
      b_there_(plan.operands.b.streams() ? contraction.b.nonzeros() : 0, 0) {}

std::int64_t DeviceMemoryCheck::check(const DeviceView& device) {
  const bool stream = plan_.operands.b.streams();
  std::vector<std::int64_t> stay_before{0};  // sums over the blocks before
  std::vector<ChunkTiles> chunks;
  std::int64_t most = 0;
  for (std::size_t n = 0; n < device.blocks.size(); ++n) {
    const auto& [block, tiles] = device.blocks[n];
    stay_before.push_back(stay_before.back() + stay_bytes(plan_, p_, tiles));
    for (std::size_t z = 0; z < block->chunks.size(); ++z) {
      chunks.push_back({n, z, &block->chunks[z].a, stream ? &tiles.b[z] : nullptr});
    }
    if (stream && n + 1 < device.blocks.size() && !is_apart(*block, *device.blocks[n + 1].block)) continue;
    most = std::max(most, check_windows(device, chunks, stay_before));
    chunks.clear();
  }
  return most;
}

/// Nothing of the next block comes before this one's step is over.
bool DeviceMemoryCheck::is_apart(const Block& block, const Block& next) const {
  return plan_.flows() && plan_.open_from[next.chunks.front().step] > block.chunks.front().step;
}

std::int64_t DeviceMemoryCheck::check_windows(const DeviceView& device, const std::vector<ChunkTiles>& chunks,
                                              const std::vector<std::int64_t>& stay_before) {
  std::int64_t most = 0;
  std::int64_t streams = 0;
  std::size_t end = 0;
  for (std::size_t z = 0; z < chunks.size(); ++z) {
    while (end < std::min(chunks.size(), z + 1 + static_cast<std::size_t>(plan_.lookahead))) {
      streams += enter(chunks[end++]);
    }
    const std::size_t last_block = plan_.prefetch_c ? chunks[end - 1].block : chunks[z].block;
    const std::int64_t stays = stay_before[last_block + 1] - stay_before[chunks[z].block];
    require(device, chunks[z], stays, streams);
    most = std::max(most, stays + streams);
    streams -= leave(chunks[z]);
  }
  return most;
}

std::int64_t DeviceMemoryCheck::enter(const ChunkTiles& chunk) {
  std::int64_t bytes = 0;
  for (const TileId a : *chunk.a) {
    if (a_there_[a]++ == 0) bytes += p_.a_bytes(a);
  }
  if (!chunk.b) return bytes;
  for (const TileId b : *chunk.b) {
    if (b_there_[b]++ == 0) bytes += p_.b_bytes(b);
  }
  return bytes;
}

std::int64_t DeviceMemoryCheck::leave(const ChunkTiles& chunk) {
  std::int64_t bytes = 0;
  for (const TileId a : *chunk.a) {
    if (--a_there_[a] == 0) bytes += p_.a_bytes(a);
  }
  if (!chunk.b) return bytes;
  for (const TileId b : *chunk.b) {
    if (--b_there_[b] == 0) bytes += p_.b_bytes(b);
  }
  return bytes;
}

void DeviceMemoryCheck::require(const DeviceView& device, const ChunkTiles& at, std::int64_t stays,
                                std::int64_t streams) const {
  const std::int64_t missing = stays + streams - device.memory_bytes;
  if (missing <= 0) return;
  throw missing_memory(
      fmt::format("plan, {} block {}", device.name, at.block),
      fmt::format("{} at chunk {} (block {}, chunks in flight {})", spelled_bytes(stays + streams), at.chunk,
                  text_of(stays), text_of(streams)),
      fmt::format("at most the device budget of {}", spelled_bytes(device.memory_bytes)), missing,
      plan_.advice.device_memory);
}

void PoolMemory::add(const DeviceView& device, const Contraction& p) {
  if (least_.empty() || device.memory_bytes < memory_) {
    least_ = device.name;
    memory_ = device.memory_bytes;
  }
  for (const auto& [block, tiles] : device.blocks) {
    std::int64_t c_bytes = 0;
    for (const TileId c : tiles.c) c_bytes += p.c_bytes(c);
    c_ = std::max(c_, c_bytes);
    for (std::size_t z = 0; z < block->chunks.size(); ++z) {
      std::int64_t bytes = 0;
      for (const TileId a : block->chunks[z].a) bytes += p.a_bytes(a);
      for (const TileId b : tiles.b[z]) bytes += p.b_bytes(b);
      chunk_ = std::max(chunk_, bytes);
    }
  }
}

std::int64_t PoolMemory::check() const {
  const std::int64_t chunks = (1 + std::int64_t{plan_->lookahead}) * chunk_;
  const std::int64_t missing = c_ + chunks - memory_;
  if (missing <= 0) return c_ + chunks;
  throw missing_memory(fmt::format("plan, {}", least_),
                       fmt::format("{} for any of the rank's blocks (C {}, chunks in flight {})",
                                   spelled_bytes(c_ + chunks), text_of(c_), text_of(chunks)),
                       fmt::format("at most the device budget of {}", spelled_bytes(memory_)), missing,
                       plan_->advice.device_memory);
}

namespace {

class DeviceMemoryPass final : public VerifyPass {
 public:
  explicit DeviceMemoryPass(const VerifyView& view) : VerifyPass(view), check_(plan_, problem_) {}
  void open(Rank /*rank*/) override { pool_ = PoolMemory(plan_); }
  void device(const DeviceView& device) override {
    if (plan_.pool != Pool::none) return pool_.add(device, problem_);
    most_ = std::max(most_, check_.check(device));
  }
  void close(Rank /*rank*/) override {
    if (plan_.pool != Pool::none) most_ = std::max(most_, pool_.check());
  }
  void finish(PlanSummary& summary) override { summary.peak_device_bytes = most_; }

 private:
  DeviceMemoryCheck check_;
  PoolMemory pool_{plan_};
  std::int64_t most_ = 0;
};

}  // namespace

Pass device_memory_pass(const VerifyView& view) {
  return std::make_unique<DeviceMemoryPass>(view);
}

}  // namespace foretile
