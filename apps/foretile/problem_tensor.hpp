// SPDX-License-Identifier: BSD-3-Clause
// foretile problem tensor: one product of two tensors, fused to matrices.
#pragma once

#include <CLI/CLI.hpp>

namespace foretile {

/// Adds the kind to `foretile problem`.
void add_tensor(CLI::App& group);

}  // namespace foretile
