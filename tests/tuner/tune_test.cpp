// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/tune.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/random.hpp"
#include "tests/tuner/temporary_folder.hpp"
#include "tuner/effects.hpp"
#include "tuner/search.hpp"

namespace foretile::tune_test {
namespace {

using std::chrono::milliseconds;
using Status = ValueEffect::Status;

Space space_of(int p, int f) {
  std::vector<Parameter> parameters = {{"f", {}}, {"p", {}}};
  for (int i = 1; i <= f; ++i) parameters[0].values.push_back(std::to_string(i));
  for (int i = 1; i <= p; ++i) parameters[1].values.push_back(std::to_string(i));
  return Space(parameters);
}

/// 1 s at p = 3, f = 2 and more elsewhere; p = 4 does not fit.
Outcome bowl(const Candidate& candidate) {
  const double p = std::stod(candidate.at("p"));
  const double f = std::stod(candidate.at("f"));
  if (p == 4) throw InputError("p = 4 does not fit");
  return {Outcome::Status::done, 1 + (p - 3) * (p - 3) + 0.1 * (f - 2) * (f - 2), "", {}};
}

TuneOptions options_of(int p, int f, const std::string& search = "random") {
  TuneOptions options;
  options.space = space_of(p, f);
  options.search = search;
  options.limits.workers = 3;
  return options;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Appends a line to the file in one write, so that workers do not mix.
void log_line(const std::filesystem::path& path, const std::string& line) {
  std::ofstream(path, std::ios::app) << line + "\n";
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const Candidate& candidate) {
  return candidate.at("p") + " " + candidate.at("f");
}

TEST(Tune, FindsTheBestOfAll) {
  for (const std::string search : {"exhaustive", "random"}) {
    TuneOptions options = options_of(5, 4, search);
    options.first = {{{"p", "1"}, {"f", "1"}}};
    const TuneResult result = tune(options, bowl);
    ASSERT_TRUE(result.best());
    EXPECT_EQ(result.best()->candidate, (Candidate{{"p", "3"}, {"f", "2"}}));
    EXPECT_EQ(result.best()->outcome.makespan_s, 1);
    EXPECT_EQ(result.evaluated, 16u);
    EXPECT_EQ(result.infeasible, 4u);
    EXPECT_EQ(result.failed, 0u);
    EXPECT_EQ(result.end, TuneEnd::complete);
    ASSERT_TRUE(result.defaults);
    EXPECT_NEAR(result.defaults->outcome.makespan_s, 1 + 4 + 0.1, 1e-12);
    EXPECT_EQ(result.ranking.back().outcome.message, "p = 4 does not fit");
    for (std::size_t i = 1; i < 16; ++i)
      EXPECT_LE(result.ranking[i - 1].outcome.makespan_s, result.ranking[i].outcome.makespan_s);
  }
}

Evaluation done_in(const char* p, double seconds, double effort) {
  return {{{"p", p}}, {Outcome::Status::done, seconds, {}, {{kEffort, effort}}, 0}, 0};
}

/// 100 s is the fastest; within 5% are 104 s with fewer chunks and messages, and 105 s, but not 106 s.
TEST(Tune, TakesTheDefaultsOrTheSimplestOfEqualTimes) {
  TuneResult result;
  EXPECT_EQ(result.chosen(0.05), nullptr);
  result.ranking = {done_in("1", 100, 9), done_in("2", 104, 5), done_in("3", 105, 6), done_in("4", 106, 1)};
  EXPECT_EQ(result.chosen(0.05)->candidate.at("p"), "2");
  EXPECT_EQ(result.chosen(0)->candidate.at("p"), "1");
  result.defaults = result.ranking[2];
  EXPECT_EQ(result.chosen(0.05)->candidate.at("p"), "3");
  result.defaults = result.ranking[3];  // 106 s: 1.06 times the best, but less than 1.05 times 104 s
  EXPECT_EQ(result.chosen(0.05)->candidate.at("p"), "1");
}

/// Of plans within 5% of the least energy, 100 J, the one of 104 J is the fastest, whatever its effort and
/// the defaults' energy.
TEST(Tune, TakesTheFastestOfEqualEnergies) {
  TuneResult result;
  result.goal = Goal::energy;
  const auto done = [](const char* p, double joules, double seconds, double effort) {
    Evaluation evaluation = done_in(p, seconds, effort);
    evaluation.outcome.extra[kJoulesKey] = joules;
    return evaluation;
  };
  result.ranking = {done("least", 100, 12, 3), done("fast", 104, 9, 8), done("defaults", 104.5, 11, 1),
                    done("more", 110, 5, 1)};
  result.defaults = result.ranking[2];
  EXPECT_EQ(result.chosen(0.05)->candidate.at("p"), "fast");
  EXPECT_EQ(result.chosen(0)->candidate.at("p"), "least");
}

/// What is taken beats the defaults itself by more than the tie, however little effort others are.
TEST(Tune, TakesOnlyWhatBeatsTheDefaults) {
  TuneResult result;
  result.ranking = {done_in("best", 100, 9), done_in("near", 102, 5), done_in("far", 104.8, 2),
                    done_in("slow", 120, 1)};
  const auto taken = [&](double defaults_s) {
    result.defaults = done_in("defaults", defaults_s, 3);
    return result.chosen(0.05)->candidate.at("p");
  };
  EXPECT_EQ(taken(104.9), "defaults");
  EXPECT_EQ(taken(105.4), "best");  // 1.054 times the best, 1.006 times the simplest of equal times
  EXPECT_EQ(taken(107.2), "near");  // 1.051 times
  EXPECT_EQ(taken(110.1), "far");
  EXPECT_EQ(taken(1000), "far");
}

/// Seven tenths of the time that bowl() will say; p = 4 does not fit. Where f is 3 or more the plan is that
/// of f = 3.
Outcome bowl_bound(const Candidate& candidate) {
  Outcome outcome = bowl(candidate);
  outcome.makespan_s *= 0.7;
  if (candidate.at("f") >= "3") outcome.extra["plan"] = candidate.at("p");
  return outcome;
}

/// bowl() with the plans' names.
Outcome named_bowl(const Candidate& candidate) {
  Outcome outcome = bowl(candidate);
  outcome.extra = bowl_bound(candidate).extra;
  return outcome;
}

/// Times of p = 3: 1.1, 1, 1.1, 1.4 s for f = 1 to 4; others take 2 s and more, at least 1.4 by their bounds.
/// So of 20 candidates only those of p = 3 are evaluated (f = 3 and 4 are one plan), and the defaults.
TEST(Tune, ProvesTheBestByBounds) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.first = {{{"p", "1"}, {"f", "1"}}};
  options.limits.workers = 1;
  const CostModel cost{[&](const Candidate& candidate) {
                         log_line(folder / "log", text_of(candidate));
                         return bowl(candidate);
                       },
                       bowl_bound};
  const TuneResult result = tune(options, cost);
  EXPECT_EQ(result.best()->candidate, (Candidate{{"p", "3"}, {"f", "2"}}));
  EXPECT_TRUE(result.proven());
  EXPECT_EQ(result.gap, 0);
  EXPECT_EQ(result.candidates, 20u);
  EXPECT_EQ(result.infeasible, 4u);
  EXPECT_EQ(result.end, TuneEnd::complete);
  EXPECT_EQ(lines_of(folder / "log"), (std::vector<std::string>{"1 1", "3 2", "3 1", "3 4"}));
}

/// First bounds of 2 s for all but p = 3: with 1 s reached their plans are not made.
TEST(Tune, FirstBoundsSavePlanning) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.limits.workers = 1;
  CostModel cost{bowl, [&](const Candidate& candidate) {
                   log_line(folder / "log", text_of(candidate));
                   return bowl_bound(candidate);
                 }};
  cost.first_bound = [](const Candidate& candidate) { return candidate.at("p") == "3" ? 0.5 : 2; };
  const TuneResult result = tune(options, cost);
  EXPECT_TRUE(result.proven());
  EXPECT_EQ(result.best()->outcome.makespan_s, 1);
  auto bounded = lines_of(folder / "log");
  std::sort(bounded.begin(), bounded.end());
  EXPECT_EQ(bounded, (std::vector<std::string>{"3 1", "3 2", "3 3", "3 4"}));
}

/// Only p decides the first bounds: one for each p, 5 of 20, and none of infinite ones is asked for more.
TEST(Tune, FirstBoundsOfBoxes) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.limits.workers = 1;
  CostModel cost{bowl, [&](const Candidate& candidate) {
                   log_line(folder / "log", text_of(candidate));
                   return bowl_bound(candidate);
                 }};
  std::set<std::string> asked;
  cost.decides_first_bound = [](const std::string& name) { return name == "p"; };
  cost.first_bound = [&](const Candidate& candidate) {
    if (asked.insert(candidate.at("p")).second) {
      EXPECT_EQ(candidate.size(), 2U);
    }
    return candidate.at("p") == "3" ? 0.5 : std::numeric_limits<double>::infinity();
  };
  const TuneResult result = tune(options, cost);
  EXPECT_TRUE(result.proven());
  EXPECT_EQ(result.candidates, 20U);
  EXPECT_EQ(result.best()->outcome.makespan_s, 1);
  EXPECT_EQ(asked.size(), 5U);
  EXPECT_EQ(lines_of(folder / "log").size(), 4U);
}

/// The defaults take all of the time; first bounds still say how far from the best they may be: 5.1 / 0.5
/// - 1.
TEST(Tune, TheGapIsKnownWhenTheDefaultsTakeAllTime) {
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.first = {{{"p", "1"}, {"f", "1"}}};
  options.limits.workers = 1;
  options.budget = TimeBudget(0.05);
  CostModel cost{[](const Candidate& candidate) {
                   std::this_thread::sleep_for(milliseconds(100));
                   return bowl(candidate);
                 },
                 bowl_bound};
  cost.first_bound = [](const Candidate&) { return 0.5; };
  const TuneResult result = tune(options, cost);
  EXPECT_EQ(result.end, TuneEnd::time);
  EXPECT_EQ(result.evaluated, 1U);
  ASSERT_TRUE(result.gap);
  EXPECT_NEAR(*result.gap, 5.1 / 0.5 - 1, 1e-9);
}

/// A look tells that p = 4 does not fit, and that f = 4 has the plan of f = 3.
TEST(Tune, LooksBeforePlanning) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.limits.workers = 1;
  CostModel cost{bowl, [&](const Candidate& candidate) {
                   log_line(folder / "log", text_of(candidate));
                   return Outcome{Outcome::Status::done, 0.1, "", {{"plan", text_of(candidate)}}};
                 }};
  cost.look = [](const Candidate& candidate) -> FirstLook {
    if (candidate.at("p") == "4") return {"too large", ""};
    return {"", candidate.at("p") + (candidate.at("f") >= "3" ? "3" : candidate.at("f"))};
  };
  const TuneResult result = tune(options, cost);
  EXPECT_TRUE(result.proven());
  EXPECT_EQ(result.infeasible, 4U);
  EXPECT_EQ(result.evaluated, 12U);
  EXPECT_EQ(lines_of(folder / "log").size(), 12U);
  for (const Evaluation& evaluation : result.ranking) {
    if (evaluation.outcome.status == Outcome::Status::infeasible) {
      EXPECT_EQ(evaluation.outcome.message, "too large");
    }
  }
}

/// Bounds that say nothing: 100 of 400 candidates are evaluated. The best of the row and the column of a good
/// one are found near to it.
TEST(Tune, SearchesNearTheBestWhereBoundsDoNotHelp) {
  TuneOptions options = options_of(20, 20, kBoundSearch);
  options.limits.workers = 1;
  options.budget_count = 100;
  const TuneResult result = tune(options, CostModel{bowl, [](const Candidate&) {
                                                      return Outcome{Outcome::Status::done, 0.1, "", {}};
                                                    }});
  EXPECT_EQ(result.best()->outcome.makespan_s, 1);
}

/// f = 1, with the least bound, takes 1.1 s, f = 4 would take 1.4 s; the defaults take 5.1 s and do not stop.
TEST(Tune, StopsEvaluationsThatAreNotBetter) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(1, 1, kBoundSearch);
  options.space = Space({{"f", {"1", "4"}}, {"p", {"3"}}});
  options.first = {{{"p", "1"}, {"f", "1"}}};
  options.limits.workers = 1;
  options.history = folder / "history";
  CostModel cost{bowl, [](const Candidate& candidate) {
                   return Outcome{Outcome::Status::done, candidate.at("f") == "1" ? 0.1 : 0.2, "", {}};
                 }};
  cost.evaluate_until = [](const Candidate& candidate, double stop_s) {
    Outcome outcome = bowl(candidate);
    if (outcome.makespan_s <= stop_s) return outcome;
    return Outcome{Outcome::Status::stopped, 0, "", {}, stop_s};
  };
  for (int run = 0; run < 2; ++run) {  // the second one reads the history
    const TuneResult result = tune(options, cost);
    EXPECT_TRUE(result.proven());
    EXPECT_EQ(result.evaluated, 3U);
    EXPECT_EQ(result.from_history, run == 0 ? 0U : 3U);
    ASSERT_EQ(result.ranking.size(), 3U);
    EXPECT_EQ(result.ranking[0].outcome.makespan_s, 1.1);
    EXPECT_NEAR(result.ranking[1].outcome.makespan_s, 5.1, 1e-12);
    EXPECT_EQ(result.ranking[2].outcome.status, Outcome::Status::stopped);
    EXPECT_EQ(result.ranking[2].outcome.lower_bound_s, 1.1);
  }
}

/// The two least bounds are 0.7 and 0.77 s; one evaluation beside the defaults says 1 s: 1 / 0.77 - 1.
TEST(Tune, SaysHowFarFromTheBestItMayBe) {
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.first = {{{"p", "1"}, {"f", "1"}}};
  options.limits.workers = 1;
  options.budget_count = 2;  // the defaults and one more; what does not fit is not counted
  const TuneResult result = tune(options, CostModel{bowl, bowl_bound});
  EXPECT_EQ(result.end, TuneEnd::count);
  EXPECT_FALSE(result.proven());
  ASSERT_TRUE(result.gap);
  EXPECT_NEAR(*result.gap, 1 / 0.77 - 1, 1e-9);
}

/// Evaluations under way when the count is used up are finished.
TEST(Tune, CountsByBoundsWithSeveralWorkers) {
  TuneOptions options = options_of(3, 4, kBoundSearch);
  options.budget_count = 2;
  const TuneResult result = tune(options, CostModel{[](const Candidate& candidate) {
                                                      std::this_thread::sleep_for(milliseconds(20));
                                                      return bowl(candidate);
                                                    },
                                                    bowl_bound});
  EXPECT_EQ(result.evaluated, 2u);
  EXPECT_EQ(result.end, TuneEnd::count);
}

/// Bounds of 0 prove nothing before all is evaluated; a failed one never does.
TEST(Tune, ProvesNothingWithoutBounds) {
  const auto no_bound = [](const Candidate&) { return Outcome{Outcome::Status::done, 0, "", {}}; };
  TuneOptions options = options_of(2, 2, kBoundSearch);
  const TuneResult all = tune(options, CostModel{bowl, no_bound});
  EXPECT_EQ(all.evaluated, 4u);
  EXPECT_TRUE(all.proven());
  const TuneResult failed = tune(options, CostModel{[](const Candidate& candidate) {
                                                      if (text_of(candidate) == "1 2") std::raise(SIGKILL);
                                                      return bowl(candidate);
                                                    },
                                                    no_bound});
  EXPECT_FALSE(failed.gap);
  EXPECT_EQ(failed.failed, 1u);
}

Status status_of(const TuneResult& result, const std::string& name, const std::string& value) {
  for (const ParameterEffect& parameter : effects_on_best(result)) {
    for (const ValueEffect& effect : parameter.values) {
      if (parameter.name == name && effect.value == value) return effect.status;
    }
  }
  ADD_FAILURE() << name << " = " << value << " is missing";
  return Status::failed;
}

/// As in ProvesTheBestByBounds: around p = 3, f = 2 bounds are enough for p = 2 (1.4 s) and others, f = 3 and
/// f = 4 are one plan, and p = 4 was not even bounded: its first bound, 1.4 s, was enough.
TEST(Tune, TellsBoundsOfTheBestsNeighbours) {
  CostModel cost{named_bowl, bowl_bound};
  cost.first_bound = [](const Candidate& candidate) { return candidate.at("p") == "4" ? 1.4 : 0; };
  const TuneResult result = tune(options_of(5, 4, kBoundSearch), cost);
  EXPECT_EQ(result.space, space_of(5, 4));
  EXPECT_DOUBLE_EQ(result.neighbour_bounds.at({{"p", "2"}, {"f", "2"}}).makespan_s, 1.4);
  EXPECT_EQ(status_of(result, "p", "2"), Status::at_least);
  EXPECT_EQ(status_of(result, "p", "4"), Status::at_least);
  EXPECT_EQ(status_of(result, "f", "2"), Status::best);
  EXPECT_EQ(status_of(result, "f", "3"), Status::done);
}

/// With p = 1, 2, 5 and f = 2 there are three more, of which the cost model would stop each.
TEST(Tune, CompletesEffectsOnRequest) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.effects = true;
  options.history = folder / "h.jsonl";
  CostModel cost{named_bowl, bowl_bound};
  cost.evaluate_until = [](const Candidate& candidate, double stop_s) {
    Outcome outcome = named_bowl(candidate);
    if (outcome.makespan_s <= stop_s) return outcome;
    return Outcome{Outcome::Status::stopped, 0, "", outcome.extra, stop_s};
  };
  const TuneResult result = tune(options, cost);
  EXPECT_TRUE(result.proven());
  EXPECT_EQ(result.end, TuneEnd::complete);
  for (const char* p : {"1", "2", "5"}) EXPECT_EQ(status_of(result, "p", p), Status::done) << p;
  EXPECT_EQ(status_of(result, "p", "4"), Status::infeasible);
  for (const char* f : {"1", "3", "4"}) EXPECT_EQ(status_of(result, "f", f), Status::done) << f;
  EXPECT_TRUE(unknown_neighbours(result).empty());
  const TuneResult again =
      tune(options, CostModel{[](const Candidate&) -> Outcome { throw InputError("again"); }, bowl_bound});
  EXPECT_EQ(again.ranking, result.ranking);
}

TEST(Tune, EffectsKeepTheCount) {
  TuneOptions options = options_of(5, 4, kBoundSearch);
  const std::uint64_t least = tune(options, CostModel{bowl, bowl_bound}).evaluated;
  options.effects = true;
  options.budget_count = least + 1;
  const TuneResult result = tune(options, CostModel{bowl, bowl_bound});
  EXPECT_EQ(result.evaluated, least + 1);
  EXPECT_TRUE(result.proven());
}

/// Seconds, and joules that are 10 W of them and what the products take, which is not the same everywhere:
/// the fastest need not have the least joules.
struct RandomEnergy {
  std::uint64_t seed = 0;
  static constexpr double kIdle = 10;

  double random(const Candidate& candidate, std::uint64_t what) const {
    const int number = 10 * std::stoi(candidate.at("p")) + std::stoi(candidate.at("f"));
    return unit_real(counter_bits(seed, 10 * static_cast<std::uint64_t>(number) + what));
  }
  double seconds(const Candidate& candidate) const { return 1 + random(candidate, 1); }
  double busy(const Candidate& candidate) const { return 5 + 20 * random(candidate, 2); }
  /// Shares of both that a bound knows.
  double bound(const Candidate& candidate) const {
    return kIdle * (0.5 + 0.5 * random(candidate, 3)) * seconds(candidate) + least_busy();
  }
  static double least_busy() { return 5; }

  Outcome evaluate(const Candidate& candidate, double most) const {
    const double joules = kIdle * seconds(candidate) + busy(candidate);
    const double stop_s = (most - least_busy()) / kIdle;
    if (seconds(candidate) > stop_s) return {Outcome::Status::stopped, 0, {}, {{kJoulesKey, most}}, stop_s};
    return {Outcome::Status::done, seconds(candidate), {}, {{kJoulesKey, joules}}};
  }
};

/// The search by bounds and the one that evaluates all find the same in each of 20 random spaces, where the
/// least joules are often not those of the shortest time.
TEST(Tune, FindsTheLeastEnergy) {
  int not_the_fastest = 0;
  std::uint64_t simulated = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const RandomEnergy model{seed};
    const double any = std::numeric_limits<double>::infinity();
    const CostModel cost{
        .evaluate = [&](const Candidate& c) { return model.evaluate(c, any); },
        .bound = [&](const Candidate& c) { return outcome_of_bound(model.bound(c), Goal::energy); },
        .first_bound = [&](const Candidate&) { return RandomEnergy::least_busy(); },
        .evaluate_until = [&](const Candidate& c, double most) { return model.evaluate(c, most); }};
    TuneOptions options = options_of(5, 4, "exhaustive");
    options.goal = Goal::energy;
    const TuneResult exhaustive = tune(options, cost);
    options.search = kBoundSearch;
    options.first = {{{"p", "1"}, {"f", "1"}}};
    const TuneResult pruned = tune(options, cost);
    ASSERT_TRUE(exhaustive.best() && pruned.best());
    EXPECT_EQ(pruned.best()->candidate, exhaustive.best()->candidate) << seed;
    EXPECT_EQ(pruned.best()->outcome, exhaustive.best()->outcome) << seed;
    EXPECT_TRUE(pruned.proven()) << seed;
    EXPECT_EQ(exhaustive.chosen(0), exhaustive.best());
    simulated += pruned.evaluated;
    all += exhaustive.evaluated;
    not_the_fastest += std::ranges::any_of(exhaustive.ranking, [&](const Evaluation& e) {
      return e.outcome.makespan_s < exhaustive.best()->outcome.makespan_s;
    });
  }
  EXPECT_GT(not_the_fastest, 5);
  EXPECT_LT(simulated, all);
}

TEST(Tune, BoundsNeedACostModelThatHasThem) {
  EXPECT_THROW(tune(options_of(2, 2, kBoundSearch), bowl), InputError);
}

/// Known outcomes are neither bounded nor evaluated again.
TEST(Tune, ResumesWithBounds) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4, kBoundSearch);
  options.history = folder / "history";
  tune(options, CostModel{named_bowl, bowl_bound});
  const TuneResult again =
      tune(options, CostModel{[](const Candidate&) -> Outcome { throw InputError("again"); }, bowl_bound});
  EXPECT_TRUE(again.proven());
  EXPECT_EQ(again.from_history, again.ranking.size());
  EXPECT_EQ(again.best()->outcome.makespan_s, 1);
}

TEST(Tune, ExhaustiveSearchProvesToo) {
  EXPECT_TRUE(tune(options_of(3, 3, "exhaustive"), bowl).proven());
  TuneOptions options = options_of(3, 3, "random");
  options.budget_count = 2;
  EXPECT_FALSE(tune(options, bowl).gap);
}

TEST(Tune, TriesTheDefaultsFirst) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4);
  options.first = {{{"p", "2"}, {"f", "99"}}, {{"p", "5"}, {"f", "4"}}};
  options.limits.workers = 1;
  options.budget_count = 3;
  tune(options, [&](const Candidate& candidate) {
    log_line(folder / "log", text_of(candidate));
    return bowl(candidate);
  });
  const auto lines = lines_of(folder / "log");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "2 99");
  EXPECT_EQ(lines[1], "5 4");
}

/// After the defaults; they are no defaults, and need not be in the space.
TEST(Tune, TriesStartsNext) {
  const TemporaryFolder folder;
  for (const std::string search : {"random", kBoundSearch}) {
    std::filesystem::remove(folder / "log");
    TuneOptions options = options_of(5, 4, search);
    options.first = {{{"p", "4"}, {"f", "1"}}};
    options.starts = {{{"p", "2"}, {"f", "9"}}, {{"p", "4"}, {"f", "1"}}, {{"p", "5"}, {"f", "4"}}};
    options.limits.workers = 1;
    const TuneResult result = tune(options, CostModel{[&](const Candidate& candidate) {
                                                        log_line(folder / "log", text_of(candidate));
                                                        return bowl(candidate);
                                                      },
                                                      bowl_bound});
    const auto lines = lines_of(folder / "log");
    ASSERT_GE(lines.size(), 3u);
    EXPECT_EQ((std::vector<std::string>(lines.begin(), lines.begin() + 3)),
              (std::vector<std::string>{"4 1", "2 9", "5 4"}));
    EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), lines.size()) << "tried twice";
    EXPECT_FALSE(result.defaults) << "p = 4 does not fit";
    EXPECT_EQ(result.candidates, 21u);
    EXPECT_TRUE(result.proven());
  }
}

/// 1.1 s is not reached within 1 s, the time of the first one. The random search stops nothing.
TEST(Tune, StopsStartsAtTheBestTime) {
  for (const std::string search : {"random", kBoundSearch}) {
    TuneOptions options = options_of(5, 4, search);
    options.first = {{{"p", "3"}, {"f", "2"}}};
    options.starts = {{{"p", "3"}, {"f", "1"}}};
    options.limits.workers = 1;
    CostModel cost{bowl, bowl_bound};
    cost.evaluate_until = [](const Candidate&, double stop_s) {
      return Outcome{Outcome::Status::stopped, 0, "", {}, stop_s};
    };
    const TuneResult result = tune(options, cost);
    EXPECT_EQ(result.best()->candidate, options.first[0]);
    EXPECT_EQ(result.stopped > 0, search == kBoundSearch);
    EXPECT_TRUE(result.proven());
  }
}

TEST(Tune, RanksDefaultsBeforeEqualsAndCountsFailures) {
  TuneOptions options = options_of(2, 2);
  options.first = {{{"p", "2"}, {"f", "2"}}};
  const TuneResult result = tune(options, [](const Candidate& candidate) -> Outcome {
    if (text_of(candidate) == "1 2") std::raise(SIGKILL);
    return {Outcome::Status::done, 7, "", {}};
  });
  EXPECT_EQ(result.best()->candidate, options.first[0]);
  EXPECT_EQ(result.evaluated, 4u);
  EXPECT_EQ(result.failed, 1u);
}

TEST(Tune, ReportsWhenNothingCanBeDone) {
  const TuneResult result =
      tune(options_of(2, 2), [](const Candidate&) -> Outcome { throw InputError("never"); });
  EXPECT_FALSE(result.best());
  EXPECT_FALSE(result.defaults);
  EXPECT_EQ(result.infeasible, 4u);
}

/// What is no result stays in the order in which it was tried.
TEST(Tune, DoesNotRankWhatHasNoTime) {
  TuneOptions options = options_of(3, 2, "exhaustive");
  options.limits.workers = 1;
  std::vector<std::string> tried, ranked;
  const Space space = space_of(3, 2);
  for (std::uint64_t i = 0; i < space.size(); ++i) tried.push_back(text_of(space.at(i)));
  const TuneResult result = tune(options, [](const Candidate&) -> Outcome { throw InputError("never"); });
  for (const Evaluation& evaluation : result.ranking) ranked.push_back(text_of(evaluation.candidate));
  EXPECT_EQ(ranked, tried);
}

/// Four of the space and one of the user's besides.
TEST(Tune, CountsWhatIsOutsideTheSpace) {
  TuneOptions options = options_of(2, 2);
  options.first = {{{"p", "2"}, {"f", "99"}}, {{"p", "1"}, {"f", "1"}}};
  std::uint64_t total = 0;
  const TuneResult result =
      tune(options, bowl, [&](const TuneProgress& progress) { total = progress.total; });
  EXPECT_EQ(total, 5u);
  EXPECT_EQ(result.evaluated, 5u);
}

/// Nothing is known of a candidate's time at first, so that all of the budget may be needed.
TEST(Tune, TheTimeLeftIsTheBudgetAtMost) {
  TuneOptions options = options_of(3, 3);
  options.budget = TimeBudget(1000);
  std::vector<double> left;
  tune(options, bowl, [&](const TuneProgress& progress) {
    ASSERT_TRUE(progress.left_s);
    left.push_back(*progress.left_s);
  });
  ASSERT_FALSE(left.empty());
  for (const double seconds : left) {
    EXPECT_GE(seconds, 0);
    EXPECT_LE(seconds, 1000);
  }
  EXPECT_LT(left.back(), 900);  // by then the time of the others says more
}

TEST(Tune, KeepsTheBudgetByCount) {
  TuneOptions options = options_of(5, 5);
  options.budget_count = 7;
  std::uint64_t total = 0;
  const TuneResult result =
      tune(options, bowl, [&](const TuneProgress& progress) { total = progress.total; });
  EXPECT_EQ(result.evaluated, 7u);
  EXPECT_EQ(total, 7u);
  EXPECT_EQ(result.end, TuneEnd::count);
}

TEST(Tune, KeepsTheBudgetByTime) {
  TuneOptions options = options_of(5, 5);
  options.budget = TimeBudget(0.3);
  const auto start = std::chrono::steady_clock::now();
  const TuneResult result = tune(options, [](const Candidate& candidate) {
    // The first ones are quick, the others would take a minute.
    if (candidate.at("p") != "3") std::this_thread::sleep_for(std::chrono::minutes(1));
    return bowl(candidate);
  });
  EXPECT_LT(seconds_since(start), 5);
  EXPECT_EQ(result.end, TuneEnd::time);
  EXPECT_LE(result.evaluated, 5u);
  EXPECT_EQ(result.failed, 0u) << "killed evaluations must not be recorded";
}

TEST(Tune, FinishesTheVeryFirstCandidateWhateverTheTime) {
  TuneOptions options = options_of(5, 5);
  options.first = {{{"p", "1"}, {"f", "1"}}};
  options.budget = TimeBudget(1e-9);
  const TuneResult result = tune(options, [](const Candidate& candidate) {
    std::this_thread::sleep_for(milliseconds(200));
    return bowl(candidate);
  });
  EXPECT_EQ(result.evaluated, 1u);
  EXPECT_TRUE(result.defaults);
}

/// A clock that stands at the start when it is first read and is far behind the end afterwards.
TimeBudget budget_that_ends_at_once() {
  return TimeBudget(10, [now = 0.0]() mutable { return std::exchange(now, 1e9); });
}

/// Neither its simulation in full nor any other candidate ends.
CostModel endless_model() {
  CostModel cost{[](const Candidate&) -> Outcome {
                   while (true) ::pause();
                 },
                 bowl_bound};
  cost.first_bound = [](const Candidate&) { return 0.5; };
  return cost;
}

TEST(Tune, TheVeryFirstCandidateIsCoarseWhereTimeIsShort) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 5, kBoundSearch);
  options.first = {{{"p", "1"}, {"f", "1"}}};
  options.budget = budget_that_ends_at_once();
  options.history = folder / "history";
  CostModel cost = endless_model();
  cost.evaluate_coarsely = [](const Candidate& candidate) {
    Outcome outcome = bowl(candidate);
    outcome.makespan_s += 1;
    return outcome;
  };
  const TuneResult result = tune(options, cost);
  EXPECT_EQ(result.end, TuneEnd::time);
  ASSERT_TRUE(result.best());
  EXPECT_EQ(result.best()->candidate, options.first.front());
  EXPECT_NEAR(result.best()->outcome.makespan_s, 6.1, 1e-12);
  EXPECT_TRUE(is_coarse(result.best()->outcome));
  EXPECT_FALSE(result.defaults);
  EXPECT_FALSE(result.gap);
  EXPECT_EQ(result.evaluated, 0U);
  EXPECT_EQ(lines_of(options.history).size(), 1U) << "coarse times must not be recorded";
}

TEST(Tune, EndsAtTheLatestWithoutAnything) {
  TuneOptions options = options_of(5, 5, kBoundSearch);
  options.first = {{{"p", "1"}, {"f", "1"}}};
  options.budget = budget_that_ends_at_once();
  options.latest = budget_that_ends_at_once();
  CostModel cost = endless_model();
  cost.evaluate_coarsely = cost.evaluate;
  const TuneResult result = tune(options, cost);
  EXPECT_EQ(result.end, TuneEnd::time);
  EXPECT_FALSE(result.best());
}

TEST(Tune, RefusesWhatMakesNoSense) {
  TuneOptions options = options_of(2, 2);
  options.budget_count = 0;
  EXPECT_THROW(tune(options, bowl), InputError);
  EXPECT_THROW(tune(options_of(2, 2, "genetic"), bowl), InputError);
  EXPECT_THROW(tune(TuneOptions(), bowl), InputError);
}

TEST(Tune, RefusesAHistoryOfSomethingElse) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(3, 2);
  options.history = folder / "h.jsonl";
  options.identity = {{"problem", "v1"}};
  tune(options, bowl);
  options.seed = 2;
  EXPECT_THROW(tune(options, bowl), InputError);
  options.seed = 1;
  options.identity = {{"problem", "v2"}};
  EXPECT_THROW(tune(options, bowl), InputError);
}

TEST(Tune, AnswersFromTheHistory) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(5, 4);
  options.history = folder / "h.jsonl";
  options.budget_count = 8;
  EXPECT_EQ(tune(options, bowl).from_history, 0u);
  options.budget_count = 12;
  const auto logged = [&](const Candidate& candidate) {
    log_line(folder / "log", text_of(candidate));
    return bowl(candidate);
  };
  const TuneResult result = tune(options, logged);
  EXPECT_EQ(result.from_history, 8u);
  EXPECT_EQ(result.ranking.size(), 12u);
  EXPECT_EQ(lines_of(folder / "log").size(), 4u);
  options.budget_count = 5;  // fewer than there are: nothing is run, nothing is lost
  EXPECT_EQ(tune(options, logged).ranking.size(), 12u);
  EXPECT_EQ(lines_of(folder / "log").size(), 4u);
}

/// A run that is killed after some milliseconds, or ends before.
void run_and_kill(const TuneOptions& options, const CostFunction& cost, int ms, int signal) {
  const int pid = ::fork();
  if (pid == 0) {
    tune(options, cost);
    ::_exit(0);
  }
  std::this_thread::sleep_for(milliseconds(ms));
  ::kill(pid, signal);
  ::waitpid(pid, nullptr, 0);
}

/// Parameters of the evaluations in a history, cut lines left out.
std::set<std::string> recorded(const std::filesystem::path& history) {
  std::set<std::string> texts;
  if (!std::filesystem::exists(history)) return texts;
  const std::string text = read_text(history);
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const auto line = nlohmann::json::parse(text.substr(begin, end - begin));
    if (!line.contains("parameters")) continue;
    EXPECT_TRUE(texts.insert(text_of(line["parameters"].get<Candidate>())).second) << "recorded twice";
  }
  return texts;
}

TEST(Tune, ResumesAfterAKillWithNothingLostOrDoneTwice) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(6, 10);
  options.history = folder / "h.jsonl";
  const std::uint64_t seed = static_cast<std::uint64_t>(::getpid());
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const auto logged = [&](const Candidate& candidate) {
    log_line(folder / "log", text_of(candidate));
    std::this_thread::sleep_for(milliseconds(15));
    return bowl(candidate);
  };
  for (int kill = 0; kill < 5; ++kill) {
    const std::set<std::string> before = recorded(options.history);
    std::filesystem::remove(folder / "log");
    run_and_kill(options, logged, static_cast<int>(random.integer(1, 90)), SIGKILL);
    const std::set<std::string> after = recorded(options.history);
    EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
    for (const std::string& line : lines_of(folder / "log")) EXPECT_FALSE(before.contains(line)) << line;
  }
  const std::size_t kept = recorded(options.history).size();
  const TuneResult result = tune(options, bowl);
  EXPECT_EQ(result.from_history, kept);
  EXPECT_EQ(result.ranking.size(), 60u);
  EXPECT_EQ(recorded(options.history).size(), 60u);
  const TuneResult whole = tune(options_of(6, 10), bowl);
  ASSERT_EQ(whole.ranking.size(), result.ranking.size());
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(whole.ranking[i].candidate, result.ranking[i].candidate);
}

TEST(Tune, CtrlCEndsWorkersAndKeepsTheHistoryWhole) {
  const TemporaryFolder folder;
  TuneOptions options = options_of(6, 10);
  options.history = folder / "h.jsonl";
  const auto start = std::chrono::steady_clock::now();
  const int pid = ::fork();
  if (pid == 0) {
    const TuneResult result = tune(options, [&](const Candidate& candidate) {
      log_line(folder / "pids", std::to_string(::getpid()));
      if (candidate.at("p") == "5") std::this_thread::sleep_for(std::chrono::minutes(1));
      return bowl(candidate);
    });
    ::_exit(result.end == TuneEnd::interrupt && result.signal == SIGINT ? 0 : 1);
  }
  while (lines_of(options.history).size() < 4 && seconds_since(start) < 30)
    std::this_thread::sleep_for(milliseconds(10));
  const auto interrupted = std::chrono::steady_clock::now();
  ::kill(pid, SIGINT);
  int status = 1;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_LT(seconds_since(interrupted), 5);
  EXPECT_FALSE(recorded(options.history).empty());
  const std::string text = read_text(options.history);
  EXPECT_EQ(text.back(), '\n');
  for (const std::string& worker : lines_of(folder / "pids"))
    EXPECT_EQ(::kill(std::stoi(worker), 0), -1) << "worker " << worker << " still lives";
}

TEST(Tune, WorkersDieWithAKilledTuner) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const int pid = ::fork();
  if (pid == 0) {
    tune(options_of(3, 3), [&](const Candidate& candidate) {
      if (::write(ends[1], "x", 1) == 1) std::this_thread::sleep_for(std::chrono::minutes(1));
      return bowl(candidate);
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  char started = 0;
  for (int worker = 0; worker < 3; ++worker) ASSERT_EQ(::read(ends[0], &started, 1), 1);
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  pollfd end_of_pipe{ends[0], POLLIN, 0};  // comes when the last worker is gone
  EXPECT_EQ(::poll(&end_of_pipe, 1, 5000), 1);
  ::close(ends[0]);
}

}  // namespace
}  // namespace foretile::tune_test
