#include "apps/foretile/tune_space.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "planner/strategy.hpp"
#include "platforms/loader.hpp"

namespace foretile {
namespace {

namespace fs = std::filesystem;

class TuneSpace : public testing::Test {
 protected:
  void TearDown() override { fs::remove(path_); }
  SpaceQuestion question(const std::string& toml) {
    write_atomically(path_, [&](std::ostream& out) { out << "[parameters]\n" << toml; });
    return {path_, {"a"}, {}, {}};
  }
  static Machine summit() {
    MachineSize size;
    size.nodes = 3;
    return make_machine(load_platform("summit"), size);
  }
  static std::vector<std::string> names(const Space& space) {
    std::vector<std::string> found;
    for (const Parameter& parameter : space.parameters()) found.push_back(parameter.name);
    return found;
  }
  fs::path path_ = fs::temp_directory_path() / ("foretile-space-" + std::to_string(::getpid()) + ".toml");
};

TEST_F(TuneSpace, DefaultsLieInTheDefaultSpace) {
  const SpaceQuestion asked{{}, {"a"}, {}, {}};
  const Space space = tune_space(asked, summit());
  const Candidate defaults = default_candidate(space, asked, summit().platform);
  EXPECT_TRUE(space.index_of(defaults));
  EXPECT_EQ(defaults.at("platform.ranks_per_node"), "2");
  EXPECT_EQ(defaults.at("block_fraction"), "0.5");
}

TEST_F(TuneSpace, TriesBatchesWhereTheirTimeIsKnown) {
  const SpaceQuestion asked{{}, {"a"}, {}, {}};
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
  const SpaceQuestion asked{{}, {"a"}, {{"grid.p", "2"}}, {"platform.ranks_per_node=1"}};
  EXPECT_EQ(names(tune_space(asked, summit())),
            (std::vector<std::string>{"block_fraction", "chunk_fraction", "lookahead"}));
}

/// What a strategy wants tried holds its default, so that the tuner can begin with that.
TEST_F(TuneSpace, HoldsTheDefaultsOfEveryStrategy) {
  for (const auto& strategy : strategies()) {
    const SpaceQuestion asked{{}, {"a"}, {{"strategy", strategy->name()}}, {}};
    const Space space = tune_space(asked, summit());
    EXPECT_TRUE(space.index_of(default_candidate(space, asked, summit().platform))) << strategy->name();
  }
}

TEST_F(TuneSpace, IsThatOfTheChosenStrategy) {
  const SpaceQuestion asked{{}, {"a"}, {{"strategy", "stationary-c"}, {"barriers", "local"}}, {}};
  const Space space = tune_space(asked, summit());
  EXPECT_EQ(names(space),
            (std::vector<std::string>{"grid.p", "b", "c", "d", "lookahead", "platform.ranks_per_node"}));
  const Candidate defaults = default_candidate(space, asked, summit().platform);
  EXPECT_TRUE(space.index_of(defaults));
  EXPECT_EQ(defaults.at("b"), "auto");
}

TEST_F(TuneSpace, SeveralProblemsAreAParameter) {
  const SpaceQuestion asked{{}, {"a", "b"}, {}, {}};
  const Space space = tune_space(asked, summit());
  EXPECT_EQ(names(space).back(), "problem");
  EXPECT_EQ(default_candidate(space, asked, summit().platform).at("problem"), "a");
}

TEST_F(TuneSpace, DefaultsAreSpelledAsTheSpaceSpellsThem) {
  const SpaceQuestion asked = question(
      "block_fraction = [\"0.4\", \"0.50\"]\n\"platform.nvlink.latency\" = [\"1 us\", \"11.1 us\"]\n");
  const Candidate defaults = default_candidate(tune_space(asked, summit()), asked, summit().platform);
  EXPECT_EQ(defaults.at("block_fraction"), "0.50");
}

TEST_F(TuneSpace, PlatformValuesOutsideTheSpaceAreLeftOut) {
  const SpaceQuestion asked = question("\"platform.nvlink.latency\" = [\"1 us\", \"2 us\"]\n");
  EXPECT_TRUE(default_candidate(tune_space(asked, summit()), asked, summit().platform).empty());
}

TEST_F(TuneSpace, UnknownKeysAreErrorsWithAHint) {
  for (const auto& [line, hint] : {std::pair("lookahaed = [1]", "did you mean lookahead?"),
                                   {"\"platform.nvlink.bandwith\" = [1]", "platform.nvlink.bandwidth"}}) {
    try {
      tune_space(question(line), summit());
      FAIL() << line;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(hint), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace foretile
