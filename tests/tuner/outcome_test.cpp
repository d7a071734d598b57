// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/outcome.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/error.hpp"

namespace foretile::outcome_test {
namespace {

using nlohmann::json;

TEST(Evaluation, SurvivesJson) {
  const Evaluation done{{{"grid.p", "2"}}, {Outcome::Status::done, 34.9, "", {{"flops", 1e15}}}, 1.5};
  const Evaluation refused{{{"grid.p", "9"}}, {Outcome::Status::infeasible, 0, "too \"small\"\n", {}}, 0.01};
  const Evaluation stopped{{{"grid.p", "3"}}, {Outcome::Status::stopped, 0, "", {}, 20.5}, 0.7};
  for (const Evaluation& evaluation : {done, refused, stopped}) {
    const std::string line = json_line(to_json(evaluation));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(evaluation_from_json(json::parse(line)), evaluation) << line;
  }
}

TEST(Evaluation, RefusesWhatIsNone) {
  for (const char* bad : {"3", "null", "[]", "{}", R"({"status": "done"})",
                          R"({"status": "great", "parameters": {}, "wall_s": 1})",
                          R"({"status": "done", "makespan_s": "1", "parameters": {}, "wall_s": 1})",
                          R"({"status": "done", "makespan_s": null, "parameters": {}, "wall_s": 1})",
                          R"({"status": "done", "makespan_s": -1, "parameters": {}, "wall_s": 1})",
                          R"({"status": "stopped", "parameters": {}, "wall_s": 1})",
                          R"({"status": "failed", "message": 1, "parameters": {}, "wall_s": 1})",
                          R"({"status": "failed", "parameters": [], "wall_s": 1})",
                          R"({"status": "failed", "parameters": {"p": 1}, "wall_s": 1})"}) {
    EXPECT_THROW(evaluation_from_json(json::parse(bad)), InputError) << bad;
  }
}

TEST(Outcome, InfiniteTimeIsNoResult) {
  const Outcome outcome{Outcome::Status::done, std::numeric_limits<double>::infinity(), "", {}};
  EXPECT_THROW(outcome_from_json(json::parse(json_line(to_json(outcome)))), InputError);
}

TEST(JsonLine, ReplacesBytesThatAreNoText) {
  const Outcome outcome{Outcome::Status::failed, 0, "bad \xff byte", {}};
  EXPECT_NO_THROW(json::parse(json_line(to_json(outcome))));
}

}  // namespace
}  // namespace foretile::outcome_test
