// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/plan_in_slices.hpp"

#include <gtest/gtest.h>

#include "base/missing_memory.hpp"
#include "planner/tensor/program_text.hpp"
#include "tests/planner/program/flow_machine.hpp"

namespace foretile::plan_in_slices_test {
namespace {

constexpr const char* kHead =
    "orbitals = spatial\nspace i = occupied\nspace a = virtual\nspace x = auxiliary\ntensor D[a,a,x]\n"
    "tensor t[a,a,i,i] pair\nresult R[a,a,i,i] pair\n";
constexpr const char* kTerms =
    "v: X[a1,a2,a3,a4] += D[a1,a3,x] D[a2,a4,x]\np: R[a1,a2,i1,i2] += X[a1,a2,a3,a4] t[a3,a4,i1,i2]\n";

SlicedPlan plan(bool on_demand, std::int64_t host_bytes, int slices = 0) {
  const Program program = parse_program(
      std::string(kHead) + (on_demand ? "intermediate X[a,a,a,a] on-demand\n" : "") + kTerms, "test");
  const auto make = [&](const ProgramSizes& sizes) {
    return std::make_shared<const FusedProgram>(program, sizes, "test");
  };
  return plan_in_slices(
      {.occupied = 2, .virtuals = 16, .tile = 2, .vectors = 4, .vector_tile = 4, .slices = slices}, make,
      [&](const FusedProgram& fused) {
        return plan_program(fused, {}, flow_machine(1, 1, host_bytes), {}, ProgramMode::levels);
      });
}

/// X has 2,080 blocks of 16 elements, 266,240 bytes, which do not fit. As few slices are
/// taken as fit, and only where the program lets X be in parts.
TEST(PlanInSlices, TakesAsFewAsFit) {
  constexpr std::int64_t kLess = 180'000;
  const SlicedPlan whole = plan(true, std::int64_t{1} << 40);
  EXPECT_EQ(whole.sizes.slices, 1);
  const SlicedPlan sliced = plan(true, kLess);
  EXPECT_GT(sliced.sizes.slices, 1);
  EXPECT_LE(sliced.plan.work.summary.peak_host_bytes, kLess);
  EXPECT_EQ(sliced.plan.work.summary.gemms, whole.plan.work.summary.gemms);
  EXPECT_THROW(plan(true, kLess, sliced.sizes.slices / 2), DoesNotFit);
  EXPECT_THROW(plan(false, kLess), DoesNotFit);
}

TEST(PlanInSlices, TakesAsManyAsAreGiven) {
  EXPECT_EQ(plan(true, std::int64_t{1} << 40, 3).program->program().declared("X~3")->slice->part, 2U);
}

/// The error is that of the whole program.
TEST(PlanInSlices, SaysWhyNothingFits) {
  try {
    plan(true, 1000);
    FAIL();
  } catch (const DoesNotFit& error) {
    EXPECT_EQ(std::string(error.what()).find('~'), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace foretile::plan_in_slices_test
