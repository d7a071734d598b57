// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace foretile::tuner_report_test {
namespace {

Evaluation done(Candidate candidate, double seconds) {
  return {std::move(candidate), {Outcome::Status::done, seconds, "", {}}, 1};
}

/// Two parameters vary, one does not; the defaults took 4 s.
TuneResult example() {
  TuneResult result;
  result.ranking = {done({{"p", "2"}, {"f", "0.5"}, {"same", "1"}}, 2),
                    done({{"p", "2"}, {"f", "0.25"}, {"same", "1"}}, 3),
                    done({{"p", "1"}, {"f", "0.5"}, {"same", "1"}}, 4),
                    done({{"p", "1"}, {"f", "0.25"}, {"same", "1"}}, 8)};
  result.defaults = result.ranking[2];
  result.ranking.push_back(
      {{{"p", "7"}, {"f", "0.5"}, {"same", "1"}}, {Outcome::Status::infeasible, 0, "no", {}}, 1});
  result.evaluated = 5;
  result.infeasible = 1;
  result.space = Space({{"f", {"0.25", "0.5"}}, {"p", {"1", "2", "7"}}, {"same", {"1"}}});
  return result;
}

TEST(Ties, ValuesThatDoNotMatter) {
  TuneResult result;
  EXPECT_EQ(ties_text(result), "");
  result.same_as_best = {{{"p", "1"}, {"block", "0.8"}, {"ahead", "1"}}};
  EXPECT_EQ(ties_text(result), "");
  result.same_as_best.push_back({{"p", "1"}, {"block", "0.9"}, {"ahead", "1"}});
  result.same_as_best.push_back({{"p", "1"}, {"block", "0.8"}, {"ahead", "2"}});
  EXPECT_EQ(ties_text(result), "ahead 1, 2; block 0.8, 0.9: the same plan in 3 of 4 combinations");
  result.same_as_best.push_back({{"p", "1"}, {"block", "0.9"}, {"ahead", "2"}});
  EXPECT_EQ(ties_text(result), "ahead 1, 2; block 0.8, 0.9: the same plan");
}

/// Of the plan that is taken, not of the fastest: 6 s and less effort where the fastest takes 5.8 s.
TEST(GainText, IsThatOfThePlanTaken) {
  TuneResult result;
  EXPECT_EQ(gain_text(result, 0.05), "");
  result.ranking = {done({{"p", "1"}}, 5.8), done({{"p", "2"}}, 6)};
  result.ranking[1].outcome.extra[kEffort] = 1;
  EXPECT_EQ(gain_text(result, 0.05), "");
  result.defaults = done({{"p", "3"}}, 9);
  EXPECT_EQ(gain_text(result, 0.05), "1.500 times faster");
  EXPECT_EQ(gain_text(result, 0), "1.552 times faster");
  result.defaults = done({{"p", "3"}}, 6);
  EXPECT_EQ(gain_text(result, 0.05), "none that predictions can tell (5%)");
}

/// 0.4 to 0.6 follow each other in the space; of 0.8 and 0.9 there are two only.
TEST(Ties, NeighboursInTheSpaceAreARange) {
  TuneResult result;
  result.space = Space({{"f", {"0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9"}}});
  for (const char* value : {"0.9", "0.4", "0.5", "0.8", "0.6"}) result.same_as_best.push_back({{"f", value}});
  EXPECT_EQ(ties_text(result), "f 0.4 to 0.6, 0.8, 0.9: the same plan");
}

TEST(RankingTable, HasAColumnForWhatVaries) {
  EXPECT_EQ(ranking_table(example()),
            "rank     f  p  time/s  /defaults\n"
            "   1   0.5  2       2      0.500\n"
            "   2  0.25  2       3      0.750\n"
            "  *3   0.5  1       4      1.000\n"
            "   4  0.25  1       8      2.000\n");
}

TEST(RankingTable, KeepsToTheAskedRowsAndNeedsNoDefaults) {
  TuneResult result = example();
  result.defaults.reset();
  EXPECT_EQ(ranking_table(result, 1),
            "rank    f  p  time/s  /defaults\n"
            "   1  0.5  2       2          -\n");
}

TEST(RankingTable, SaysWhyThereIsNothing) {
  EXPECT_EQ(ranking_table(TuneResult()),
            "no candidate was evaluated: give more time, or allow more evaluations\n");
  TuneResult result;
  result.ranking = {example().ranking.back()};
  result.infeasible = 1;
  EXPECT_EQ(ranking_table(result), "none of 1 candidates could be simulated; the first is infeasible: no\n");
}

TEST(RankingTable, ShowsParametersThatOnlySomeHave) {
  TuneResult result;
  result.ranking = {done({{"p", "2"}}, 1), done({}, 2)};
  EXPECT_EQ(ranking_table(result),
            "rank  p  time/s  /defaults\n"
            "   1  2       1          -\n"
            "   2  -       2          -\n");
}

/// Two candidates take 2 s, of which one, with the best's plan, was not simulated; two take 3 s, which are
/// not all combinations of their values.
TEST(RankingTable, EqualTimesShareARow) {
  TuneResult result;
  result.space = Space({{"f", {"1", "2", "3", "4"}}, {"p", {"1", "2"}}});
  result.ranking = {done({{"f", "1"}, {"p", "1"}}, 2), done({{"f", "3"}, {"p", "1"}}, 2),
                    done({{"f", "1"}, {"p", "2"}}, 3), done({{"f", "2"}, {"p", "1"}}, 3)};
  result.same_as_best = {result.ranking[0].candidate, {{"f", "2"}, {"p", "1"}}};
  result.defaults = result.ranking[2];
  EXPECT_EQ(ranking_table(result),
            "rank       f     p  time/s  /defaults\n"
            "   1  1 to 3     1       2      0.667\n"
            "  *2    1, 2  1, 2       3      1.000\n"
            "rows with several values: candidates with the same time, not all combinations\n");
  EXPECT_EQ(ranking_table(result, 1),
            "rank       f  p  time/s  /defaults\n"
            "   1  1 to 3  1       2      0.667\n");
}

// With all else as in the best (p = 2, f = 0.5): p = 1 takes 4 s, twice as long; f = 0.25 takes 3 s.
TEST(EffectsTable, HasALineForEachParameter) {
  EXPECT_EQ(effects_table(example()),
            "p  2: 2 s; 1: 4 s; 7: does not fit\n"
            "f  0.5: 2 s; 0.25: 3 s\n");
  EXPECT_EQ(effects_table(TuneResult()), "");
}

TEST(EffectsTable, GroupsValuesThatDoTheSame) {
  TuneResult result;
  result.space = Space({{"f", {"1", "2", "3", "4", "5", "6", "7", "8", "9"}}});
  result.ranking = {done({{"f", "1"}}, 2), {{{"f", "8"}}, {Outcome::Status::infeasible, 0, "no", {}}, 1}};
  result.ranking.front().outcome.extra["plan"] = "x";
  for (const char* value : {"2", "3", "4"})
    result.neighbour_bounds[{{"f", value}}] = {Outcome::Status::done, 1, "", {{"plan", "x"}}};
  result.neighbour_bounds[{{"f", "5"}}] = {Outcome::Status::done, 2.5, "", {}};
  result.neighbour_bounds[{{"f", "6"}}] = {Outcome::Status::done, 1.75, "", {}};
  result.neighbour_bounds[{{"f", "9"}}] = {Outcome::Status::done, 1.5, "", {}};
  EXPECT_EQ(effects_table(result),
            "f  1: 2 s; 2 to 4: the same plan; 5: at least 2.5 s; 7: not tried; "
            "6, 9: not tried, at least 1.5 s; 8: does not fit\n");
}

/// Besides the best's own q = 1 there are three values of q: f makes it 2, 3 and 4 times slower there.
TEST(EffectsTable, SaysWhatHappensElsewhere) {
  TuneResult result;
  for (const auto& [q, slow_s] : {std::pair("1", 1.5), {"2", 2.0}, {"3", 3.0}, {"4", 4.0}}) {
    result.ranking.push_back(done({{"f", "1"}, {"q", q}}, 1));
    result.ranking.push_back(done({{"f", "2"}, {"q", q}}, slow_s));
  }
  std::stable_sort(
      result.ranking.begin(), result.ranking.end(),
      [](const Evaluation& l, const Evaluation& r) { return l.outcome.makespan_s < r.outcome.makespan_s; });
  EXPECT_EQ(effects_table(result),
            "f  1: 1 s; 2: 1.5 s\n"
            "   elsewhere x3 (median of 3 comparisons), the largest x4\n"
            "q  1 to 4: 1 s\n");
  EXPECT_EQ(to_json(result)["comparisons"]["f"],
            (nlohmann::json{{"count", 3}, {"median_ratio", 3.0}, {"largest_ratio", 4.0}}));
  EXPECT_EQ(to_json(result)["comparisons"]["q"]["count"], 1);
}

TEST(ReportJson, HasTheKeysScriptsRelyOn) {
  const auto json = to_json(example());
  EXPECT_EQ(json["best"]["parameters"]["p"], "2");
  EXPECT_EQ(json["best"]["makespan_s"], 2);
  EXPECT_EQ(json["evaluated"], 5);
  EXPECT_EQ(json["infeasible"], 1);
  EXPECT_EQ(json["ranking"].size(), 4u);
  EXPECT_EQ(json["sensitivity"]["p"][0],
            (nlohmann::json{{"value", "2"}, {"status", "best"}, {"makespan_s", 2.0}}));
  EXPECT_EQ(json["sensitivity"]["p"][2],
            (nlohmann::json{{"value", "7"}, {"status", "infeasible"}, {"message", "no"}}));
  EXPECT_TRUE(json["comparisons"].is_object());
  EXPECT_TRUE(to_json(TuneResult())["best"].is_null());
}

TEST(TuneProgressText, TellsWhatIsKnown) {
  EXPECT_EQ(progress_text({0, 100, 2, {}, 0.1, {}}), "tune 0/100");
  EXPECT_EQ(progress_text({12, 100, 2, 34.9123, 9, 41.4}), "tune 12/100, best 34.91 s, 41 s left");
  EXPECT_EQ(progress_text({1, 100, 2, 34.9123, 9, {}, 12}), "tune, bounds 12/100, best 34.91 s");
  EXPECT_EQ(progress_text({12, 100, 2, {}, 9, 125.0}), "tune 12/100, 2 min 05 s left");
}

}  // namespace
}  // namespace foretile::tuner_report_test
