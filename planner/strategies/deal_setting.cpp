#include "planner/strategies/deal_setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"

namespace foretile {

namespace {

constexpr std::string_view kTable = "table:";
constexpr std::string_view kBlanks = " \t\r";

/// Ranks of one line.
void add_line(std::string_view line, const std::string& where, int ranks, std::vector<Rank>& owners) {
  line = line.substr(0, line.find('#'));
  for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
       at = line.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
    const std::string_view word = line.substr(at, end - at);
    int rank = -1;
    const auto [read, error] = std::from_chars(word.data(), word.data() + word.size(), rank);
    if (error != std::errc() || read != word.data() + word.size() || rank < 0 || rank >= ranks)
      throw input_error(where, word, fmt::format("a rank from 0 to {}", ranks - 1),
                        "give the number of the rank that has the tile");
    owners.push_back(Rank::of(rank));
    at = end;
  }
}

std::vector<Rank> read_table(const std::filesystem::path& path, TileId tiles, int ranks) {
  const std::string text = read_text(path);
  std::vector<Rank> owners;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    add_line(std::string_view(text).substr(at, end - at), fmt::format("{}, line {}", path.string(), ++number),
             ranks, owners);
    at = end + 1;
  }
  if (std::ssize(owners) != tiles)
    throw input_error(path.string(), fmt::format("{} ranks", owners.size()),
                      fmt::format("{}, one for each nonzero tile", tiles),
                      "is it the table of this matrix and tiling?");
  return owners;
}

}  // namespace

Spelling spelled_deal() {
  return [](std::string_view where, const std::string& text) {
    if (text == "contiguous" || text == "cyclic" || (text.starts_with(kTable) && text.size() > kTable.size()))
      return text;
    throw input_error(where, text.empty() ? "nothing" : text, "one of contiguous, cyclic, table:FILE");
  };
}

Distribution deal_setting(const std::string& text, const Shape& shape, int ranks) {
  if (text == "cyclic") return {Deal::cyclic, {}};
  if (text == "contiguous") return {Deal::contiguous, {}};
  return {Deal::table, read_table(text.substr(kTable.size()), shape.nonzeros(), ranks)};
}

}  // namespace foretile
