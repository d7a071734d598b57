// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/platform_new.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/error.hpp"

namespace foretile::platform_new_test {
namespace {

const FigureTexts& all_texts() {
  static const FigureTexts texts{{"--name", "x"},      {"--nodes", "4"},   {"--device", "h100 sxm"},
                                 {"--devices", "8"},   {"--sockets", "2"}, {"--cores", "112"},
                                 {"--memory", "2 TB"}, {"--cards", "8"},   {"--card-bandwidth", "47"}};
  return texts;
}

FigureTexts without(const char* option) {
  FigureTexts texts = all_texts();
  texts.erase(option);
  return texts;
}

FigureTexts with(const char* option, const char* text) {
  FigureTexts texts = all_texts();
  texts[option] = text;
  return texts;
}

std::string refusal(const FigureTexts& texts) {
  try {
    new_platform_file(texts, nullptr);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(PlatformNew, TakesOptions) {
  const auto [m, output] = new_platform_file(with("--host-link", "375/297 GB/s"), nullptr);
  EXPECT_EQ(output, "x.toml");
  EXPECT_EQ(m.device->name, "H100-SXM");
  EXPECT_EQ(m.memory_bytes, 2e12);
  EXPECT_EQ(m.card_bytes_per_s, 47e9);
  ASSERT_TRUE(m.host_link);
  EXPECT_EQ(m.host_link->there, 375e9);
  EXPECT_EQ(m.host_link->back, 297e9);
  EXPECT_FALSE(m.device_link_bytes_per_s);
}

TEST(PlatformNew, ListsAllOptionsThatAreMissing) {
  EXPECT_EQ(refusal({{"--name", "x"}, {"--device", "none"}, {"--cards", "0"}}),
            "platform new: found no --nodes, --sockets, --cores, --memory, expected these options; add "
            "them; on a terminal they are asked for");
  EXPECT_NE(refusal({}).find("--device, --devices, "), std::string::npos);
  EXPECT_EQ(refusal(all_texts()), "none");
}

TEST(PlatformNew, RefusesWrongValuesInOneLine) {
  EXPECT_EQ(
      refusal(with("--device", "H100-SMX")),
      "--device: found H100-SMX, expected A100, H100-SXM, H200, B200, MI250X-die, MI300A, PVC-tile, GH200 "
      "or none; did you mean \"H100-SXM\"?");
  for (const auto& [option, text] : {std::pair("--nodes", "0"),
                                     {"--nodes", "1.5"},
                                     {"--nodes", "99999999999"},
                                     {"--name", "a b"},
                                     {"--name", "../x"},
                                     {"--memory", "-1"},
                                     {"--memory", "inf"},
                                     {"--memory", "nan"},
                                     {"--memory", "0"},
                                     {"--card-bandwidth", "400 Gbit/s"},
                                     {"--card-bandwidth", "x"},
                                     {"--host-link", "1/2/3"},
                                     {"--host-link", "1/"},
                                     {"--cards-at", "gpu"},
                                     {"--device-link-form", "ring"},
                                     {"--devices", "-8"}})
    EXPECT_TRUE(refusal(with(option, text)).starts_with(option)) << option << " " << text;
}

/// Only what is missing is asked for; an empty line takes what stands in brackets.
TEST(PlatformNew, AsksForWhatIsMissing) {
  std::istringstream in("8\n\n\n\n\n\nmine.toml\n");
  std::ostringstream out;
  const QuestionTerminal terminal{in, out};
  const auto [m, output] = new_platform_file(without("--nodes"), &terminal);
  EXPECT_EQ(m.nodes, 8);
  EXPECT_EQ(output, "mine.toml");
  EXPECT_FALSE(m.host_link || m.device_link_bytes_per_s || m.cards_at || m.device_memory_bytes);
  for (const char* part : {"Nodes of the whole machine: ", "[55.4/55.1]: ", "[switch]: ", "[396]: ",
                           "[pcie]: ", "The platform file [x.toml]: "})
    EXPECT_NE(out.str().find(part), std::string::npos) << part << "\n" << out.str();
  EXPECT_EQ(out.str().find("Cores of a node"), std::string::npos);
}

TEST(PlatformNew, AsksAgainAfterAWrongAnswer) {
  std::istringstream in("many\n\n8\n\n\n\n\n\n\n");
  std::ostringstream out;
  const QuestionTerminal terminal{in, out};
  EXPECT_EQ(new_platform_file(without("--nodes"), &terminal).machine.nodes, 8);
  EXPECT_NE(out.str().find("--nodes: found many, expected a whole number"), std::string::npos);
}

TEST(PlatformNew, ListsWhatIsMissingWhereAnswersEnd) {
  std::istringstream in("8\n");
  std::ostringstream out;
  const QuestionTerminal terminal{in, out};
  FigureTexts texts = without("--nodes");
  texts.erase("--cores");
  try {
    new_platform_file(texts, &terminal);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no --cores, expected this option"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace foretile::platform_new_test
