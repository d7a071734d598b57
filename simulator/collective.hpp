// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// How long a collective operation takes on a machine: messages alone, without a plan of products.
#pragma once

#include <cstdint>

#include "platforms/machine.hpp"
#include "simulator/collective_plan.hpp"

namespace foretile {

/// What a collective operation took.
struct CollectiveTime {
  double seconds = 0;         ///< of the slowest rank
  std::int64_t messages = 0;  ///< of all ranks
  std::int64_t bytes = 0;     ///< of all messages
};

/// Each rank of the machine has its steps in the plan, and all begin at once. A message takes the links of
/// MachineLinks::message(), from and to host memory, or with Platform::messages = "device" those of the
/// ranks' first GPUs. A rank starts its messages Network::gap_s apart.
///
/// Below Network::rendezvous_bytes a message from host memory is copied into a buffer and out of it, and its
/// send is over after the first copy. From there on it is not copied, but the receiver first asks for it: the
/// notice and the request take a latency between hosts each. (Eager and rendezvous protocols: Open UCX
/// documentation, "FAQ: Protocols".) One core copies at the rate of messages inside a node
/// (NodeLinks::message), and adds at Platform::addition_bytes_per_s_per_core, or where that is not known at
/// the same rate.
CollectiveTime simulate_collective(const CollectivePlan& plan, const Machine& machine,
                                   std::uint64_t noise_seed = 1);

}  // namespace foretile
