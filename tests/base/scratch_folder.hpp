// SPDX-License-Identifier: BSD-3-Clause
// A folder of its own for each test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace foretile {

class ScratchFolder : public testing::Test {
 protected:
  ScratchFolder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(testing::TempDir()) / (std::string("foretile_") + test->test_suite_name() +
                                                     "_" + test->name() + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~ScratchFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  /// Number of entries of the folder, to see that nothing was left behind.
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_)) ++count;
    return count;
  }

  std::filesystem::path folder_;
};

}  // namespace foretile
