// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/list.hpp"

#include <fstream>

#include "base/files.hpp"
#include "platforms/loader.hpp"
#include "tests/platforms/configuration_folder.hpp"

namespace foretile::list_test {
namespace {

class PlatformList : public ConfigurationFolder {
 protected:
  /// Summit's file with a first line and a number of nodes of the user's own.
  void write_own(const std::string& name) {
    std::string text = read_text(find_data("platforms/summit.toml"));
    text.replace(0, text.find('\n'), "#  My own machine");
    text.replace(text.find("nodes = 4608"), 12, "nodes = 7");
    std::ofstream(own(name)) << text;
  }
  std::filesystem::path own(const std::string& name) const { return folder_ / "foretile" / (name + ".toml"); }

  static NamedPlatform listed(const std::string& name) {
    for (const NamedPlatform& platform : named_platforms()) {
      if (platform.name == name) return platform;
    }
    ADD_FAILURE() << name << " is not listed";
    return {};
  }
};

TEST_F(PlatformList, HasWhatShipsAndThisMachine) {
  EXPECT_TRUE(listed("summit").description.starts_with("Summit (Oak Ridge)"));
  EXPECT_EQ(listed("summit").file, find_data("platforms/summit.toml"));
  EXPECT_TRUE(listed("summit").shadows.empty());
  EXPECT_TRUE(listed("here").file.empty());
}

TEST_F(PlatformList, AUsersOwnPlatformIsFoundByItsName) {
  write_own("mine");
  EXPECT_EQ(listed("mine").description, "My own machine");
  EXPECT_EQ(listed("mine").file, own("mine"));
  EXPECT_EQ(load_platform("mine").nodes, 7);
  EXPECT_EQ(shadow_warning("mine"), "");
}

TEST_F(PlatformList, AUsersOwnPlatformHidesOneThatShips) {
  EXPECT_EQ(shadow_warning("summit"), "");
  write_own("summit");
  EXPECT_EQ(listed("summit").file, own("summit"));
  EXPECT_EQ(listed("summit").shadows, find_data("platforms/summit.toml"));
  EXPECT_EQ(load_platform("summit").nodes, 7);
  EXPECT_NE(shadow_warning("summit").find("hides"), std::string::npos);
}

TEST_F(PlatformList, GroupsAreThoseOfTheFolderAndOfTheComment) {
  write_own("mine");
  EXPECT_EQ(listed("here").group, PlatformGroup::here);
  EXPECT_EQ(listed("mine").group, PlatformGroup::own);
  EXPECT_EQ(listed("frontier").group, PlatformGroup::today);
  EXPECT_EQ(listed("summit").group, PlatformGroup::papers);
  EXPECT_EQ(named_platforms().front().name, "here");
}

TEST_F(PlatformList, OnlyFilesHaveANamedPlatform) {
  std::filesystem::create_directory(own("folder"));
  for (const NamedPlatform& platform : named_platforms()) EXPECT_NE(platform.name, "folder");
  EXPECT_TRUE(find_platform_file("folder").empty());
  EXPECT_TRUE(find_platform_file("../summit").empty());
  EXPECT_TRUE(find_platform_file("").empty());
}

}  // namespace
}  // namespace foretile::list_test
