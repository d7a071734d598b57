// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/assignment.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "planner/plan/plan_digest.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::assignment_test {
namespace {

const Contraction& problem() {
  static const Contraction p = dense_product(4, 24, 4, 2);
  return p;
}

/// One rank with two devices, of six blocks each at least.
Plan pooled_plan(const std::string& sharing = "dynamic") {
  return make_plan(problem(), small_machine(1, 2, 1 << 20, std::int64_t{1} << 40),
                   {{"strategy", "owner-b"}, {"sharing", sharing}});
}

/// The first device with all blocks, the last first.
Assignment all_to_first(const Plan& plan) {
  std::vector<int> numbers;
  for (const DevicePlan& device : plan.ranks[0].devices) {
    for (std::size_t b = 0; b < device.blocks.size(); ++b)
      numbers.insert(numbers.begin(), static_cast<int>(numbers.size()));
  }
  return {plan_digest(plan), {{numbers, {}}}};
}

std::string refusal(const Plan& plan, const Assignment& assignment) {
  try {
    assigned_plan(plan, assignment, "taken.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

class File {
 public:
  explicit File(const std::string& text = {}) { std::ofstream(path_) << text; }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) / ("foretile_assignment_" + std::to_string(::getpid()));
};

TEST(Assignment, GivesDevicesTheBlocksThatTheyTook) {
  const Plan plan = pooled_plan();
  ASSERT_EQ(plan.pool, Pool::open);
  const auto& devices = plan.ranks[0].devices;
  ASSERT_GE(devices[0].blocks.size(), 3U);
  ASSERT_GE(devices[1].blocks.size(), 3U);
  const Plan assigned = assigned_plan(plan, all_to_first(plan), "taken.json");
  EXPECT_EQ(assigned.pool, Pool::taken);
  const auto& all = assigned.ranks[0].devices[0].blocks;
  ASSERT_EQ(all.size(), devices[0].blocks.size() + devices[1].blocks.size());
  EXPECT_EQ(all.front().columns, devices[1].blocks.back().columns);
  EXPECT_EQ(all.back().columns, devices[0].blocks.front().columns);
  EXPECT_TRUE(assigned.ranks[0].devices[1].blocks.empty());
  EXPECT_EQ(verify(assigned, problem()).gemms, verify(plan, problem()).gemms);
}

TEST(Assignment, IsReadAsItWasWritten) {
  const Assignment written{"0123456789abcdef", {{{2, 0}, {1}}, {{}, {0}}}};
  const File file;
  save_assignment(file.path(), written);
  const Assignment read = load_assignment(file.path());
  EXPECT_EQ(read.plan, written.plan);
  EXPECT_EQ(read.ranks, written.ranks);
}

TEST(Assignment, IsRefusedForAnotherPlan) {
  const Plan plan = pooled_plan();
  Assignment assignment = all_to_first(plan);
  EXPECT_EQ(refusal(plan, assignment), "");
  EXPECT_EQ(
      refusal(pooled_plan("off"), assignment),
      "taken.json: found a plan in which each device has its own blocks, expected one whose devices take "
      "blocks while they run; plan with a strategy that has sharing=dynamic");
  assignment.plan = "0";
  EXPECT_EQ(refusal(plan, assignment),
            "taken.json: plan: found 0, expected " + plan_digest(plan) +
                ", this plan's digest; give the file that --assignment-out wrote in a run of this plan");
  assignment = all_to_first(plan);
  assignment.ranks.emplace_back();
  EXPECT_EQ(refusal(plan, assignment),
            "taken.json: ranks: found 2 ranks, expected 1; give the file that --assignment-out wrote in a "
            "run of this plan");
}

TEST(Assignment, NamesEachBlockOnce) {
  const Plan plan = pooled_plan();
  const auto with = [&](auto change) {
    Assignment assignment = all_to_first(plan);
    change(assignment.ranks[0]);
    return refusal(plan, assignment);
  };
  const std::string same = "; give the file that --assignment-out wrote in a run of this plan";
  EXPECT_EQ(with([](RankAssignment& taken) { taken.pop_back(); }),
            "taken.json: ranks, rank 0: found 1 devices, expected 2" + same);
  EXPECT_EQ(with([](RankAssignment& taken) { taken[1] = {0}; }),
            "taken.json: ranks, rank 0: found block 0 twice, expected each block once" + same);
  EXPECT_NE(with([](RankAssignment& taken) { taken[0][0] = -1; }).find("found block -1, expected 0 to"),
            std::string::npos);
  EXPECT_NE(with([](RankAssignment& taken) { taken[0].pop_back(); }).find(" blocks, expected "),
            std::string::npos);
}

TEST(Assignment, AFileWithOtherContentIsRefused) {
  const auto refused = [](const std::string& text) -> std::string {
    const File file(text);
    try {
      load_assignment(file.path());
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file.path().string().size());
    }
    return {};
  };
  EXPECT_EQ(refused("").find(": not an assignment"), 0U) << refused("");
  const std::string same = "; give the file that --assignment-out wrote in a run of this plan";
  EXPECT_EQ(refused("[]"), ": found [], expected an object" + same);
  EXPECT_EQ(refused("{}"), ": plan: found nothing, expected the digest of a plan" + same);
  EXPECT_EQ(refused(R"({"plan": 7, "ranks": []})"), ": plan: found 7, expected the digest of a plan" + same);
  EXPECT_EQ(refused(R"({"plan": "0"})"),
            ": ranks: found nothing, expected a list with the devices of each rank" + same);
  EXPECT_NE(refused(R"({"plan": "0", "ranks": [], "more": 1})").find("more"), std::string::npos);
  EXPECT_EQ(refused(R"({"plan": "0", "ranks": [3]})"),
            ": ranks, rank 0: found 3, expected a list with the blocks of each device" + same);
  EXPECT_EQ(refused(R"({"plan": "0", "ranks": [[[0], 1]]})"),
            ": ranks, rank 0, device 1: found 1, expected a list of numbers of blocks" + same);
  EXPECT_EQ(refused(R"({"plan": "0", "ranks": [[[0, 1e9]]]})"),
            ": ranks, rank 0, device 0: found 1000000000.0, expected the number of a block" + same);
}

}  // namespace
}  // namespace foretile::assignment_test
