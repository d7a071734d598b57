// SPDX-License-Identifier: BSD-3-Clause
// What a planned program sends, term by term.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/program/program_plan.hpp"

namespace foretile {

struct SentBytes {
  std::int64_t all = 0, between_nodes = 0;

  SentBytes& operator+=(const SentBytes& other) {
    all += other.all;
    between_nodes += other.between_nodes;
    return *this;
  }
};

/// Bytes of messages for one term.
struct TermTraffic {
  SentBytes a, b,  ///< tiles of its operands
      c;           ///< tiles of C, to be added to the result; of a term with one operand what it copies

  SentBytes all() const { return SentBytes(a) += SentBytes(b) += c; }
};

/// By term of the program. A tile of a tensor that goes to a rank for several terms of a step counts for the
/// first.
std::vector<TermTraffic> traffic_of_terms(const ProgramPlan& plan, std::size_t terms);

}  // namespace foretile
