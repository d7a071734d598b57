// SPDX-License-Identifier: BSD-3-Clause
// How well the figures of a platform are known, and which were neither measured nor published.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// The keys, as files spell them, whose comment in the text has the word "guess", as platform files mark
/// them; of an estimated platform all but numbers, memory sizes and what --set gave.
std::vector<std::string> guessed_keys(const Platform& platform);

/// Whether a figure of [power] is one of them.
bool power_is_guessed(const Platform& platform);

/// How well a figure is known, as the comment behind its value says: the word "guess", else the first of the
/// others.
enum class FigureKind : std::uint8_t {
  measured,  ///< on the machine, or on one with the same part
  nominal,   ///< of the vendor or the site
  derived,   ///< from other figures
  guess,     ///< without a source, or from memory
  unmarked   ///< the comment has none of these words
};

/// All of FigureKind, in its order.
inline constexpr std::array kFigureKinds = {FigureKind::measured, FigureKind::nominal, FigureKind::derived,
                                            FigureKind::guess, FigureKind::unmarked};

/// "measured", ... "unmarked".
std::string_view name_of(FigureKind kind);

/// The figures that the text has, by their keys, in the order of all keys. Names, counts, choices and costs
/// of software are there only where their comment has a kind. Of an estimated platform guessed_keys() tells.
std::vector<std::pair<std::string, FigureKind>> figure_kinds(const Platform& platform);

/// A platform's text after --set, which has no comments, with the kinds of figures that `before` has. What
/// `settings` give has none.
std::string with_marked_kinds(const std::string& text, const std::string& before, bool estimated,
                              const std::vector<std::string>& settings);

}  // namespace foretile
