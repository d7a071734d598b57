// SPDX-License-Identifier: BSD-3-Clause
// The platform files that ship.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "platforms/guesses.hpp"
#include "platforms/list.hpp"
#include "platforms/loader.hpp"
#include "platforms/placement.hpp"
#include "platforms/show.hpp"
#include "tests/platforms/configuration_folder.hpp"

namespace foretile::shipped_test {
namespace {

class ShippedPlatforms : public ConfigurationFolder {
 protected:
  static std::vector<NamedPlatform> of(PlatformGroup group) {
    std::vector<NamedPlatform> found;
    for (const NamedPlatform& platform : named_platforms()) {
      if (platform.group == group) found.push_back(platform);
    }
    return found;
  }
};

TEST_F(ShippedPlatforms, AllLoad) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(find_data("platforms"))) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().string());
    const Platform platform = load_platform(entry.path().string());
    EXPECT_EQ(platform.name, entry.path().stem().string());
    EXPECT_FALSE(show_platform(platform).empty());
    EXPECT_EQ(std::ssize(node_places(platform, 1)), 1);
    ++files;
  }
  EXPECT_EQ(of(PlatformGroup::today).size() + of(PlatformGroup::papers).size(), files);
}

TEST_F(ShippedPlatforms, AreOfTodayOrOfPapers) {
  std::set<std::string> today, papers;
  for (const NamedPlatform& platform : of(PlatformGroup::today)) today.insert(platform.name);
  for (const NamedPlatform& platform : of(PlatformGroup::papers)) papers.insert(platform.name);
  for (const char* name : {"frontier", "lumi-g", "perlmutter", "aurora", "alps", "leonardo", "jupiter",
                           "mn5-acc", "el-capitan", "dgx-h100", "hgx-h200", "dgx-b200", "lumi-c", "mn5-gpp"})
    EXPECT_TRUE(today.contains(name)) << name;
  for (const char* name : {"summit", "raven", "daint-gpu", "phoenix-cpu"})
    EXPECT_TRUE(papers.contains(name)) << name;
}

TEST_F(ShippedPlatforms, SayHowWellEachFigureOfTodayIsKnown) {
  for (const NamedPlatform& listed : of(PlatformGroup::today)) {
    for (const auto& [key, kind] : figure_kinds(load_platform(listed.name)))
      EXPECT_NE(kind, FigureKind::unmarked) << listed.name << ": " << key;
  }
}

}  // namespace
}  // namespace foretile::shipped_test
