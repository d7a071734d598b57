// SPDX-License-Identifier: BSD-3-Clause
// Intermediates that are never whole.
#pragma once

#include "planner/tensor/program.hpp"

namespace foretile {

/// The program with each on-demand intermediate as so many tensors, X~1, X~2, ... (TensorSlice): each has
/// some blocks of X, and terms of its own that write it and read it, TERM~1, TERM~2, ... A slice is written
/// while the one before it is read, when all that read the one before that are over: two are in memory.
/// Slices are cut along indices that no reader sums over, if there are such ones: then each block of a
/// reader's result is written for one slice. An intermediate that one term reads twice is not cut.
/// Throws InputError, which names --slices, for more than one where no intermediate is on demand.
Program in_slices(Program program, int slices);

}  // namespace foretile
