// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/host_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "planner/plan/owners.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

/// A change of what is there, before step `at` opens.
struct Change {
  std::int64_t at;
  Matrix matrix;
  std::int64_t bytes;
};

void add(Received& sum, Matrix matrix, std::int64_t bytes) {
  (matrix == Matrix::a ? sum.a : sum.b) += bytes;
}

std::string parts(const Plan& plan, const HostNeed& need) {
  const auto text = [](std::int64_t bytes) { return quantity(static_cast<double>(bytes), "B"); };
  const std::string tensors = plan.flows() ? fmt::format(", tensors {}", text(need.tensors)) : "";
  if (!plan.operands.b.generated())
    return fmt::format("A {}, B {}, C {}{}", text(need.a), text(need.b), text(need.c), tensors);
  const std::string on_cores = need.kept > 0 ? fmt::format(", B on cores {}", text(need.kept)) : "";
  return fmt::format("A {}, C {}, staging {}{}", text(need.a), text(need.c), text(need.staging), on_cores);
}

}  // namespace

Received worst_received(const Plan& plan, const Messages& messages, Rank rank,
                        const std::function<bool(const Messages::Sized&)>& counts) {
  Received now;
  std::vector<Change> changes;
  messages.for_each_to(rank, [&](const Messages::Sized& sized) {
    if (counts && !counts(sized)) return;
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
  // Together never more than all of B.
  const std::int64_t staging = std::min(plan.staging_bytes, tiles.b_bytes);
  const std::int64_t kept = std::min(tiles.kept_b, tiles.b_bytes - staging);
  return {.rank = rank,
          .a = a + received.a,
          .b = b + received.b,
          .c = tiles.c_bytes,
          .staging = staging,
          .kept = kept,
          .owned = a + b};
}

TensorBytes::TensorBytes(const Plan& plan, const Contraction& contraction)
    : tensors_(plan.tensors),
      generating_(plan.ranks.size(), std::vector<std::int64_t>(plan.steps.size(), 0)) {
  for (std::size_t tensor = 0; tensor < tensors_.list.size(); ++tensor) {
    std::vector<std::int64_t>& of_ranks = tiles_.emplace_back(plan.ranks.size(), 0);
    if (tensors_.list[tensor].on_demand) continue;
    const bool last = tensor + 1 == tensors_.list.size();
    const TileId end = last ? std::ssize(tensors_.owners) : tensors_.list[tensor + 1].first;
    for (TileId tile = tensors_.list[tensor].first; tile < end; ++tile) {
      of_ranks[tensors_.owners[static_cast<std::size_t>(tile)]] += contraction.t_bytes(tile);
    }
  }
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    for (const FlowTask& task : plan.ranks[rank].flow.tasks) {
      const TaskWork work = work_of(plan, contraction, task);
      if (work.bytes == 0 || work.generated_bytes == 0) continue;
      std::int64_t& most = generating_[rank][task.step];
      most = std::max(most, tensors_.tasks_at_once * work.generated_bytes);
    }
  }
}

std::int64_t TensorBytes::of(Rank rank, std::size_t first, std::size_t last) const {
  const std::vector<std::int64_t>& generating = generating_[rank];
  std::int64_t bytes = 0;
  for (std::size_t step = first; step <= last; ++step) bytes = std::max(bytes, generating[step]);
  for (std::size_t tensor = 0; tensor < tiles_.size(); ++tensor) {
    const PlanTensor& life = tensors_.list[tensor];
    if (life.from <= static_cast<int>(last) && life.end > static_cast<int>(first))
      bytes += tiles_[tensor][rank];
  }
  return bytes;
}

void check_staging(const Plan& plan, Rank rank, const RankTiles& tiles) {
  if (tiles.largest_b <= plan.staging_bytes) return;
  throw missing_memory(fmt::format("plan, rank {}", rank),
                       fmt::format("a tile of B of {}", spelled_bytes(tiles.largest_b)),
                       fmt::format("at most the staging area of {}", spelled_bytes(plan.staging_bytes)),
                       tiles.largest_b - plan.staging_bytes, plan.advice.larger_staging);
}

void check_host_memory(const Plan& plan, const HostNeed& need) {
  const std::int64_t missing = need.bytes() - plan.host_budget_bytes;
  if (missing <= 0) return;
  const bool matrices_alone = need.owned + need.c > plan.host_budget_bytes && !plan.operands.b.generated();
  throw missing_memory(
      fmt::format("plan, rank {}", need.rank),
      fmt::format("{} of host memory ({})", spelled_bytes(need.bytes()), parts(plan, need)),
      fmt::format("at most {}", spelled_bytes(plan.host_budget_bytes)), missing,
      matrices_alone ? "the matrices alone do not fit; use more nodes" : plan.advice.host_memory,
      matrices_alone ? ShortOf::room_for_matrices : ShortOf::host_memory);
}

namespace {

/// Of a sum's tiles, beside the parts of the rank's own devices: at worst all other parts wait here, beside C
/// itself at the owner.
std::int64_t copies_beside(const Contraction& contraction, const Sum& sum) {
  const bool c_apart = !sum.to && (contraction.reads_c() || sum.devices.empty());
  return std::ssize(sum.from) + (c_apart ? 1 : 0);
}

/// Where tiles flow: what a rank holds for each step.
class StepBytes {
 public:
  StepBytes(const Plan& plan, const Contraction& contraction)
      : plan_(plan), problem_(contraction), tensors_(plan, contraction) {
    results_.resize(plan.ranks.size());
    for (auto& of_rank : results_) of_rank.resize(plan.steps.size());
    for (const RankPlan& rank : plan.ranks) {
      for (const Transfer& result : rank.flow.results) {
        for (const Rank to : result.others)
          results_[to][result.step] += bytes_of(contraction, {result.matrix, result.tiles.front()});
      }
    }
  }

  void open(Rank rank) {
    steps_.assign(plan_.steps.size(), {});
    for (std::size_t step = 0; step < steps_.size(); ++step) steps_[step].c = results_[rank][step];
  }
  void add(Matrix matrix, Step step, std::int64_t bytes) {
    HostNeed& need = steps_[step];
    (matrix == Matrix::a ? need.a : matrix == Matrix::b ? need.b : need.c) += bytes;
  }
  void add_c(TileId tile, std::int64_t copies = 1) {
    add(Matrix::c, plan_.step_of(tile), copies * problem_.c_bytes(tile));
  }
  /// All that the rank makes, computes and receives, by step. After open() and the blocks.
  const std::vector<HostNeed>& close(Rank rank, const Messages& messages) {
    for (const FlowTask& task : plan_.ranks[rank].flow.tasks) {
      if (task.adds()) continue;
      const std::int64_t bytes = own_bytes_of(problem_, plan_, task.writes);
      add(task.writes.matrix, task.step, bytes);
      if (task.makes_operand()) steps_[task.step].owned += bytes;
    }
    for (const Sum& sum : plan_.ranks[rank].sums) {
      for (const TileId tile : sum.tiles) {
        const bool is_of_tensor = !sum.to && plan_.operands.c.is_in_place(tile);
        add_c(tile, copies_beside(problem_, sum) - (is_of_tensor ? 1 : 0));
      }
    }
    if (plan_.messages_on_devices()) return steps_;
    messages.for_each_to(rank, [&](const Messages::Sized& sized) {
      const int last = std::min(int{sized.message->last_step}, static_cast<int>(steps_.size()) - 1);
      for (int step = sized.message->step; step <= last; ++step)
        add(sized.message->matrix, Step::of(step), sized.bytes);
    });
    return steps_;
  }
  /// Of all steps that can be under way at once.
  HostNeed worst(Rank rank, const Messages& messages) {
    close(rank, messages);
    HostNeed worst;
    for (std::size_t last = 0; last < steps_.size(); ++last) {
      HostNeed window;
      for (std::size_t step = plan_.open_from[last]; step <= last; ++step) {
        window.a += steps_[step].a;
        window.b += steps_[step].b;
        window.c += steps_[step].c;
        window.owned += steps_[step].owned;
      }
      window.tensors = tensors_.of(rank, plan_.open_from[last], last);
      if (window.bytes() > worst.bytes()) worst = window;
      most_of_tensors_ = std::max(most_of_tensors_, window.tensors);
      most_of_matrices_ = std::max(most_of_matrices_, window.bytes() - window.tensors);
    }
    worst.rank = rank;
    return worst;
  }
  /// Of all ranks that worst() was asked of.
  std::int64_t most_of_tensors() const { return most_of_tensors_; }
  std::int64_t most_of_matrices() const { return most_of_matrices_; }

 private:
  const Plan& plan_;
  const Contraction& problem_;
  TensorBytes tensors_;
  std::vector<std::vector<std::int64_t>> results_;  // that come to each rank, by step
  std::vector<HostNeed> steps_;
  std::int64_t most_of_tensors_ = 0, most_of_matrices_ = 0;
};

class HostMemoryPass final : public VerifyPass {
 public:
  explicit HostMemoryPass(const VerifyView& view) : VerifyPass(view), flow_(view.plan, view.problem) {}

  void open(Rank rank) override {
    tiles_ = {};
    if (plan_.flows()) flow_.open(rank);
  }
  void block(const WalkedBlock& walked, const std::string&) override {
    for (const TileId c : walked.tiles.c) {
      tiles_.c_bytes += problem_.c_bytes(c);
      if (plan_.flows()) flow_.add_c(c);
    }
    if (!plan_.operands.b.generated()) return;
    for (const auto& chunk : walked.tiles.b) {
      for (const TileId b : chunk) {
        const std::int64_t bytes = problem_.b_bytes(b);
        tiles_.largest_b = std::max(tiles_.largest_b, bytes);
        tiles_.b_bytes += bytes;
      }
    }
  }
  void device(const DeviceView& device) override {
    if (!plan_.operands.b.generated()) return;
    const auto of = static_cast<std::size_t>(device.device_class);
    if (!plan_.device_classes[of].in_host_memory()) return;
    tiles_.kept_b += plan_.operands.b.streams() ? device.memory_bytes : largest_block_of_b(device);
  }
  void close(Rank rank) override {
    std::int64_t own_c = plan_.partial_sums ? 0 : tiles_.c_bytes;
    for (const Sum& sum : plan_.ranks[static_cast<std::size_t>(rank)].sums) own_c += add_sum(sum);
    check_staging(plan_, rank, tiles_);
    const HostNeed need = plan_.flows()
                              ? flow_.worst(rank, view_.messages)
                              : host_need(plan_, rank, view_.owners, received_on_host(rank), tiles_);
    if (need.bytes() > most_.bytes()) most_ = need;
    most_matrix_bytes_ = std::max(most_matrix_bytes_, need.owned + own_c);
  }
  void finish(PlanSummary& summary) override {
    check_host_memory(plan_, most_);
    summary.peak_host_bytes = most_.bytes();
    summary.peak_tensor_bytes = flow_.most_of_tensors();
    summary.peak_matrix_bytes = plan_.flows() ? flow_.most_of_matrices() : most_.bytes();
    summary.matrix_bytes_per_rank = most_matrix_bytes_;
  }

 private:
  std::int64_t largest_block_of_b(const DeviceView& device) const {
    std::int64_t largest = 0;
    for (const auto& [block, tiles] : device.blocks) {
      std::int64_t bytes = 0;
      for (const auto& chunk : tiles.b) {
        for (const TileId b : chunk) bytes += problem_.b_bytes(b);
      }
      largest = std::max(largest, bytes);
    }
    return largest;
  }
  Received received_on_host(Rank rank) const {
    return plan_.messages_on_devices() ? Received{} : worst_received(plan_, view_.messages, rank);
  }
  /// Returns the bytes of C that the rank owns.
  std::int64_t add_sum(const Sum& sum) {
    std::int64_t bytes = 0;
    for (const TileId tile : sum.tiles) bytes += problem_.c_bytes(tile);
    tiles_.c_bytes += bytes * copies_beside(problem_, sum);
    return sum.to ? 0 : bytes;
  }

  StepBytes flow_;
  RankTiles tiles_;  // of the rank at hand
  HostNeed most_;    // of the rank that needs most
  std::int64_t most_matrix_bytes_ = 0;
};

class StepNeeds final : public VerifyPass {
 public:
  StepNeeds(const VerifyView& view, std::vector<std::vector<HostNeed>>& needs)
      : VerifyPass(view), bytes_(view.plan, view.problem), needs_(needs) {}
  void open(Rank rank) override { bytes_.open(rank); }
  void block(const WalkedBlock& walked, const std::string&) override {
    for (const TileId c : walked.tiles.c) bytes_.add_c(c);
  }
  void close(Rank rank) override { needs_.push_back(bytes_.close(rank, view_.messages)); }

 private:
  StepBytes bytes_;
  std::vector<std::vector<HostNeed>>& needs_;
};

}  // namespace

std::vector<std::vector<HostNeed>> step_needs(const Plan& plan, const Contraction& contraction) {
  std::vector<std::vector<HostNeed>> needs;
  const VerifyView view(plan, contraction);
  StepNeeds pass(view, needs);
  walk_plan(view, [&](const PassCall& call) { call(pass); });
  return needs;
}

Pass host_memory_pass(const VerifyView& view) {
  return std::make_unique<HostMemoryPass>(view);
}

}  // namespace foretile
