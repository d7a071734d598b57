// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/retile.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::retile_test {
namespace {

using Keys = std::vector<std::string>;

template <class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

const Problem kDense{"d", "# comment\nkind = \"dense\"  # all\nm = 8\nn = 8\nk = 8\ntile = 0x4 # four\n",
                     "d.toml"};

TEST(Retile, ChangesTheNumberAlone) {
  const Problem other = retile(kDense, {{"tile", "16"}});
  EXPECT_EQ(other.toml, "# comment\nkind = \"dense\"  # all\nm = 8\nn = 8\nk = 8\ntile = 16 # four\n");
  EXPECT_EQ(other.name, "d");
  EXPECT_EQ(build_contraction(other).m.tiles(), 1);
  EXPECT_EQ(build_contraction(retile(other, {{"tile", "1"}})).m.tiles(), 8);
  EXPECT_EQ(retile(kDense, {}).toml, kDense.toml);
}

/// Behind the line of the kind, so that it is in no table; lines may end with \r\n.
TEST(Retile, AddsAMissingKey) {
  const Problem random{"r", "kind = \"random\"\r\nm = 40\nn = 40\nk = 40\n[tune]\ntile_max = [5, 6]\n",
                       "r.toml"};
  const Problem other = retile(random, {{"tile_min", "5"}, {"tile_max", "5"}});
  EXPECT_EQ(build_contraction(other).m.tiles(), 8);
  EXPECT_EQ(tiling_value(other, "tile_max"), "5");
  EXPECT_EQ(tiling_value(random, "tile_max"), std::nullopt);
  const Problem short_one{"r", "n = 4\nm = 4\nk = 4\nkind = \"random\"", "r.toml"};
  EXPECT_EQ(build_contraction(retile(short_one, {{"tile_min", "1"}, {"tile_max", "1"}})).k.tiles(), 4);
}

TEST(Retile, EachKindHasItsKeys) {
  EXPECT_EQ(tiling_keys(kDense), (Keys{"tile", "m_tile", "n_tile", "k_tile"}));
  EXPECT_EQ(tiling_keys({"", "kind = \"random\"", ""}), (Keys{"tile_min", "tile_max"}));
  EXPECT_EQ(tiling_keys({"", "kind = \"molecule\"", ""}),
            (Keys{"occ_clusters", "ao_clusters", "tile_min", "tile_max"}));
  EXPECT_EQ(tiling_keys({"", "kind = \"tiles\"", ""}), Keys());
}

TEST(Retile, RefusesWhatIsNoTiling) {
  const auto message = [](const Problem& problem, const Settings& tiling) {
    return message_of([&] { retile(problem, tiling); });
  };
  EXPECT_EQ(message(kDense, {{"tile", "0"}}),
            "problem.tile: found 0, expected a whole number from 1 to 1000000000000000");
  EXPECT_EQ(message(kDense, {{"tile", "4.5"}}),
            "problem.tile: found 4.5, expected a whole number from 1 to 1000000000000000");
  EXPECT_EQ(
      message(kDense, {{"m", "4"}}),
      "parameters: unknown key \"problem.m\" of the problem's tiling; did you mean \"problem.m_tile\"? Known "
      "keys: problem.tile, problem.m_tile, problem.n_tile, problem.k_tile");
  EXPECT_EQ(message({"t", "kind = \"tiles\"", "t.toml"}, {{"tile", "4"}}),
            "problem.tile: found a problem whose tiles are listed, expected one with a rule for its tiles");
  EXPECT_EQ(message({"d", "kind = \"dense\"\ntile = \"x\"\n", "d.toml"}, {{"tile", "4"}}),
            "d.toml:2: key 'tile': found 'x', expected an integer from 1 to 1000000000000000");
}

/// Values are the tuner's to read.
TEST(Retile, TheTuneTableHasTilingKeysOnly) {
  const auto message = [](const std::string& table, const Problem& problem = kDense) {
    return message_of([&] { build_contraction({"p", problem.toml + table, "p.toml"}); });
  };
  EXPECT_EQ(message("[tune]\ntile = [1, 2]\n"), "no error");
  EXPECT_EQ(
      message("[tune]\nm = [1, 2]\n"),
      "p.toml:8: unknown key \"m\" in [tune]; did you mean \"m_tile\"? Known keys: tile, m_tile, n_tile, "
      "k_tile");
  EXPECT_EQ(message("tune = 3\n"),
            "p.toml:7: key 'tune': found no table, expected a table with tiling keys; leave it out, or see "
            "docs/problems.md");
  EXPECT_EQ(message("[tune]\n", {"t", "kind = \"tiles\"\n", ""}),
            "p.toml:2: key 'tune': found a table in a problem whose tiles are listed, expected a table with "
            "tiling keys; leave it out, or see docs/problems.md");
}

}  // namespace
}  // namespace foretile::retile_test
