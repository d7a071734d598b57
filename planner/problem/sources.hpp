// Where the numbers of A and B come from: part of the problem, not of the strategy.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretile {

enum class Source : std::uint8_t {
  given,  ///< in host memory of the rank that owns the tile, before the work starts
  made    ///< made by the rank that uses the tile, when it uses it
};

/// As in problem files: "given" or "made".
constexpr std::string_view name_of(Source source) {
  return source == Source::given ? "given" : "made";
}

/// The sources of the two input matrices.
struct Sources {
  Source a = Source::given;
  Source b = Source::given;

  friend bool operator==(const Sources&, const Sources&) = default;
};

}  // namespace foretile
