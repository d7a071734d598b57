// SPDX-License-Identifier: BSD-3-Clause
#include "report/page.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <cstring>
#include <sstream>

#include "base/random.hpp"

namespace foretile::page_test {
namespace {

/// What is between two texts; fails where one is missing.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t from = text.find(before);
  if (from == std::string::npos) throw std::runtime_error("no " + before);
  const std::size_t begin = from + before.size(), end = text.find(after, begin);
  if (end == std::string::npos) throw std::runtime_error("no " + after);
  return text.substr(begin, end - begin);
}

std::string decoded_base64(std::string text) {
  using namespace boost::archive::iterators;
  using Bytes = transform_width<binary_from_base64<std::string::const_iterator>, 8, 6>;
  const auto padding = static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
  std::replace(text.begin(), text.end(), '=', 'A');
  std::string bytes(Bytes(text.begin()), Bytes(text.end()));
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string section_of(const std::string& page, int number, std::size_t size) {
  const std::string packed =
      decoded_base64(between(page, "id=\"section-" + std::to_string(number) + "\">", "</script>"));
  std::string bytes(size, '\0');
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                       reinterpret_cast<const Bytef*>(packed.data()), static_cast<uLong>(packed.size())),
            Z_OK);
  EXPECT_EQ(length, size);
  return bytes;
}

std::string page_of(const nlohmann::ordered_json& facts, const Sections& sections) {
  std::ostringstream out;
  write_page(out, facts, sections);
  return out.str();
}

TEST(Page, HasNumbersAsFactsNameThem) {
  Sections sections;
  const auto bytes = sections.add(std::vector<std::uint8_t>{1, 2, 3});
  const auto reals = sections.add(std::vector<double>{0.5, -2});
  EXPECT_EQ(bytes, (nlohmann::ordered_json{{"section", 0}, {"offset", 0}, {"type", "u8"}, {"count", 3}}));
  EXPECT_EQ(reals, (nlohmann::ordered_json{{"section", 0}, {"offset", 8}, {"type", "f64"}, {"count", 2}}));
  const std::string read = section_of(page_of({{"title", "t"}}, sections), 0, 24);
  EXPECT_EQ(read[1], 2);
  double real = 0;
  std::memcpy(&real, read.data() + 16, 8);
  EXPECT_EQ(real, -2);
}

/// Sizes that need each padding of base64, in more than one section.
TEST(Page, HasBlocksWhereTheyWerePut) {
  Random random(9);
  Sections sections;
  std::vector<std::pair<Sections::Place, std::vector<std::byte>>> blocks;
  std::vector<std::size_t> sizes;
  for (int n = 0; n < 40; ++n) {
    std::vector<std::byte> block(static_cast<std::size_t>(random.integer(1, 50'000)));
    for (std::byte& byte : block) byte = static_cast<std::byte>(random.integer(0, 255));
    const Sections::Place place = sections.add_block(block);
    sizes.resize(static_cast<std::size_t>(place.section) + 1);
    sizes.back() = static_cast<std::size_t>(place.offset) + block.size();
    blocks.emplace_back(place, std::move(block));
  }
  EXPECT_GT(sizes.size(), 2U);
  const std::string page = page_of({{"title", "t"}}, sections);
  std::vector<std::string> read;
  for (std::size_t section = 1; section < sizes.size(); ++section)
    read.push_back(section_of(page, static_cast<int>(section), sizes[section]));
  for (const auto& [place, block] : blocks) {
    const char* const at = read[static_cast<std::size_t>(place.section) - 1].data() + place.offset;
    EXPECT_EQ(std::memcmp(at, block.data(), block.size()), 0);
  }
}

TEST(Page, EscapesNames) {
  const std::string name = "</script><script>alert(1)</script> & \"x\"";
  const std::string page = page_of({{"title", name}, {"problem", name}}, {});
  EXPECT_EQ(between(page, "<title>", "</title>"),
            "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; \"x\"");
  const std::string facts = between(page, "id=\"facts\">", "</script>");
  EXPECT_EQ(nlohmann::json::parse(facts).at("problem"), name);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
}

}  // namespace
}  // namespace foretile::page_test
