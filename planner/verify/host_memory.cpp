#include "planner/verify/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

/// A change of what lies there, before step `at` opens.
struct Change {
  std::int64_t at;
  Matrix matrix;
  std::int64_t bytes;
};

void add(Received& sum, Matrix matrix, std::int64_t bytes) {
  (matrix == Matrix::a ? sum.a : sum.b) += bytes;
}

std::string parts(const Plan& plan, const HostNeed& need) {
  return plan.operands.b.made() ? fmt::format("A {}, C {}, staging {}", need.a, need.c, need.staging)
                                : fmt::format("A {}, B {}, C {}", need.a, need.b, need.c);
}

}  // namespace

Received worst_received(const Plan& plan, const Messages& messages, Rank rank) {
  Received now;
  std::vector<Change> changes;
  messages.for_each_to(rank, [&](const Messages::Sized& sized) {
    const Transfer& message = *sized.message;
    if (plan.barriers != Barriers::global) return add(now, message.matrix, sized.bytes);
    changes.push_back(
        {static_cast<std::int64_t>(message.step) - plan.lookahead, message.matrix, sized.bytes});
    changes.push_back({static_cast<std::int64_t>(message.last_step) + 1, message.matrix, -sized.bytes});
  });
  // What goes at a step is gone before what comes with it.
  std::sort(changes.begin(), changes.end(), [](const Change& l, const Change& r) {
    return std::pair(l.at, l.bytes > 0) < std::pair(r.at, r.bytes > 0);
  });
  Received worst = now;
  for (const Change& change : changes) {
    add(now, change.matrix, change.bytes);
    if (now.bytes() > worst.bytes()) worst = now;
  }
  return worst;
}

HostNeed host_need(const Plan& plan, Rank rank, const Owners& owners, const Received& received,
                   const RankTiles& tiles) {
  const std::int64_t a = owners.bytes(Matrix::a, rank);
  const std::int64_t b = owners.bytes(Matrix::b, rank);
  const std::int64_t staging = std::min(plan.staging_bytes, tiles.b_bytes);  // never more than all of B
  return {rank, a + received.a, b + received.b, tiles.c_bytes, staging, a + b};
}

void check_staging(const Plan& plan, Rank rank, const RankTiles& tiles) {
  if (tiles.largest_b <= plan.staging_bytes) return;
  throw input_error(fmt::format("plan, rank {}", rank),
                    fmt::format("a tile of B of {} bytes", tiles.largest_b),
                    fmt::format("at most the staging area of {} bytes", plan.staging_bytes),
                    fmt::format("{} bytes are missing: {}", tiles.largest_b - plan.staging_bytes,
                                plan.advice.larger_staging));
}

void check_host_memory(const Plan& plan, const HostNeed& need) {
  const std::int64_t missing = need.bytes() - plan.host_budget_bytes;
  if (missing <= 0) return;
  const bool own_alone = need.owned + need.c > plan.host_budget_bytes;
  throw input_error(
      fmt::format("plan, rank {}", need.rank),
      fmt::format("{} bytes of host memory ({})", need.bytes(), parts(plan, need)),
      fmt::format("at most {}", plan.host_budget_bytes),
      fmt::format("{} bytes are missing: {}", missing,
                  own_alone && !plan.operands.b.made() ? "the matrices alone do not fit; use more nodes"
                                                       : plan.advice.host_memory));
}

namespace {

class HostMemoryPass final : public VerifyPass {
 public:
  using VerifyPass::VerifyPass;

  void open(Rank /*rank*/) override { tiles_ = {}; }
  void block(const WalkedBlock& walked, const std::string&) override {
    for (const TileId c : walked.tiles.c) tiles_.c_bytes += problem_.c_bytes(c);
    if (!plan_.operands.b.made()) return;
    for (const auto& chunk : walked.tiles.b) {
      for (const TileId b : chunk) {
        const std::int64_t bytes = problem_.b_bytes(b);
        tiles_.largest_b = std::max(tiles_.largest_b, bytes);
        tiles_.b_bytes += bytes;
      }
    }
  }
  void close(Rank rank) override {
    std::int64_t own_c = plan_.c_in_parts ? 0 : tiles_.c_bytes;
    for (const Sum& sum : plan_.ranks[static_cast<std::size_t>(rank)].sums) own_c += add_sum(sum);
    check_staging(plan_, rank, tiles_);
    const Received worst = worst_received(plan_, view_.messages, rank);
    const HostNeed need = host_need(plan_, rank, view_.owners, worst, tiles_);
    if (need.bytes() > most_.bytes()) most_ = need;
    most_matrix_bytes_ = std::max(most_matrix_bytes_, need.owned + own_c);
  }
  void finish(PlanSummary& summary) override {
    check_host_memory(plan_, most_);
    summary.peak_host_bytes = most_.bytes();
    summary.matrix_bytes_per_rank = most_matrix_bytes_;
  }

 private:
  /// Beside the parts of its own devices: at worst all other parts wait here, beside C itself at the owner.
  /// Returns the bytes of C that the rank owns.
  std::int64_t add_sum(const Sum& sum) {
    std::int64_t bytes = 0;
    for (const TileId tile : sum.tiles) bytes += problem_.c_bytes(tile);
    const bool c_apart = !sum.to && (problem_.reads_c() || sum.devices.empty());
    tiles_.c_bytes += bytes * (std::ssize(sum.from) + (c_apart ? 1 : 0));
    return sum.to ? 0 : bytes;
  }

  RankTiles tiles_;  // of the rank at hand
  HostNeed most_;    // of the rank that needs most
  std::int64_t most_matrix_bytes_ = 0;
};

}  // namespace

Pass host_memory_pass(const VerifyView& view) {
  return std::make_unique<HostMemoryPass>(view);
}

}  // namespace foretile
