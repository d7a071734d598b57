// SPDX-License-Identifier: BSD-3-Clause
// How much each parameter matters, with all others held.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/tune.hpp"

namespace foretile {

/// All candidates that differ from this one in exactly one of the space's parameters, by the order of
/// parameters and values. It need not be in the space.
std::vector<Candidate> neighbours_of(const Candidate& candidate, const Space& space);

/// The best candidate with another value of one parameter. Where the goal is energy, seconds are joules.
struct ValueEffect {
  enum class Status {
    best,        ///< the best candidate itself
    same_plan,   ///< known to stand for its plan
    done,        ///< simulated in full, or a candidate with the same plan was
    at_least,    ///< takes `seconds` or more, which is not less than the best time
    not_tried,   ///< may be faster than the best: `seconds` is its bound, 0 when none is known
    infeasible,  ///< `message` says why
    failed       ///< likewise
  };
  std::string value;  ///< empty where the candidate lacks the parameter
  Status status = Status::not_tried;
  double seconds = 0;  ///< predicted time, or what it cannot beat; 0 when infeasible or failed
  std::string message = {};

  friend bool operator==(const ValueEffect&, const ValueEffect&) = default;
};

/// "best", "same_plan", "done", "at_least", "not_tried", "infeasible" or "failed".
std::string status_name(ValueEffect::Status status);

/// A parameter's values: by status, and from fast to slow within one.
struct ParameterEffect {
  std::string name;
  std::vector<ValueEffect> values;

  /// The longest known time, or bound of those that are not better, over the best time: at least 1. Infinite
  /// when only the best takes 0 s.
  double ratio() const;
};

/// The parameters for which a second value exists in the space or was tried with the others as in the best:
/// the largest ratio() first. Empty when nothing is done.
std::vector<ParameterEffect> effects_on_best(const TuneResult& result);

/// Neighbours of the best, each plan once, of which neither a time nor a reason against them is known.
std::vector<Candidate> unknown_neighbours(const TuneResult& result);

/// What a parameter changed elsewhere: groups of at least two done candidates that differ in nothing else,
/// the best's own group left out. A group's ratio is its longest time over its shortest.
struct Comparisons {
  std::string name;
  std::uint64_t count = 0;  ///< of groups
  double median_ratio = 1;  ///< of an even number: the larger of the two in the middle
  double largest_ratio = 1;
};

/// For each parameter with a group; by names.
std::vector<Comparisons> comparisons_elsewhere(const TuneResult& result);

}  // namespace foretile
