// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tune_space.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/loader.hpp"

namespace foretile::tune_space_test {
namespace {

namespace fs = std::filesystem;

class TuneSpace : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }
  SpaceQuestion question(const std::string& toml) {
    write_atomically(path_, [&](std::ostream& out) { out << "[parameters]\n" << toml; });
    return {path_, {"a"}, {}, {}, b_is_generated("a")};
  }
  static std::map<std::string, Sources> b_is_generated(const std::string& problem) {
    return {{problem, {Source::given, Source::generated}}};
  }
  static Candidate defaults_of(const Space& space, const SpaceQuestion& asked) {
    return default_candidates(space, asked, summit().platform).at(0);
  }
  static Machine summit() {
    MachineSize size;
    size.nodes = 3;
    return make_machine(load_platform("summit"), size);
  }
  static Machine eighteen_ranks() {
    Platform platform = load_platform("summit");
    platform.ranks_per_node = 6;
    MachineSize size;
    size.nodes = 3;
    return make_machine(platform, size);
  }
  static std::vector<std::string> names(const Space& space) {
    std::vector<std::string> found;
    for (const Parameter& parameter : space.parameters()) found.push_back(parameter.name);
    return found;
  }
  fs::path path_ = fs::temp_directory_path() / ("foretile-space-" + std::to_string(::getpid()) + ".toml");
};

TEST_F(TuneSpace, DefaultsLieInTheDefaultSpace) {
  const SpaceQuestion asked{{}, {"a"}, {}, {}, b_is_generated("a")};
  const Space space = tune_space(asked, summit());
  const Candidate defaults = defaults_of(space, asked);
  EXPECT_TRUE(space.index_of(defaults));
  EXPECT_EQ(defaults.at("platform.ranks_per_node"), "2");
  EXPECT_EQ(defaults.at("block_fraction"), "0.5");
}

/// local-b's own block_fraction is not the default strategy's.
TEST_F(TuneSpace, OtherStrategiesHaveDefaultsToo) {
  const SpaceQuestion asked{{}, {"a"}, {}, {}, b_is_generated("a")};
  const auto others = [](const SpaceQuestion& of) {
    const Space space = tune_space(of, summit());
    return other_strategies_defaults(space, of, summit().platform);
  };
  const std::vector<Candidate> found = others(asked);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].at("strategy"), "local-b");
  EXPECT_EQ(found[0].at("block_fraction"), "0.8");
  EXPECT_EQ(found[0].at("platform.ranks_per_node"), "2");
  EXPECT_TRUE(
      others(question("strategy = [\"stationary-b\", \"local-b\"]\nblock_fraction = [0.5]\n")).empty());
  EXPECT_TRUE(others(question("grid.p = [1]\n")).empty());
}

/// The file says 40; the tuner may choose. With several problems each is taken as it is.
TEST_F(TuneSpace, TilingsOfTheProblem) {
  SpaceQuestion asked{{}, {"a"}, {}, {}, {}};
  asked.loaded["a"] = {"a", "kind = \"dense\"\ntile = 40\n[tune]\ntile = [20, 40]\n", "a.toml"};
  const Space space = tune_space(asked, summit());
  EXPECT_EQ(space.parameters().back(), (Parameter{"problem.tile", {"20", "40"}}));
  EXPECT_EQ(defaults_of(space, asked).at("problem.tile"), "40");
  asked.fixed_tiling = {{"tile", "10"}};
  EXPECT_NE(tune_space(asked, summit()).parameters().back().name, "problem.tile");
  asked.fixed_tiling = {};
  asked.loaded["a"].toml = "kind = \"dense\"\ntile = 30\n[tune]\ntile = [20, 40]\n";
  EXPECT_FALSE(defaults_of(tune_space(asked, summit()), asked).contains("problem.tile"));
  asked.problems.push_back("b");
  EXPECT_EQ(tune_space(asked, summit()).parameters().back().name, "problem");
}

TEST_F(TuneSpace, TriesBatchesWhereTheirTimeIsKnown) {
  const SpaceQuestion asked{{}, {"a"}, {}, {}, b_is_generated("a")};
  Machine machine = summit();
  machine.platform.device.batched.rate_flops_per_s = 0;
  const auto tries_batches = [&] {
    const auto found = names(tune_space(asked, machine));
    return std::find(found.begin(), found.end(), "batch") != found.end();
  };
  EXPECT_FALSE(tries_batches());
  machine.platform.device.batched.rate_flops_per_s = 1e12;
  EXPECT_TRUE(tries_batches());
}

TEST_F(TuneSpace, WhatSetFixesIsNotSearched) {
  const SpaceQuestion asked{{}, {"a"}, {{"grid.p", "2"}}, {"platform.ranks_per_node=1"}, b_is_generated("a")};
  EXPECT_EQ(names(tune_space(asked, summit())),
            (std::vector<std::string>{"block_fraction", "chunk_fraction", "lookahead", "strategy"}));
}

/// What a strategy wants tried holds its default, so that the tuner can begin with that.
TEST_F(TuneSpace, HoldsTheDefaultsOfEveryStrategy) {
  for (const auto& strategy : strategies()) {
    const SpaceQuestion asked{{}, {"a"}, {{"strategy", strategy->name()}}, {}};
    const Space space = tune_space(asked, summit());
    EXPECT_TRUE(space.index_of(defaults_of(space, asked))) << strategy->name();
  }
}

/// 18 ranks: 3 nodes of 6 GPUs.
TEST_F(TuneSpace, TriesTheGridsThatDivideTheRanks) {
  const auto rows = [&](const char* strategy) {
    const Space space =
        tune_space({{}, {"a"}, {{"strategy", strategy}}, {"platform.ranks_per_node=6"}}, eighteen_ranks());
    return space.parameters().front();
  };
  using Values = std::vector<std::string>;
  EXPECT_EQ(rows("stationary-b").name, "grid.p");
  EXPECT_EQ(rows("stationary-b").values, (Values{"1", "2", "3", "6", "9"}));
  EXPECT_EQ(rows("stationary-c").name, "grid.p");
  EXPECT_EQ(rows("stationary-c").values, (Values{"auto", "1", "2", "3", "6", "9"}));
}

TEST_F(TuneSpace, IsThatOfTheChosenStrategy) {
  const SpaceQuestion asked{{}, {"a"}, {{"strategy", "stationary-c"}, {"barriers", "local"}}, {}};
  const Space space = tune_space(asked, summit());
  EXPECT_EQ(names(space),
            (std::vector<std::string>{"grid.p", "b", "c", "d", "lookahead", "platform.ranks_per_node"}));
  const Candidate defaults = defaults_of(space, asked);
  EXPECT_TRUE(space.index_of(defaults));
  EXPECT_EQ(defaults.at("b"), "auto");
}

TEST_F(TuneSpace, SeveralProblemsAreAParameter) {
  const SpaceQuestion asked{{}, {"a", "b"}, {}, {}};
  const Space space = tune_space(asked, summit());
  EXPECT_EQ(names(space).back(), "problem");
  EXPECT_EQ(defaults_of(space, asked).at("problem"), "a");
}

/// "auto" is for stationary-c; the default of stationary-b is not in the list.
TEST_F(TuneSpace, ValuesOfAnotherStrategyAreNoError) {
  const SpaceQuestion asked =
      question("lookahead = [\"auto\", \"02\"]\nstrategy = [\"stationary-b\", \"stationary-c\"]\n");
  const Space space = tune_space(asked, summit());
  EXPECT_EQ(defaults_of(space, asked).at("lookahead"), "1");
}

/// The first problem given, then those of the file; each with the defaults of its own strategy.
TEST_F(TuneSpace, EveryProblemHasItsDefaults) {
  SpaceQuestion asked = question(
      "problem = [\"dense\", \"c65-v1\", \"c65-v3\"]\n\"grid.p\" = [\"1\", \"auto\"]\nblock_fraction = [0.3, "
      "0.5]\n"
      "lookahead = [\"1\", \"2\", \"auto\"]\nstrategy = [\"stationary-b\", \"stationary-c\"]\n");
  asked.problems = {"c65-v1"};
  EXPECT_EQ(candidate_problems(asked), (std::vector<std::string>{"c65-v1", "dense", "c65-v3"}));
  for (const char* name : {"c65-v1", "c65-v3"}) asked.sources[name].b = Source::generated;
  const auto defaults = default_candidates(tune_space(asked, summit()), asked, summit().platform);
  const auto molecule = [](const char* name) {
    return Candidate{{"problem", name},
                     {"grid.p", "1"},
                     {"block_fraction", "0.5"},
                     {"lookahead", "1"},
                     {"strategy", "stationary-b"}};
  };
  const Candidate dense{
      {"problem", "dense"}, {"grid.p", "auto"}, {"lookahead", "auto"}, {"strategy", "stationary-c"}};
  EXPECT_EQ(defaults, (std::vector<Candidate>{molecule("c65-v1"), dense, molecule("c65-v3")}));
}

/// A and B are given: grid-3d is the default, and stationary-c has grid.p.
TEST_F(TuneSpace, ParametersOfTheSpaceChooseTheStrategy) {
  const auto refused = [&](const char* parameters) {
    SpaceQuestion asked = question(parameters);
    for (const std::string& problem : asked.problems) asked.sources[problem] = {Source::given, Source::given};
    try {
      tune_space(asked, summit());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("grid = [\"auto\", \"2x1x3\"]\ntree = [\"chain\"]\n"), "");
  EXPECT_EQ(refused("grid.p = [1, 2]\nkeep_received = [0, 1]\n"), "");
}

TEST_F(TuneSpace, ProblemsOfTheCommandLineAreThoseOfTheSpace) {
  const SpaceQuestion asked{{}, {"b", "a", "b"}, {}, {}};
  EXPECT_EQ(candidate_problems(asked), (std::vector<std::string>{"b", "a"}));
}

TEST_F(TuneSpace, DefaultsAreSpelledAsTheSpaceSpellsThem) {
  const SpaceQuestion asked = question(
      "block_fraction = [\"0.4\", \"0.50\"]\n\"platform.nvlink.latency\" = [\"1 us\", \"11.1 us\"]\n");
  const Candidate defaults = defaults_of(tune_space(asked, summit()), asked);
  EXPECT_EQ(defaults.at("block_fraction"), "0.50");
}

TEST_F(TuneSpace, PlatformValuesOutsideTheSpaceAreLeftOut) {
  const SpaceQuestion asked = question("\"platform.nvlink.latency\" = [\"1 us\", \"2 us\"]\n");
  EXPECT_TRUE(defaults_of(tune_space(asked, summit()), asked).empty());
}

TEST_F(TuneSpace, UnknownKeysAreErrorsWithAHint) {
  for (const auto& [line, hint] : {std::pair("lookahaed = [1]", "did you mean \"lookahead\"?"),
                                   {"\"platform.nvlink.bandwith\" = [1]", "platform.nvlink.bandwidth"}}) {
    try {
      tune_space(question(line), summit());
      FAIL() << line;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(hint), std::string::npos) << error.what();
    }
  }
}

TEST_F(TuneSpace, WrongKeysAreNamedWithFileAndLine) {
  for (const auto& [lines, said] :
       {std::pair("lookahead = [1]\nlookahaed = [1]", ":3: unknown key \"lookahaed\" in [parameters]"),
        {"strategy = [\"stationary-b\"]\nd = [1]", ":3: unknown key \"d\" of strategy stationary-b"},
        {"\nproblem = [\"a\"]\nlookahead = [1]\nblock_fractoin = [1]", ":5: unknown key"},
        {"lookahead = [1, 65]", ":2: lookahead: found 65, expected a whole number from 0 to 64"},
        {"message_bytes = [\"1 MB\", \"1e6\"]", ":2: message_bytes: found 1 MB and 1e6, the same"},
        {"\"platform.device.memory\" = [\"16 GB\", \"16 GB/s\"]", ":2: platform.device.memory: found"},
        {"\"platform.device.memory\" = [\"16 GB\", \"16e9\"]",
         ":2: platform.device.memory: found 16 GB and 16e9, the same"},
        {"strategy = [\"stationary-x\"]", ":2: strategy: found stationary-x, expected one of"}}) {
    const SpaceQuestion asked = question(lines);
    try {
      tune_space(asked, summit());
      FAIL() << lines;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(asked.file.string() + said), std::string::npos)
          << error.what();
    }
  }
}

/// Before anything is simulated.
TEST_F(TuneSpace, WhatSetFixesIsChecked) {
  const auto said = [](const Settings& fixed) {
    try {
      tune_space({{}, {"a"}, fixed, {}, b_is_generated("a")}, summit());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(said({{"lookahead", "many"}}), "lookahead: found many, expected a whole number from 0 to 64");
  EXPECT_NE(
      said({{"lokahead", "1"}}).find("--set: unknown key \"lokahead\" of strategy local-b and stationary-b"),
      std::string::npos);
  EXPECT_EQ(said({{"lookahead", "64"}, {"copy_batch_bytes", "1 GB"}}), "nothing thrown");
}

}  // namespace
}  // namespace foretile::tune_space_test
