// SPDX-License-Identifier: BSD-3-Clause
// Is the memory there that the ranks of a node need?
#pragma once

#include <cstdint>
#include <string_view>

namespace foretile {

/// Bytes that this node could still give to programs.
std::int64_t available_memory_bytes();

/// Throws InputError, which ends with `advice`, when ranks of at most `rank_bytes` each need more than
/// `available`.
void require_free_memory(std::int64_t rank_bytes, int ranks_on_node, std::int64_t available,
                         std::string_view advice);

}  // namespace foretile
