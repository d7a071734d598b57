// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers in as few bytes as they need: LEB128, seven bits a byte, the last one without its high bit
// (DWARF Debugging Information Format 5, 2017, section 7.6). The page reads them in
// report/page/src/varint.ts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretile {

inline void put_varint(std::vector<std::byte>& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to.push_back(static_cast<std::byte>((number & 0x7f) | 0x80));
  to.push_back(static_cast<std::byte>(number));
}

/// Small whether negative or not: 0, -1, 1, -2 become 0, 1, 2, 3.
inline void put_signed(std::vector<std::byte>& to, std::int64_t number) {
  put_varint(to, (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63));
}

/// Reads what put_varint() and put_signed() wrote, from `bytes`, which get shorter.
inline std::uint64_t take_varint(std::span<const std::byte>& bytes) {
  std::uint64_t number = 0;
  for (int shift = 0;; shift += 7) {
    const auto byte = std::to_integer<std::uint64_t>(bytes.front());
    bytes = bytes.subspan(1);
    number |= (byte & 0x7f) << shift;
    if (byte < 0x80) return number;
  }
}

inline std::int64_t take_signed(std::span<const std::byte>& bytes) {
  const std::uint64_t number = take_varint(bytes);
  return static_cast<std::int64_t>(number >> 1) ^ -static_cast<std::int64_t>(number & 1);
}

}  // namespace foretile
