// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where the nodes of a job are in the fabric.
#pragma once

#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// Of one node. Leaves are numbered through all groups.
struct NodePlace {
  int group = 0;  ///< from 0
  int leaf = 0;   ///< leaf switch, from 0
};

/// Of the first `nodes` nodes of a job, by Fabric::placement:
///  - "packed": groups, and leaves in them, are filled one after the other,
///  - "scattered": node after node in the next group, and there at the next leaf,
///  - "0 0 3 1/2": the group of each node, or its group and the leaf in it; without a leaf, those of a group
///    fill it leaf by leaf.
/// Throws InputError where a list has too few nodes, or more in a group or at a leaf than it holds.
std::vector<NodePlace> node_places(const Platform& platform, int nodes);

/// Groups of the whole machine, at least 1.
int groups_of(const Platform& platform);

/// Switches that a message passes between two nodes (at least 1):
/// one at the same leaf. In the same group two in a dragonfly, whose groups are switches that all see each
/// other, else three (leaf, spine, leaf). Between groups four in a dragonfly (both nodes' and those at either
/// end of the link; Kim et al., ISCA 2008, doi 10.1109/ISCA.2008.19, section 3) and a dragonfly+ (leaf,
/// spine, spine, leaf; Shpiner et al., HiPINEB 2017, doi 10.1109/HiPINEB.2017.11), five in a fat tree.
int switches_between(const Fabric& fabric, const NodePlace& from, const NodePlace& to);

/// Bytes per second between two groups, per direction; 0 never limits. With adaptive routing messages also go
/// by a third group and take two links there, so that of G groups' pairs (G - 2) / 2 more are of use.
double bytes_per_s_between_groups(const Platform& platform);

}  // namespace foretile
