// Where the numbers of A and B come from: part of the problem, not of the strategy.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretile {

enum class Source : std::uint8_t {
  given,    ///< in host memory of the rank that owns the tile, before the work starts
  made,     ///< made by the rank that uses the tile, when it uses it
  in_file,  ///< in a file, read through a window of bounded size. No plan uses it yet
  produced  ///< C of an earlier term of the plan. No plan uses it yet
};

/// As in problem files, which know the first two: "given", "made", "in a file", "produced".
constexpr std::string_view name_of(Source source) {
  switch (source) {
    case Source::given:
      return "given";
    case Source::made:
      return "made";
    case Source::in_file:
      return "in a file";
    case Source::produced:
      return "produced";
  }
  return "unknown";
}

/// The sources of the two input matrices.
struct Sources {
  Source a = Source::given;
  Source b = Source::given;

  friend bool operator==(const Sources&, const Sources&) = default;
};

}  // namespace foretile
