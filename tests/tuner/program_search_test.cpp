// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/program_search.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace foretile::program_search_test {
namespace {

/// 100 s of work that fits on 5 nodes and more; flow takes a tenth more than the bound, levels two tenths;
/// tiles of 60 twice as long. A node adds a second.
ProgramTrial tried(const ProgramCandidate& candidate, bool simulates) {
  ProgramTrial trial{candidate, 0, {}, 100.0 / candidate.nodes, {}, {}};
  if (candidate.nodes < 5) {
    trial.message = "too little memory";
    return trial;
  }
  trial.memory_bytes = 1000;
  const double longer = (candidate.mode == "flow" ? 1.1 : 1.2) * (candidate.tile == 60 ? 2 : 1);
  if (simulates) trial.makespan_s = longer * trial.bound_s + candidate.nodes;
  return trial;
}

std::vector<ProgramTrial> all_tried(const ProgramSpace& space) {
  std::vector<ProgramTrial> trials;
  for (const ProgramCandidate& candidate : candidates_of(space)) trials.push_back(tried(candidate, true));
  return trials;
}

/// The first candidate that fits ends it.
std::vector<ProgramTrial> planned(const ProgramSpace& space, int nodes) {
  std::vector<ProgramTrial> trials;
  for (const ProgramCandidate& candidate : candidates_of({{nodes, nodes}, space.tiles, space.modes})) {
    trials.push_back(tried(candidate, false));
    if (trials.back().fits()) break;
  }
  return trials;
}

ProgramTuning tuned(const ProgramSpace& space) {
  return conclude(space, {all_tried(space)}, [&](int nodes) { return NodesTried{planned(space, nodes)}; });
}

/// Of 1 to 20 nodes 1, 2, 4, 8, 16 and 20 are simulated. 4 do not fit, 8 do: between them 6 and 5 are
/// planned. On 8 nodes it takes 110 / 8 + 8 = 21.75 s, the least of those that were simulated is on 8: 16
/// take 22.875 s, 20 take 25.5 s. Node-hours are the least on 8, too: 174 s; on 16 366 s.
TEST(ProgramSearch, AnswersByName) {
  const ProgramTuning tuning = tuned({{1, 20}, {60, 45}, {"levels", "flow"}});
  EXPECT_EQ(tuning.end, TuneEnd::complete);
  EXPECT_EQ(tuning.fewest_nodes, 5);
  ASSERT_TRUE(tuning.taken(Goal::time));
  EXPECT_EQ(tuning.taken(Goal::time)->candidate, (ProgramCandidate{8, 45, "flow"}));
  EXPECT_DOUBLE_EQ(*tuning.taken(Goal::time)->makespan_s, 21.75);
  EXPECT_DOUBLE_EQ(tuning.taken(Goal::node_hours)->node_hours(), 174.0 / 3600);
  // 6 numbers of nodes with four candidates; 6 and 5 nodes fit with the first one.
  EXPECT_EQ(tuning.trials.size(), 6U * 4 + 2);
  EXPECT_EQ(tuning.trials.front().candidate.nodes, 1);
  EXPECT_EQ(tuning.trials.back().candidate.nodes, 20);
  const std::string text = text_of(tuning);
  EXPECT_NE(text.find("shortest time      21.75 s on 8 nodes, tiles of 45, mode flow"), std::string::npos)
      << text;
  EXPECT_NE(text.find("fewest nodes       5\n"), std::string::npos) << text;  // planned alone
  EXPECT_NE(text.find("does not fit: too little memory"), std::string::npos) << text;
  const auto json = json_of(tuning);
  EXPECT_EQ(json["fewest_nodes"], 5);
  EXPECT_EQ(json["shortest_time"]["mode"], "flow");
  EXPECT_TRUE(json["trials"][0]["makespan_s"].is_null());
  EXPECT_EQ(json["trials"][0]["message"], "too little memory");
}

/// Of 1 to 64 nodes 8 fit; time is up while 6 nodes are planned.
TEST(ProgramSearch, EndsWhereTimeIsUp) {
  const ProgramSpace space{{1, 64}, {45}, {"flow", "levels"}};
  std::vector<int> asked;
  const ProgramTuning late = conclude(space, {all_tried(space)}, [&](int nodes) {
    asked.push_back(nodes);
    return NodesTried{{}, TuneEnd::time};
  });
  EXPECT_EQ(asked, (std::vector<int>{6}));
  EXPECT_EQ(late.end, TuneEnd::time);
  EXPECT_EQ(late.fewest_nodes, 8);
  std::vector<ProgramTrial> some = all_tried(space);
  some.resize(3);
  const ProgramTuning cut_off = conclude(space, {some, TuneEnd::count}, [](int) -> NodesTried {
    ADD_FAILURE() << "there is no time for bisection";
    return {};
  });
  EXPECT_EQ(json_of(cut_off)["complete"], false);
  EXPECT_FALSE(cut_off.fewest_nodes);
  EXPECT_EQ(cut_off.trials.size(), 3U);
  EXPECT_NE(text_of(cut_off).find("the count is reached: not all was tried"), std::string::npos);
}

/// What is cheapest to plan comes first, on all numbers of nodes; then the next mode.
TEST(ProgramSearch, TriesAllNodesWithTheFirstTiles) {
  EXPECT_EQ(
      candidates_of({{7, 8}, {60, 45}, {"flow"}}),
      (std::vector<ProgramCandidate>{{7, 60, "flow"}, {8, 60, "flow"}, {7, 45, "flow"}, {8, 45, "flow"}}));
  EXPECT_EQ(candidates_of({{7, 8}, {60}, {"levels", "flow"}}),
            (std::vector<ProgramCandidate>{
                {7, 60, "levels"}, {8, 60, "levels"}, {7, 60, "flow"}, {8, 60, "flow"}}));
  constexpr int kMost = std::numeric_limits<int>::max();  // doubling ends without an overflow
  EXPECT_EQ(candidates_of({{1 << 30, kMost}, {45}, {"flow"}}).size(), 2U);
}

/// Of 1 to 8 nodes: 4 did not end, so it is unknown whether 8 are the fewest. Where that is in the bisection,
/// too.
TEST(ProgramSearch, DoesNotTakeWhatDidNotEndAsTooLarge) {
  const ProgramSpace space{{1, 8}, {45}, {"flow"}};
  std::vector<ProgramTrial> trials = all_tried(space);
  ProgramTrial failed{{4, 45, "flow"}, 0, {}, 0, "killed"};
  failed.failed = true;
  trials[2] = failed;
  const ProgramTuning unknown = conclude(space, {trials}, [](int) -> NodesTried {
    ADD_FAILURE() << "between which numbers?";
    return {};
  });
  EXPECT_FALSE(unknown.fewest_nodes);
  EXPECT_NE(text_of(unknown).find("not finished: killed"), std::string::npos) << text_of(unknown);
  failed.candidate.nodes = 6;
  const auto fails = [&](int nodes) {
    EXPECT_EQ(nodes, 6);
    return NodesTried{{failed}};
  };
  EXPECT_FALSE(conclude(space, {all_tried(space)}, fails).fewest_nodes);
}

TEST(ProgramSearch, SaysWhereNothingFits) {
  const ProgramTuning none = tuned({{1, 4}, {45}, {"flow"}});
  EXPECT_FALSE(none.fewest_nodes);
  EXPECT_EQ(none.taken(Goal::time), nullptr);
  EXPECT_TRUE(json_of(none)["shortest_time"].is_null());
}

ProgramTrial took(std::int64_t tile, const char* mode, double seconds, std::int64_t effort) {
  ProgramTrial trial{{4, tile, mode}, 1000, seconds, 1, {}};
  trial.effort = effort;
  return trial;
}

/// Of times within 5% the first tiles level by level; where 5% better ones are there, the simplest of these.
TEST(ProgramSearch, TakesTheDefaultsOrTheSimplestOfEqualTimes) {
  ProgramTuning tuning;
  tuning.tie = 0.05;
  tuning.trials = {took(60, "flow", 101, 9), took(60, "levels", 104, 6), took(45, "flow", 100, 5)};
  EXPECT_EQ(tuning.taken(Goal::time)->candidate, (ProgramCandidate{4, 60, "levels"}));
  EXPECT_EQ(tuning.taken(Goal::node_hours), tuning.taken(Goal::time));
  EXPECT_NE(text_of(tuning).find("equal within 5%: 100 s with tiles of 45, mode flow"), std::string::npos)
      << text_of(tuning);
  EXPECT_EQ(json_of(tuning)["shortest_time"]["makespan_s"], 104);
  tuning.trials[1] = took(60, "levels", 120, 6);
  EXPECT_EQ(tuning.taken(Goal::time)->candidate, (ProgramCandidate{4, 45, "flow"}));
  tuning.trials[0].effort = 4;
  EXPECT_EQ(tuning.taken(Goal::time)->candidate, (ProgramCandidate{4, 60, "flow"}));
  tuning.tie = 0;
  EXPECT_EQ(tuning.taken(Goal::time)->candidate, (ProgramCandidate{4, 45, "flow"}));
  EXPECT_EQ(text_of(tuning).find("predictions"), std::string::npos);
}

/// Flow takes 100 s and 9 kJ, levels 110 s and 8 kJ: within 5% nothing is equal.
TEST(ProgramSearch, TakesTheLeastEnergy) {
  ProgramTuning tuning;
  tuning.tie = 0.05;
  tuning.about = true;
  tuning.trials = {took(60, "flow", 100, 5), took(60, "levels", 110, 5)};
  EXPECT_EQ(text_of(tuning).find("energy"), std::string::npos);
  EXPECT_FALSE(json_of(tuning).contains("least_energy"));
  tuning.trials[0].joules = 9000;
  tuning.trials[1].joules = 8000;
  EXPECT_EQ(tuning.taken(Goal::time)->candidate.mode, "flow");
  EXPECT_EQ(tuning.taken(Goal::energy)->candidate.mode, "levels");
  EXPECT_NE(text_of(tuning).find("least energy       about 8.00 kJ on 4 nodes"), std::string::npos)
      << text_of(tuning);
  EXPECT_NE(text_of(tuning).find("  node-hours   energy/J     over"), std::string::npos) << text_of(tuning);
  EXPECT_EQ(json_of(tuning)["least_energy"]["joules"], 8000);
  EXPECT_EQ(json_of(tuning)["energy_is_guess"], true);
}

/// As the tuner has it from a process or a history.
TEST(ProgramSearch, ReadsTrialsThatItWrote) {
  const ProgramTrial fits{{4, 60, "levels"},          1000, 2.5, 0.1,        "",  {"v[pp|pp]"}, "round-robin",
                          {{"t1", "b"}, {"t2", "a"}}, 7,    1e4, "products", true};
  const ProgramTrial planned{{4, 60, "flow"}, 1000, {}, 0.1, "", {}, "chosen", {}};
  const ProgramTrial does_not{{1, 60, "flow"}, 0, {}, 0.4, "too little memory", {}, "", {}};
  for (const ProgramTrial& trial : {fits, planned, does_not}) {
    const Evaluation evaluation{settings_of(trial.candidate), outcome_of(trial), 1};
    EXPECT_EQ(trial_of(evaluation_from_json(to_json(evaluation))), trial);
  }
  const Evaluation failed{settings_of(fits.candidate), {Outcome::Status::failed, 0, "killed", {}}, 1};
  ProgramTrial unknown{fits.candidate, 0, {}, 0, "killed"};
  unknown.failed = true;
  EXPECT_EQ(trial_of(failed), unknown);
  const Evaluation by_hand{settings_of(fits.candidate), {Outcome::Status::done, 1, "", {}}, 1};
  EXPECT_THROW(trial_of(by_hand), nlohmann::json::exception);
}

}  // namespace
}  // namespace foretile::program_search_test
