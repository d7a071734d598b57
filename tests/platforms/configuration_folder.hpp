// SPDX-License-Identifier: BSD-3-Clause
// A configuration folder of its own for one test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace foretile {

class ConfigurationFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* old = std::getenv("XDG_CONFIG_HOME")) before_ = old;
    folder_ = std::filesystem::temp_directory_path() / ("foretile-here-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "foretile");
    ::setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    before_.empty() ? ::unsetenv("XDG_CONFIG_HOME") : ::setenv("XDG_CONFIG_HOME", before_.c_str(), 1);
  }
  std::filesystem::path folder_;
  std::string before_;
};

}  // namespace foretile
