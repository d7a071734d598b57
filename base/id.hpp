// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Whole numbers that must not be mixed up: ranks, devices, steps.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <limits>

namespace foretile {

/// A number with a meaning. A literal or constant becomes one as it stands; any other number needs of(), so
/// that a device is never taken for a rank. Reading it as an int needs nothing, so that it can index and be
/// compared.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  /// From a literal or constant, as it stands.
  template <std::same_as<int> Literal>                 // no other Id
  consteval Id(Literal literal) : number_(literal) {}  // NOLINT(google-explicit-constructor)

  /// From any whole number, which must fit 32 bits.
  template <std::integral Number>
  static constexpr Id of(Number number) {
    Id id;
    id.number_ = static_cast<int>(number);
    return id;
  }

  /// The number, to index and to compare.
  constexpr operator int() const { return number_; }  // NOLINT(google-explicit-constructor)
  /// The next number.
  constexpr Id& operator++() {
    ++number_;
    return *this;
  }

  /// For nlohmann's JSON.
  template <class Json>
  friend void to_json(Json& json, Id id) {
    json = id.number_;
  }

 private:
  int number_ = 0;
};

/// A process of the job, from 0.
using Rank = Id<struct RankTag>;
/// A device of its rank, from 0.
using Device = Id<struct DeviceTag>;
/// A step of the control edges, common to all ranks, from 0 (planner/plan/plan.hpp, Barriers).
using Step = Id<struct StepTag>;

/// Behind every step.
inline constexpr Step kEver = Step::of(std::numeric_limits<int>::max());

}  // namespace foretile

/// @cond  fmt prints the number as an int
template <class Tag>
struct fmt::formatter<foretile::Id<Tag>> : fmt::formatter<int> {
  template <class Context>
  auto format(foretile::Id<Tag> id, Context& context) const {
    return fmt::formatter<int>::format(static_cast<int>(id), context);
  }
};
/// @endcond
