// SPDX-License-Identifier: BSD-3-Clause
// What a worker does for an addition of a sum.
#pragma once

#include <functional>

#include "executor/backends/host_store.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Adds tile by tile, wherever it is called; places in memory are taken now, and C that is not there yet gets
/// its memory. The tiles and `contraction` must stay until it was called.
std::function<void()> combine_job(const Contraction& contraction, HostStore& host, const Combine& combine);

}  // namespace foretile
