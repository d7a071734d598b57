// SPDX-License-Identifier: BSD-3-Clause
// When the steps of a program begin, and what is then in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/program/join_steps.hpp"

namespace foretile {

/// Sets PlanFrame::open_from of the joined plan: with ProgramMode::levels each step opens when all before it
/// are over on all ranks, where tiles flow as early as memory allows. Sets device_message_bytes, at first the
/// most that there may be, to what is needed. Returns by step the bytes of host memory of the rank with most
/// while it and those that are open with it run. Throws DoesNotFit.
std::vector<std::int64_t> open_steps(JoinedSteps& joined, const FusedProgram& program,
                                     const ProgramDistribution& distribution, const Machine& machine,
                                     ProgramMode mode);

/// Of a plan of one step: with so many times what it needs beside tensors.
HostBytes bytes_of_step(const JoinedSteps& joined, const Machine& machine, int times);

}  // namespace foretile
