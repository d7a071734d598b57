// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/deliveries.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

constexpr const char* kOnce = "each tile once to each rank that needs and does not own it";

std::string steps_of(const Delivery& delivery) {
  return delivery.last_step == kEver ? fmt::format("from step {}", delivery.step)
                                     : fmt::format("for steps {} to {}", delivery.step, delivery.last_step);
}

std::string text(TileRef tile) {
  return fmt::format("{} tile {}", name_of(tile.matrix), tile.id);
}

}  // namespace

Deliveries::Deliveries(const Plan& plan, const Contraction& contraction, const Owners& owners,
                       const Messages& messages)
    : plan_(plan), owners_(owners), messages_(messages) {
  for (const Matrix matrix : {Matrix::a, Matrix::b}) {
    if (owners.distributed(matrix)) slots(matrix).assign(shape_of(contraction, matrix).nonzeros(), -1);
  }
}

std::string Deliveries::here() const {
  return fmt::format("rank {}", rank_);
}

void Deliveries::open(Rank rank) {
  clear();
  rank_ = rank;
  collect();
  sort();
  for (std::size_t slot = 0; slot + 1 < start_.size(); ++slot) check_tile(start_[slot], start_[slot + 1]);
}

void Deliveries::clear() {
  for (const Delivery& delivery : arrived_) slots(delivery.tile.matrix)[delivery.tile.id] = -1;
  arrived_.clear();
  sorted_.clear();
}

/// Numbers the tiles that arrive and counts how often each does.
void Deliveries::collect() {
  start_.assign(1, 0);
  messages_.for_each_to(rank_, [this](const Messages::Sized& sized) { arrived(*sized.message); });
  for (std::size_t slot = 1; slot < start_.size(); ++slot) start_[slot] += start_[slot - 1];
}

void Deliveries::arrived(const Transfer& message) {
  for (const TileId id : message.tiles) {
    std::int32_t& slot = slots(message.matrix)[id];
    if (slot < 0) {
      slot = static_cast<std::int32_t>(start_.size()) - 1;
      start_.push_back(0);
    }
    ++start_[slot + 1];
    arrived_.push_back({{message.matrix, id}, message.step, message.last_step});
  }
}

/// By tile. A tile comes from its owner alone, which sends in the order of steps.
void Deliveries::sort() {
  sorted_.resize(arrived_.size());
  used_.assign(arrived_.size(), 0);
  std::vector<std::int32_t> next(start_.begin(), start_.end() - 1);
  for (const Delivery& delivery : arrived_) {
    sorted_[next[slots(delivery.tile.matrix)[delivery.tile.id]]++] = delivery;
  }
}

void Deliveries::check_tile(std::int32_t begin, std::int32_t end) const {
  const Delivery& first = sorted_[begin];
  const bool owned = owners_.of(first.tile) == rank_;
  if (owned || (plan_.barriers != Barriers::global && end - begin > 1)) {
    throw broken_plan(
        here(),
        fmt::format("{} sent {} times{}", text(first.tile), end - begin, owned ? " to its owner" : ""),
        kOnce);
  }
  for (std::int32_t n = begin + 1; n < end; ++n) {
    const Delivery& before = sorted_[n - 1];
    if (sorted_[n].step > static_cast<std::int64_t>(before.last_step) + plan_.lookahead) continue;
    throw broken_plan(
        here(),
        fmt::format("{} sent {} and again {}", text(first.tile), steps_of(before), steps_of(sorted_[n])),
        fmt::format("more than lookahead = {} steps between them, or one message", plan_.lookahead));
  }
}

void Deliveries::use(TileRef tile, Step step) {
  const std::int32_t slot = slots(tile.matrix)[tile.id];
  if (slot < 0) {
    if (owners_.of(tile) == rank_) return;
    throw broken_plan(here(), fmt::format("no source for {}", text(tile)), "one message with it");
  }
  const std::int32_t begin = start_[slot];
  if (plan_.barriers == Barriers::none && !plan_.flows()) {
    used_[begin] = 1;
    return;
  }
  const auto after = std::upper_bound(sorted_.begin() + begin, sorted_.begin() + start_[slot + 1], step,
                                      [](int s, const Delivery& delivery) { return s < delivery.step; });
  const auto last = after - sorted_.begin() - 1;
  if (last < begin || sorted_[last].last_step < step) {
    throw broken_plan(here(), fmt::format("no source for {} at step {}", text(tile), step),
                      "a message with it that arrives for this step or before and lasts until it");
  }
  used_[last] = 1;
}

void Deliveries::require_all_used() const {
  const auto unused = std::find(used_.begin(), used_.end(), 0);
  if (unused == used_.end()) return;
  const Delivery& delivery = sorted_[unused - used_.begin()];
  throw broken_plan(here(), fmt::format("{} sent {} and not needed", text(delivery.tile), steps_of(delivery)),
                    kOnce);
}

namespace {

class TileSources final : public VerifyPass {
 public:
  explicit TileSources(const VerifyView& view)
      : VerifyPass(view), deliveries_(plan_, problem_, view.owners, view.messages) {}
  void open(Rank rank) override { deliveries_.open(rank); }
  void block(const WalkedBlock& walked, const std::string&) override {
    for (std::size_t z = 0; z < walked.block->chunks.size(); ++z) {
      const Chunk& chunk = walked.block->chunks[z];
      for (const TileId a : chunk.a) deliveries_.use({Matrix::a, a}, chunk.step);
      if (plan_.operands.b.generated()) continue;
      for (const TileId b : walked.tiles.b[z]) deliveries_.use({Matrix::b, b}, chunk.step);
    }
  }
  void close(Rank /*rank*/) override { deliveries_.require_all_used(); }

 private:
  Deliveries deliveries_;
};

}  // namespace

Pass sources_pass(const VerifyView& view) {
  return std::make_unique<TileSources>(view);
}

}  // namespace foretile
