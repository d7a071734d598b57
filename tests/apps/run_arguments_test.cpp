// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_arguments.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace foretile::run_arguments_test {

namespace {

/// Empty where nothing is refused.
std::string refusal(RunKind kind, const RunArguments& arguments) {
  try {
    refuse_other_options(kind, arguments);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

RunArguments of(const std::string& what) {
  RunArguments arguments;
  arguments.what = what;
  return arguments;
}

}  // namespace

TEST(RunArguments, KindsAreToldByTheEnding) {
  EXPECT_EQ(kind_of("p.toml"), RunKind::problem);
  EXPECT_EQ(kind_of("c12"), RunKind::problem);
  EXPECT_EQ(kind_of("txt"), RunKind::problem);
  EXPECT_EQ(kind_of("ccsd.txt"), RunKind::program);
  EXPECT_EQ(kind_of("there is no such file.json"), RunKind::plan);
}

TEST(RunArguments, NothingIsRefusedWithoutOptions) {
  for (const RunKind kind : {RunKind::plan, RunKind::problem, RunKind::program_plan, RunKind::program})
    EXPECT_EQ(refusal(kind, of("x")), "");
}

TEST(RunArguments, EachKindHasItsOptions) {
  RunArguments sizes = of("x");
  sizes.sizes.tile = 3;
  EXPECT_EQ(refusal(RunKind::program, sizes), "");
  EXPECT_EQ(refusal(RunKind::problem, sizes),
            "--tile: found the problem x, expected a program, PROGRAM.txt; leave --tile out");
  EXPECT_EQ(refusal(RunKind::plan, sizes),
            "--tile: found the plan of a problem, x, expected a program, PROGRAM.txt; leave --tile out");
  EXPECT_EQ(refusal(RunKind::program_plan, sizes),
            "--tile: found the plan x, expected PROGRAM.txt; leave --tile out: the plan says it; or plan "
            "again");

  RunArguments parameters = of("x");
  parameters.options.set = {"grid.p=2"};
  EXPECT_EQ(refusal(RunKind::program, parameters), "");
  EXPECT_EQ(refusal(RunKind::problem, parameters), "");
  EXPECT_TRUE(refusal(RunKind::plan, parameters).starts_with("--set: found the plan x"));
  EXPECT_TRUE(refusal(RunKind::program_plan, parameters).starts_with("--set: found the plan x"));

  RunArguments numbers = of("x");
  numbers.seed = 0;
  EXPECT_EQ(refusal(RunKind::program, numbers), "");
  EXPECT_EQ(refusal(RunKind::program_plan, numbers), "");
  EXPECT_TRUE(refusal(RunKind::problem, numbers).starts_with("--seed: found the problem x"));

  RunArguments trace = of("x");
  trace.trace = "t.json";
  EXPECT_EQ(refusal(RunKind::plan, trace), "");
  EXPECT_EQ(refusal(RunKind::problem, trace), "");
  EXPECT_EQ(refusal(RunKind::program, trace),
            "--trace: found the program x, expected a problem, or its plan; leave --trace out");
}

}  // namespace foretile::run_arguments_test
