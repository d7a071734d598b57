// SPDX-License-Identifier: BSD-3-Clause
#include "report/answer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace foretile::answer_test {
namespace {

/// 10 s, of which 5 s each are products and copies; no rule but the first holds.
Report plain_report() {
  Report report;
  report.makespan_s = 10;
  report.ranks = 4;
  report.busy.kernels = {0.5, 0.55, 0.6};
  report.bounds = Bounds{{5, "x"}, {4, "x"}};
  report.limits.add(Cause::kernel, Part::work, 5);
  report.limits.add(Cause::h2d, Part::work, 5);
  return report;
}

std::vector<std::string> rules_of(const Report& report) {
  std::vector<std::string> rules;
  for (const Answer& answer : answers_of(report)) rules.push_back(answer.rule);
  return rules;
}

/// The sentence of a rule that holds for the report.
std::string text_of(const std::string& rule, const Report& report) {
  const std::vector<Answer> answers = answers_of(report);
  const auto found = std::ranges::find(answers, rule, &Answer::rule);
  return found == answers.end() ? "no such answer" : found->text;
}

TEST(Answers, BeginWithTheLimit) {
  EXPECT_EQ(rules_of(plain_report()), std::vector<std::string>{"limit"});
  EXPECT_EQ(answers_of(plain_report())[0].text, limit_sentence(plain_report()) + ".");
}

TEST(Answers, CompareWithBounds) {
  Report report = plain_report();
  report.bounds->plan.seconds = 9.5;
  report.bounds->problem.seconds = 2;
  EXPECT_EQ(text_of("near its bound", report),
            "The time is 1.05 times the bound of this plan: only another plan or machine is faster.");
  EXPECT_EQ(
      text_of("another plan", report),
      "The bound of this plan is 4.8 times that of any plan: search for a better one with foretile tune.");
}

TEST(Answers, NameWhatIsUneven) {
  Report report = plain_report();
  report.busy.kernels = {0.2, 0.5, 0.9};
  report.idle_ranks = 1;
  EXPECT_EQ(text_of("uneven devices", report),
            "The busiest device multiplies for 90% of the time, the least busy one for 20%: finer tiles or "
            "another grid distribute the work more evenly.");
  EXPECT_EQ(text_of("idle ranks", report), "1 of 4 ranks have no work: the grid leaves them out.");
}

TEST(Answers, SeePartsOfThePath) {
  Report report = plain_report();
  report.limits = {};
  report.limits.add(Cause::kernel, Part::work, 4);
  report.limits.add(Cause::h2d, Part::latency_bound, 4);
  report.limits.add(Cause::h2d, Part::software, 2);
  EXPECT_EQ(text_of("single operations", report).substr(0, 29), "For 40% of the critical path ");
  EXPECT_EQ(text_of("software", report),
            "Software costs take 20% of the critical path: larger tiles need fewer operations.");
}

TEST(Answers, SayWhenMemoryIsFull) {
  Report report = plain_report();
  report.device_budget_bytes = 100;
  report.peak_device_bytes = {50, 70, 94};
  EXPECT_EQ(rules_of(report), std::vector<std::string>{"limit"});
  report.peak_device_bytes.max = 96;
  EXPECT_EQ(text_of("full memory", report), "A device uses 96% of the memory that the plan may use.");
}

/// The three largest of at least 2%; rows come with the largest first.
TEST(Answers, NameSavings) {
  Report report = plain_report();
  report.what_if = WhatIf{10, 10, {}, {}};
  for (const double saved : {4.0, 3.0, 2.0, 1.0, 0.1})
    report.what_if->rows.push_back(
        {"resource " + std::to_string(static_cast<int>(saved)), "", 10 - saved, saved});
  const std::vector<Answer> answers = answers_of(report);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_EQ(answers[1].text, "Twice the resource 4 saves 40% of the time.");
  EXPECT_EQ(answers[3].text, "Twice the resource 2 saves 20% of the time.");
}

}  // namespace
}  // namespace foretile::answer_test
