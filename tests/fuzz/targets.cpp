// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"

namespace foretile::fuzz {

namespace {

constexpr std::array<Target, 13> all = {{{"command_line", parse_command_line},
                                         {"history", parse_history},
                                         {"matrix_market", parse_matrix_market_file},
                                         {"npy", parse_npy},
                                         {"plan", parse_plan},
                                         {"platform", parse_platform_file},
                                         {"problem", parse_problem},
                                         {"program", parse_program_text},
                                         {"program_plan", parse_program_plan},
                                         {"quantity", parse_quantities},
                                         {"settings", parse_settings},
                                         {"space", parse_space_file},
                                         {"xyz", parse_xyz_file}}};

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

/// Bytes of the UTF-8 sequence that starts with `lead`; 0 when none does.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(static_cast<unsigned char>(text.front()));
    if (length == 0 || length > text.size()) return false;
    const std::string_view rest = text.substr(1, length - 1);
    if (!std::all_of(rest.begin(), rest.end(), [](char c) { return (c & 0xc0) == 0x80; })) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

std::span<const Target> targets() {
  return all;
}

const Target& find_target(std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Target& t) { return t.name == name; });
  if (found != all.end()) return *found;
  std::string names;
  for (const Target& target : all) names += fmt::format(" {}", target.name);
  throw std::invalid_argument(fmt::format("found target '{}', expected one of{}", name, names));
}

void expect_readable(std::string_view message) {
  const auto fail = [&](std::string_view why) { throw Broken(fmt::format("{}: {}", why, message)); };
  if (message.empty()) fail("no message");
  if (message.size() > max_message_bytes) fail("a message too long");
  if (std::any_of(message.begin(), message.end(), is_control)) fail("control characters in a message");
  if (!is_utf8(message)) fail("a message that is not UTF-8");
}

void expect_same(std::string_view first, std::string_view second) {
  if (first != second) throw Broken(fmt::format("read again, it differs:\n{}\n---\n{}", first, second));
}

void run(const Target& target, std::string_view text) {
  try {
    target.parse(text);
  } catch (const InputError& error) {
    expect_readable(error.what());
  }
}

}  // namespace foretile::fuzz
