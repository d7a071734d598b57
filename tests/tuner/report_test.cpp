#include "tuner/report.hpp"

#include <gtest/gtest.h>

namespace foretile {
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
  return result;
}

TEST(Ties, ValuesThatDoNotMatter) {
  TuneResult result;
  EXPECT_EQ(ties_text(result), "");
  result.same_as_best = {{{"p", "1"}, {"block", "0.8"}, {"ahead", "1"}}};
  EXPECT_EQ(ties_text(result), "");
  result.same_as_best.push_back({{"p", "1"}, {"block", "0.9"}, {"ahead", "1"}});
  result.same_as_best.push_back({{"p", "1"}, {"block", "0.8"}, {"ahead", "2"}});
  EXPECT_EQ(ties_text(result), "the same plan: ahead 1, 2; block 0.8, 0.9");
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
  EXPECT_EQ(ranking_table(TuneResult()), "no candidate was evaluated\n");
  TuneResult result;
  result.ranking = {example().ranking.back()};
  result.evaluated = 1;
  EXPECT_EQ(ranking_table(result), "none of 1 candidates could be rehearsed; the first is infeasible: no\n");
}

TEST(RankingTable, ShowsParametersThatOnlySomeHave) {
  TuneResult result;
  result.ranking = {done({{"p", "2"}}, 1), done({}, 2)};
  EXPECT_EQ(ranking_table(result),
            "rank  p  time/s  /defaults\n"
            "   1  2       1          -\n"
            "   2  -       2          -\n");
}

// p: best with 2 is 2 s, with 1 it is 4 s: ratio 2. f: 0.5 gives 2 s, 0.25 gives 3 s: 1.5.
TEST(Sensitivity, ComparesTheBestOfEachValue) {
  const auto parameters = sensitivity(example());
  ASSERT_EQ(parameters.size(), 2u);
  EXPECT_EQ(parameters[0].name, "p");
  EXPECT_DOUBLE_EQ(parameters[0].ratio(), 2);
  EXPECT_EQ(parameters[0].values[0].value, "2");
  EXPECT_EQ(parameters[0].values[1].candidates, 2u);
  EXPECT_EQ(parameters[1].name, "f");
  EXPECT_DOUBLE_EQ(parameters[1].ratio(), 1.5);
  EXPECT_EQ(sensitivity_table(example()),
            "p  x2.000  2: 2 s (2), 1: 4 s (2)\n"
            "f  x1.500  0.5: 2 s (2), 0.25: 3 s (2)\n");
  EXPECT_EQ(sensitivity_table(example(), 1),
            "p  x2.000  2: 2 s (2), 1 more\n"
            "f  x1.500  0.5: 2 s (2), 1 more\n");
  EXPECT_EQ(sensitivity_table(TuneResult()), "");
}

TEST(ReportJson, HasTheKeysScriptsRelyOn) {
  const auto json = to_json(example());
  EXPECT_EQ(json["best"]["parameters"]["p"], "2");
  EXPECT_EQ(json["best"]["makespan_s"], 2);
  EXPECT_EQ(json["evaluated"], 5);
  EXPECT_EQ(json["infeasible"], 1);
  EXPECT_EQ(json["ranking"].size(), 4u);
  EXPECT_EQ(json["sensitivity"]["p"][0]["value"], "2");
  EXPECT_TRUE(to_json(TuneResult())["best"].is_null());
}

TEST(TuneProgressText, TellsWhatIsKnown) {
  EXPECT_EQ(progress_text({0, 100, 2, {}, 0.1, {}}), "tune 0/100");
  EXPECT_EQ(progress_text({12, 100, 2, 34.9123, 9, 41.4}), "tune 12/100, best 34.91 s, 41 s left");
  EXPECT_EQ(progress_text({1, 100, 2, 34.9123, 9, {}, 12}), "tune, bounds 12/100, best 34.91 s");
  EXPECT_EQ(progress_text({12, 100, 2, {}, 9, 125.0}), "tune 12/100, 2 min 05 s left");
}

}  // namespace
}  // namespace foretile
