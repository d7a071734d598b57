// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/base/some_of.hpp"
#include "tests/planner/verify/plan_changes.hpp"
#include "tests/planner/verify/random_stream_plan.hpp"
#include "tests/planner/verify/refused.hpp"
#include "tests/planner/verify/slow_reference.hpp"

namespace foretile::random_stream_test {
namespace {

constexpr std::uint64_t kSeeds = 200;

/// Exactly the peaks are enough.
TEST(VerifyRandomStream, PeaksAreThoseOfTheReference) {
  int exceeded = 0;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    auto [problem, plan] = random_stream_plan(seed);
    ASSERT_EQ(complaint(plan, problem), "");
    const PlanSummary s = verify(plan, problem);
    ASSERT_EQ(s.peak_device_bytes, slow_device_peak(plan, problem));
    ASSERT_EQ(s.peak_host_bytes, slow_host_peak(plan, problem));
    plan.device_classes[0].memory_bytes = s.peak_device_bytes;
    plan.host_budget_bytes = s.peak_host_bytes;
    ASSERT_EQ(complaint(plan, problem), "");
    if (s.gemms == 0) continue;
    ++exceeded;
    --plan.device_classes[0].memory_bytes;
    expect_refused(RandomStreamPlan{problem, plan}, {"device budget", "1 bytes are missing"});
    ++plan.device_classes[0].memory_bytes;
    --plan.host_budget_bytes;
    expect_refused(RandomStreamPlan{problem, plan}, {"host memory", "1 bytes are missing"});
  }
  EXPECT_GT(exceeded, static_cast<int>(kSeeds) / 2);
}

/// By at most two; an earlier change may have made it the least or greatest number.
Step nudged(Step step, Random& random) {
  return Step::of(
      std::clamp<std::int64_t>(step + random.integer(-2, 2), std::numeric_limits<int>::min(), kEver));
}

void corrupt_message(Transfer& message, Random& random) {
  const auto near = [&](int value) { return static_cast<int>(odd_number(random, value)); };
  switch (random.integer(0, 7)) {
    case 0:
      message.step = nudged(message.step, random);
      break;
    case 1:
      if (message.last_step != kEver) message.last_step = nudged(message.last_step, random);
      break;
    case 2:
      message.step = Step::of(near(message.step));
      break;
    case 3:
      message.last_step = Step::of(near(message.step));
      break;
    case 4:
      message.matrix = static_cast<Matrix>(random.integer(0, 2));
      break;
    case 5:
      message.tiles.push_back(odd_number(random, message.tiles[0]));
      break;
    case 6:
      message.kind = TransferKind::parts;
      break;
    default:
      message.others[0] = Rank::of(near(message.others[0]));
      break;
  }
}

void corrupt_messages(std::vector<Transfer>& messages, Random& random) {
  Transfer* const message = pick(messages, random);
  if (!message) return;
  switch (random.integer(0, 3)) {
    case 0:
      *message = Transfer(*pick(messages, random));
      break;
    case 1:
      messages.insert(messages.begin(), Transfer(*message));
      break;
    case 2:
      messages.erase(messages.begin() + (message - messages.data()));
      break;
    default:
      corrupt_message(*message, random);
      break;
  }
}

void corrupt_block(Block& block, Block& other, Random& random) {
  Chunk* const chunk = pick(block.chunks, random);
  if (!chunk) return;
  switch (random.integer(0, 5)) {
    case 0:
      chunk->step = nudged(chunk->step, random);
      break;
    case 1:
      chunk->step = Step::of(odd_number(random, chunk->step));
      break;
    case 2:
      std::swap(block.chunks, other.chunks);
      break;
    case 3: {  // joins two chunks
      Chunk& first = block.chunks.front();
      if (&first == chunk) break;
      first.a.insert(first.a.end(), chunk->a.begin(), chunk->a.end());
      block.chunks.erase(block.chunks.begin() + (chunk - block.chunks.data()));
      break;
    }
    case 4:
      if (!block.columns.empty()) block.columns.pop_back();
      break;
    default:
      if (!chunk->a.empty()) chunk->a.pop_back();
      break;
  }
}

/// Changes one thing. Some changes are harmless.
void corrupt(Plan& plan, Random& random) {
  switch (random.integer(0, 9)) {
    case 0:
      plan.lookahead = static_cast<int>(odd_number(random, plan.lookahead)) % 1000;
      break;
    case 1:
      plan.barriers = static_cast<Barriers>(random.integer(0, 2));
      break;
    case 2:
      plan.prefetch_c = !plan.prefetch_c;
      break;
    case 3:
      plan.device_classes[0].memory_bytes -= random.integer(0, 64);
      break;
    case 4:
    case 5:
    case 6:
      corrupt_messages(pick(plan.ranks, random)->transfers, random);
      break;
    default: {
      Block* const block = pick_block(plan, random);
      Block* const other = pick_block(plan, random);
      if (block && other) corrupt_block(*block, *other, random);
    }
  }
}

TEST(VerifyRandomStream, NoChangeThatMattersPasses) {
  int refused = 0;
  int accepted = 0;
  const auto seeds = static_cast<std::uint64_t>(some_of(kSeeds));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    auto [problem, plan] = random_stream_plan(seed);
    const PlanSummary s = verify(plan, problem);
    plan.device_classes[0].memory_bytes = s.peak_device_bytes + 32;
    plan.host_budget_bytes = s.peak_host_bytes + 32;
    const Counts truth = products_of(plan, problem);
    Random random(1000 + seed);
    for (int change = 0; change < 40; ++change) {
      SCOPED_TRACE(fmt::format("seed {} change {}", seed, change));
      Plan wrong = plan;
      for (std::int64_t changes = random.integer(1, 3); changes > 0; --changes) corrupt(wrong, random);
      if (!complaint(wrong, problem).empty()) {
        ++refused;
        continue;
      }
      ++accepted;
      ASSERT_EQ(products_of(wrong, problem), truth);
      ASSERT_TRUE(slow_steps_right(wrong));
      ASSERT_TRUE(slow_deliveries_right(wrong, problem));
      ASSERT_LE(slow_device_peak(wrong, problem), wrong.device_classes[0].memory_bytes);
      ASSERT_LE(slow_host_peak(wrong, problem), wrong.host_budget_bytes);
    }
  }
  EXPECT_GT(refused, some_of(1000));
  EXPECT_GT(accepted, some_of(100));  // of changes without harm
}

}  // namespace
}  // namespace foretile::random_stream_test
