// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/what_fits.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <regex>
#include <string>

#include "base/parse.hpp"
#include "planner/problem/kinds/retile.hpp"
#include "platforms/loader.hpp"

namespace foretile::what_fits_test {
namespace {

/// 1024 cubed: A, B and C take 8.4 MB each. On Summit, where ranks have so much host and devices so much
/// memory.
Case dense_case(const char* tile, const char* b_source, int nodes, const char* host, const char* device) {
  const std::string toml = std::string("kind = \"dense\"\nm = 1024\nn = 1024\nk = 1024\ntile = ") + tile +
                           "\nb_source = \"" + b_source + "\"\n";
  const std::string of_host = std::string("platform.socket.memory=") + host,
                    of_device = std::string("platform.device.memory=") + device;
  return {{"d", toml, "d.toml"},
          load_platform("summit", {of_host, of_device}),
          {.nodes = nodes, .ranks = {}, .gpus = {}},
          {},
          std::nullopt};
}

/// Nothing where it fits.
std::optional<Refused> refusal(const Case& the_case) {
  try {
    plan_work(build_contraction(the_case.problem), make_machine(the_case.platform, the_case.size),
              the_case.settings);
    return std::nullopt;
  } catch (const MissingMemory& error) {
    return Refused{error.short_of(), 0};
  }
}

/// The case with what an advice names.
Case changed(Case the_case, const std::string& advice) {
  static const std::regex option("--(set|nodes) (?:problem\\.(\\w+)=|([\\w.]+)=)?(\\S+)");
  const std::string options = advice.substr(0, advice.find(','));
  for (std::sregex_iterator at(options.begin(), options.end(), option), end; at != end; ++at) {
    const std::smatch& found = *at;
    if (found[1] == "nodes") {
      the_case.size = {
          .nodes = static_cast<int>(parse_integer(found.str(4), "nodes", 1, 5000)), .ranks = {}, .gpus = {}};
    } else if (found[2].matched) {
      the_case.problem = retile(the_case.problem, {{found[2], found[4]}});
    } else {
      the_case.settings[found[3]] = found[4];
    }
  }
  return the_case;
}

/// What is named for a case that is short of such memory; it fits.
std::string named(const Case& the_case, ShortOf short_of) {
  const auto refused = refusal(the_case);
  EXPECT_TRUE(refused && refused->short_of == short_of);
  if (!refused) return {};
  const std::string advice = what_fits(the_case, *refused);
  EXPECT_FALSE(refusal(changed(the_case, advice))) << advice;
  return advice;
}

/// Three tiles of 512 squared take 6.3 MB, of 341 squared 2.8 MB.
TEST(WhatFits, NamesFinerTilesWhereADeviceIsTooSmall) {
  EXPECT_EQ(named(dense_case("1024", "given", 1, "1 GB", "3 MB"), ShortOf::device_memory),
            "it fits with --set problem.tile=341, or made by foretile problem with --tile 341");
}

/// All of A, a quarter of C and 2.5 MB for tiles of B take 13 MB.
TEST(WhatFits, NamesTheRowsOfAGridWhereARankKeepsTooMuch) {
  EXPECT_EQ(named(dense_case("64", "generated", 2, "10 MB", "1 GB"), ShortOf::host_memory),
            "it fits with --set grid.p=2");
}

/// A column of B and C takes 2.1 MB with tiles of 128, 1.4 MB with tiles of 85; half of a device is for it.
TEST(WhatFits, NamesBothWhereOneDoesNotDo) {
  EXPECT_EQ(named(dense_case("512", "generated", 2, "10 MB", "4 MB"), ShortOf::device_memory),
            "it fits with --set problem.tile=85 --set grid.p=2");
}

/// 25 MB on nodes of 20 MB.
TEST(WhatFits, NamesMoreNodesWhereTheMatricesAreTooLarge) {
  EXPECT_EQ(named(dense_case("64", "given", 1, "10 MB", "1 GB"), ShortOf::room_for_matrices),
            "it fits with --nodes 2");
}

TEST(WhatFits, SaysNothingWhereNothingFits) {
  Case too_large = dense_case("64", "given", 1, "10 MB", "1 GB");
  too_large.platform.nodes = 1;
  EXPECT_EQ(what_fits(too_large, *refusal(too_large)), "");
  Case listed = dense_case("64", "given", 1, "1 GB", "3 MB");
  listed.problem.toml =
      "kind = \"dense\"\nm = 1024\nn = 1024\nk = 1024\nm_tiles = [1024]\nn_tiles = [1024]\n"
      "k_tiles = [1024]\n";
  EXPECT_EQ(what_fits(listed, *refusal(listed)), "");
}

}  // namespace
}  // namespace foretile::what_fits_test
