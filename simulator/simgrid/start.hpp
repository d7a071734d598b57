// SPDX-License-Identifier: BSD-3-Clause
// SimGrid's engine with the options of a simulation.
#pragma once

#include <memory>
#include <simgrid/s4u.hpp>

namespace foretile {

/// CM02 is the plain fluid model. The factors undo what SimGrid adds for TCP over the internet (its default
/// LV08 multiplies latency by 13.01 and bandwidth by 0.97). SimGrid's log and signal handlers are off.
/// Where it aborts, for want of memory or by a failed assertion, the process prints one line with SimGrid's
/// message and ends with exit code 1. SimGrid has one engine per process: the second call throws InputError.
std::unique_ptr<simgrid::s4u::Engine> start_simgrid();

/// Whether that was called.
bool simgrid_is_started();

}  // namespace foretile
