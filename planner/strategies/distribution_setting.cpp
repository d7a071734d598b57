// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/distribution_setting.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"

namespace foretile {

namespace {

constexpr std::string_view kTable = "table:";
constexpr std::string_view kBlanks = " \t\r";

struct Table {
  std::string path, digest;  // no digest: any
};

/// A file's name may have a # itself.
Table parts_of(const std::string& text) {
  constexpr std::size_t kDigits = 16;
  const std::string path = text.substr(kTable.size());
  const std::size_t mark = path.size() - std::min(path.size(), kDigits + 1);
  if (mark == 0 || path[mark] != '#' ||
      path.find_first_not_of("0123456789abcdef", mark + 1) != std::string::npos)
    return {path, {}};
  return {path.substr(0, mark), path.substr(mark + 1)};
}

class TableText {
 public:
  TableText(const std::string& path, TileId tiles, int ranks) : path_(path), tiles_(tiles), ranks_(ranks) {}

  std::vector<Rank> owners(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      ++line_;
      add_line(text.substr(at, end - at));
      at = end + 1;
    }
    if (std::ssize(owners_) != tiles_) refuse_count(fmt::format("{} ranks", owners_.size()));
    return std::move(owners_);
  }

 private:
  void add_line(std::string_view line) {
    line = line.substr(0, line.find('#'));
    for (std::size_t at = line.find_first_not_of(kBlanks); at != std::string_view::npos;
         at = line.find_first_not_of(kBlanks, at)) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      add_word(line.substr(at, end - at));
      at = end;
    }
  }

  void add_word(std::string_view word) {
    int rank = -1;
    const auto [read, error] = std::from_chars(word.data(), word.data() + word.size(), rank);
    if (error != std::errc() || read != word.data() + word.size() || rank < 0 || rank >= ranks_)
      throw input_error(fmt::format("{}, line {}", path_, line_), word,
                        fmt::format("a rank from 0 to {}", ranks_ - 1),
                        "give the number of the rank that has the tile");
    if (std::ssize(owners_) == tiles_) refuse_count(fmt::format("more than {} ranks", tiles_));
    owners_.push_back(Rank::of(rank));
  }

  [[noreturn]] void refuse_count(const std::string& found) const {
    throw input_error(path_, found, fmt::format("{}, one for each nonzero tile", tiles_),
                      "is it the table of this matrix and tiling?");
  }

  std::string path_;
  TileId tiles_;
  int ranks_;
  std::size_t line_ = 0;
  std::vector<Rank> owners_;
};

}  // namespace

Spelling spelled_distribution() {
  return [](std::string_view where, const std::string& text) {
    if (text == "contiguous" || text == "cyclic" || (text.starts_with(kTable) && text.size() > kTable.size()))
      return text;
    throw input_error(where, text.empty() ? "nothing" : text, "one of contiguous, cyclic, table:FILE");
  };
}

GivenDistribution distribution_setting(const std::string& text, const Shape& shape, int ranks) {
  if (text == "cyclic") return {{DistributionKind::cyclic, {}}, text};
  if (text == "contiguous") return {{DistributionKind::contiguous, {}}, text};
  const Table table = parts_of(text);
  const std::string content = read_text(table.path);
  const std::string found = digest(content);
  if (!table.digest.empty() && found != table.digest)
    throw input_error(table.path, fmt::format("a table with digest {}", found),
                      fmt::format("{}, as when the plan was made", table.digest),
                      "bring that table back, or plan again");
  return {{DistributionKind::table, TableText(table.path, shape.nonzeros(), ranks).owners(content)},
          fmt::format("{}{}#{}", kTable, std::filesystem::absolute(table.path).lexically_normal().string(),
                      found)};
}

std::optional<std::string> table_of(const std::string& text) {
  if (!text.starts_with(kTable)) return std::nullopt;
  return parts_of(text).path;
}

}  // namespace foretile
