// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/what_if.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "platforms/loader.hpp"
#include "simulator/simulated_seconds.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/platforms/small_platform.hpp"
#include "tests/simulator/run_isolated.hpp"

namespace foretile::what_if_test {
namespace {

/// Figures within two decades of each other, so that now this and now that takes most of the time.
std::string random_platform(Random& random) {
  const auto about = [&](double middle) { return middle * std::pow(10.0, 2 * random.real() - 1); };
  std::string text = small_with("rate = \"1 Tflop/s\"", fmt::format("rate = {}", about(1e9)));
  text.replace(text.find("latency = \"5 us\""), 16, fmt::format("latency = {}", about(1e-6)));
  text.replace(text.find("bandwidth = \"12 GB/s\""), 21, fmt::format("bandwidth = {}", about(1e9)));
  text.replace(text.find("bandwidth = \"6 GB/s\""), 20, fmt::format("bandwidth = {}", about(1e9)));
  text.replace(text.find("rate = \"1 GB/s\""), 15, fmt::format("rate = {}", about(1e9)));
  text.replace(text.find("memory = \"8 GiB\""), 16, "memory = 200000");
  text.replace(
      text.find("source = \"none\""), 15,
      fmt::format("copy_overhead = {}\nmessage_overhead = {}\nsource = \"paper\"", about(2e-6), about(2e-6)));
  return text;
}

struct Question {
  Case the_case;
  Contraction contraction;
};

Question random_question(std::uint64_t seed) {
  Random random(seed + 1000);
  const bool streamed = random.integer(0, 1) == 1;
  RandomCase c = streamed ? random_streamed_case(seed) : random_case(seed);
  Question question{{}, std::move(c.problem)};
  question.the_case.platform = parse_platform(random_platform(random), "random.toml");
  question.the_case.size.nodes = static_cast<int>(random.integer(1, 2));
  question.the_case.settings = c.settings;
  question.the_case.settings.erase("grid.p");
  return question;
}

PlannedWork planned(const Question& question, const std::string& set = "") {
  std::istringstream words(set);
  std::vector<std::string> settings;
  for (std::string setting; words >> setting;) settings.push_back(setting);
  const Case& c = question.the_case;
  return plan_work(question.contraction,
                   make_machine(parse_platform(c.platform.toml, c.platform.source, settings), c.size),
                   c.settings);
}

/// Not coarse.
double full_makespan_s(const Question& question, const std::string& set) {
  return run_isolated([&] {
           const PlannedWork work = planned(question, set);
           return std::vector<double>{simulate(work.plan, work.contraction, work.machine).makespan_s};
         })
      .at(0);
}

/// Plans of the test below; half of them are simulated coarsely.
int plans_wanted() {
  const char* const wanted = std::getenv("FORETILE_TEST_WHAT_IF");
  return wanted ? std::stoi(wanted) : 10;
}

TEST(WhatIf, TheFirstRowIsTheBestInFullOnRandomPlans) {
  int plans = 0, coarse = 0;
  for (std::uint64_t seed = 0; plans < plans_wanted(); ++seed) {
    SCOPED_TRACE(seed);
    const Question question = random_question(seed);
    std::optional<PlannedWork> work;
    try {
      work = planned(question);
    } catch (const InputError&) {
      continue;
    }
    const bool is_coarse = coarse_groups(*work).products > 1;
    if (!is_coarse && plans - coarse == plans_wanted() / 2) continue;  // half of them are
    ++plans;
    coarse += is_coarse;
    ProgressLine nowhere{ProgressTerminal{}};
    const WhatIf found = what_if(question.the_case, *work, {}, nowhere);
    ASSERT_GT(found.rows.size(), 5U);
    double best = found.makespan_s * 1e3;
    double first = 0;
    for (const WhatIfRow& row : found.rows) {
      const double full = full_makespan_s(question, row.set);
      if (&row == &found.rows.front()) first = full;
      best = std::min(best, full);
    }
    EXPECT_LE(first, 1.01 * best) << found.rows.front().resource;
    EXPECT_TRUE(
        std::is_sorted(found.rows.begin(), found.rows.end(), [](const WhatIfRow& l, const WhatIfRow& r) {
          return std::pair(!l.in_full, -l.saved_s) < std::pair(!r.in_full, -r.saved_s);
        }));
    EXPECT_EQ(found.makespan_s, full_makespan_s(question, ""));
  }
}

/// Two devices copy at 12 GB/s each, and their socket gives 24 GB/s: twice as much of one alone saves
/// nothing.
TEST(WhatIf, HasARowForLinksThatCapEachOther) {
  DenseParameters dense;
  dense.m = 64;
  dense.n = dense.k = 4096;
  dense.tile = 512;  // copies take far longer than latencies and products
  Question question{{}, dense_contraction(dense)};
  question.contraction.sources = {Source::given, Source::given};
  question.the_case.platform = parse_platform(
      small_with("device_bandwidth = \"20 GB/s\"", "device_bandwidth = \"24 GB/s\""), "small.toml");
  question.the_case.size.gpus = 2;  // as many, whatever else is tried
  const PlannedWork work = planned(question);
  ProgressLine nowhere{ProgressTerminal{}};
  const WhatIf found = what_if(question.the_case, work, {}, nowhere);
  ASSERT_FALSE(found.rows.empty());
  const WhatIfRow& best = found.rows.front();
  EXPECT_EQ(best.resource, "host links together");
  EXPECT_TRUE(best.in_full);
  EXPECT_GT(best.saved_s, 0.2 * found.makespan_s);
  EXPECT_EQ(best.makespan_s, full_makespan_s(question, best.set));
  for (const WhatIfRow& row : found.rows) {
    if (row.resource == "pcie bandwidth" || row.resource == "socket device bandwidth") {
      EXPECT_LT(row.saved_s, 0.02 * found.makespan_s) << row.resource;
    }
  }
}

TEST(WhatIf, SaysBothBaselines) {
  WhatIf found;
  found.makespan_s = 2;
  found.coarse_makespan_s = 2.5;
  found.rows = {{"devices", "platform.socket.devices=4", 1.5, 0.5, true},
                {"cores", "platform.socket.cores=8", 2.25, 0.25, false}};
  const std::string text = what_if_text(found);
  EXPECT_NE(text.find("unchanged 2 s in full, 2.5 s coarse"), std::string::npos) << text;
  EXPECT_NE(text.find("25.0%  full "), std::string::npos) << text;
  EXPECT_NE(text.find("10.0%  coarse "), std::string::npos) << text;  // of the coarse baseline
}

}  // namespace
}  // namespace foretile::what_if_test
