// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Numbers of a report page: compressed, in base64 (report/README.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace foretile {

/// Collects bytes in sections, each of which a browser decompresses alone.
class Sections {
 public:
  /// Where bytes are.
  struct Place {
    int section = 0;
    std::int64_t offset = 0;  ///< in the uncompressed section
  };

  Sections();

  /// Adds numbers to the first section, which the page reads at once. Returns what facts name it by.
  template <class Number>
  nlohmann::ordered_json add(const std::vector<Number>& numbers) {
    return described(as_bytes(std::span(numbers)), type_of<Number>(), numbers.size());
  }
  /// Adds bytes to the last section, which is read where it is needed; a full one is followed by another.
  Place add_block(std::span<const std::byte> bytes);

  /// Writes all as elements of script.
  void write(std::ostream& out) const;

 private:
  template <class Number>
  static constexpr std::string_view type_of() {
    if constexpr (std::is_same_v<Number, std::uint8_t>) return "u8";
    if constexpr (std::is_same_v<Number, std::int32_t>) return "i32";
    if constexpr (std::is_same_v<Number, float>) return "f32";
    if constexpr (std::is_same_v<Number, double>) return "f64";
  }
  nlohmann::ordered_json described(std::span<const std::byte> bytes, std::string_view type,
                                   std::size_t count);

  std::vector<std::vector<std::byte>> sections_;
};

}  // namespace foretile
