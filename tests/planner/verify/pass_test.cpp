// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/pass.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <set>

#include "tests/planner/verify/refused.hpp"
#include "tests/planner/verify/stream_example.hpp"

namespace foretile::pass_test {
namespace {

/// What one pass says by itself; empty when it accepts the plan.
std::string complaint_of(Pass (*make)(const VerifyView&), const StreamExample& example) {
  const VerifyView view(example.plan, example.problem);
  try {
    const Pass pass = make(view);
    walk_plan(view, [&](const PassCall& call) { call(*pass); });
    PlanSummary summary;
    pass->finish(summary);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

constexpr std::array kProofs{steps_pass,         generated_once_pass, products_pass, sources_pass,
                             device_memory_pass, host_memory_pass,    acyclic_pass};

/// The numbers, among kProofs, of those that refuse the plan.
std::set<std::size_t> refusing(const StreamExample& example) {
  std::set<std::size_t> numbers;
  for (std::size_t n = 0; n < kProofs.size(); ++n) {
    if (!complaint_of(kProofs[n], example).empty()) numbers.insert(n);
  }
  return numbers;
}

using Numbers = std::set<std::size_t>;

TEST(VerifyPass, AllAcceptTheExample) {
  EXPECT_EQ(refusing(StreamExample()), Numbers{});
}

/// Steps 0 and 1 of a block become 1 and 0: with lookahead 0 the first chunk waits for the second.
TEST(VerifyPass, StepsThatDecrease) {
  StreamExample example(0, Barriers::local);
  std::swap(example.block(0, 0).chunks[0].step, example.block(0, 0).chunks[1].step);
  const Numbers found = refusing(example);
  EXPECT_TRUE(found.contains(0));
  EXPECT_TRUE(found.contains(6));
  EXPECT_NE(complaint_of(steps_pass, example).find("increasing steps"), std::string::npos);
}

/// B made where it is used; rank 0 makes its columns 0 and 2 again on a second device. (So C is computed
/// twice.)
TEST(VerifyPass, MadeTwiceByARank) {
  StreamExample example;
  example.plan.operands.b = kGeneratedAndStays;
  for (Rank rank = 0; rank < 4; ++rank) {
    std::erase_if(example.messages(rank), [](const Transfer& b) { return b.matrix == Matrix::b; });
  }
  example.plan.staging_bytes = 64;
  EXPECT_EQ(refusing(example), Numbers{});
  auto& devices = example.plan.ranks[0].devices;
  devices.push_back(devices[0]);
  EXPECT_EQ(refusing(example), (Numbers{1, 2}));
  EXPECT_NE(complaint_of(generated_once_pass, example).find("generated again"), std::string::npos);
}

/// A(0,0) and B(0,0) live on rank 0, so no message is left without use.
TEST(VerifyPass, AProductIsMissing) {
  StreamExample example;
  auto& chunks = example.block(0, 0).chunks;
  chunks.erase(chunks.begin());
  EXPECT_EQ(refusing(example), Numbers{2});
}

TEST(VerifyPass, AMessageIsMissing) {
  StreamExample example;
  example.messages(0).pop_back();
  EXPECT_EQ(refusing(example), Numbers{3});
}

/// C and two chunks of two tiles: 160 bytes. The host holds more.
TEST(VerifyPass, MemoryIsShort) {
  StreamExample example;
  example.plan.device_classes[0].memory_bytes = 159;
  EXPECT_EQ(refusing(example), Numbers{4});
  example.plan.device_classes[0].memory_bytes = 160;
  EXPECT_EQ(refusing(example), Numbers{});
  example.plan.host_budget_bytes = 100;
  EXPECT_EQ(refusing(example), Numbers{5});
}

/// With global barriers a message of step 3 leaves when step 1 is over everywhere, but its receiver needs it
/// for step 0: it waits for ever. The messages that go with it, behind it in the queue, do not matter here.
TEST(VerifyPass, AMessageThatLeavesTooLate) {
  StreamExample example;
  Transfer& message = example.messages(0).front();
  ASSERT_EQ(message.step, 0);
  message.step = message.last_step = 3;
  std::stable_sort(example.messages(0).begin(), example.messages(0).end(),
                   [](const Transfer& l, const Transfer& r) { return l.step < r.step; });
  const Numbers found = refusing(example);
  EXPECT_TRUE(found.contains(3));
  EXPECT_TRUE(found.contains(6));
  EXPECT_NE(complaint_of(acyclic_pass, example).find("a cycle"), std::string::npos);
}

TEST(VerifyPass, EachIsNamedAndTimed) {
  const StreamExample example;
  const auto start = std::chrono::steady_clock::now();
  const PlanSummary summary = verify(example.plan, example.problem);
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - start;
  std::vector<std::string> names;
  double passes_s = 0;
  for (const PassTime& pass : summary.passes) {
    names.push_back(pass.name);
    if (names.size() > 3) passes_s += pass.seconds;
  }
  EXPECT_GT(passes_s, 0);
  EXPECT_LE(passes_s, all.count());  // one after the other, in seconds
  EXPECT_EQ(names,
            (std::vector<std::string>{"frame", "messages", "blocks", "counts", "steps", "generated once",
                                      "products once", "sources", "sums", "flow", "device memory",
                                      "messages on devices", "host memory", "no cycle"}));
}

}  // namespace
}  // namespace foretile::pass_test
