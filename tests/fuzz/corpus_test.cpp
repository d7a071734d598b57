// SPDX-License-Identifier: BSD-3-Clause
// All that the fuzzer has found and started from, with the compiler at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace foretile::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> corpus_of(const Target& target) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(FORETILE_CORPUS) / target.name))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Corpus : public testing::TestWithParam<Target> {};

TEST_P(Corpus, ParsesOrIsRefusedReadably) {
  const std::vector<fs::path> files = corpus_of(GetParam());
  EXPECT_FALSE(files.empty());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file);
    EXPECT_NO_THROW(run(GetParam(), content_of(file)));
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Fuzz, ReadableMessagesAreOneShortLineOfText) {
  EXPECT_NO_THROW(expect_readable("a.toml:3: found '\u00b5', expected s"));
  for (const std::string& message :
       {std::string(), std::string("two\nlines"), std::string("a\0b", 3), std::string("\x1b[2J"),
        std::string("\xff"), std::string("cut \xe2\x82"), std::string(max_message_bytes + 1, 'x')}) {
    EXPECT_THROW(expect_readable(message), Broken) << message;
  }
}

}  // namespace
}  // namespace foretile::fuzz
