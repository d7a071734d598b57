// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The parts of a node and the links between them, and which links bytes pass.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// A part of a node.
struct NodePart {
  /// What it is.
  enum class Kind : std::uint8_t {
    host,    ///< memory and cores of one socket (NUMA domain)
    device,  ///< a GPU
    card,    ///< a network card; nothing passes it on the way to another part
    hub      ///< a switch
  };
  Kind kind = Kind::host;  ///< what it is
  int number = 0;          ///< among those of its kind, from 0

  /// As a file names it: "host0", "gpu3", "card1"; hubs have names of their own.
  friend auto operator<=>(const NodePart&, const NodePart&) = default;
};

/// Two parts that a link joins.
struct PartPair {
  NodePart first,  ///< a link's own direction starts here
      second;      ///< and ends here
};

/// What `LinkTable::between` says, item by item, items separated by blanks:
///  - "gpu0-gpu1": one link,
///  - "gpu0..3-nvswitch": each of the range with the one part; "host0..1-gpu0..7": the longer side is divided
///    in equal, consecutive parts, so host0 with gpu0 to gpu3 and host1 with gpu4 to gpu7,
///  - "gpu0..3": each pair of the range.
/// Parts are host, gpu and card with a number below the node's count; every other word that begins with a
/// letter is a switch, which gets the next number in `hubs`. Throws InputError that names `where`.
std::vector<PartPair> parse_between(std::string_view between, const Platform& platform,
                                    std::vector<std::string>& hubs, const std::string& where);

/// What several flows of a node share, and the links between its parts. Directions are links of their own.
/// Made from [link.*] tables, or from the figures that are alike for all devices (NodeLinks).
class NodeGraph {
 public:
  /// Number of something that flows share, within the node.
  using Shared = std::int32_t;

  /// From one part to another.
  struct Path {
    std::vector<Shared> shared;  ///< in the order in which bytes pass them
    double latency_s = 0;        ///< sum of its links'
    double bytes_per_s = 0;      ///< of the slowest; 0: nothing limits
    int links = 0;               ///< number of links on the way, limited or not
    bool found = false;          ///< whether any way leads there
    bool by_host = false;        ///< whether it passes a host on its way
  };

  /// Throws InputError where a table is wrong. Without tables there may be more devices than the platform
  /// has: they are on the last socket.
  explicit NodeGraph(const Platform& platform, int least_devices = 0);

  /// By Shared: bytes/s; 0 never limits.
  const std::vector<double>& capacities() const { return capacities_; }
  /// Least hops, where passing a GPU counts half a hop more than a switch or a host; of those the widest. The
  /// memory of a host counts where the path starts or ends there. A card's own link is not counted: it is the
  /// card's bandwidth.
  const Path& path(NodePart from, NodePart to) const;
  /// Bytes per second of all links that lead into a device, or out of it; 0: one of them never limits.
  double into_device(int device) const;

 private:
  struct Link {
    int from = 0, to = 0;  // vertices
    int table = 0;
    Shared forward = 0, back = 0, both = 0;
  };
  struct Hop {
    int link = 0;
    bool back = false;
  };
  struct OfTable {
    Shared all = 0, all_back = 0, all_both = 0;
    double latency_s = 0;
  };

  int vertex(NodePart part) const;
  NodePart part(int vertex) const;
  Shared shared(double bytes_per_s);
  void add_table(const LinkTable& table, const std::vector<PartPair>& pairs);
  void add_uniform_tables(const Platform& platform);
  double width(const Hop& hop) const;
  Path make_path(int from, int to) const;
  const Path& many_paths(int from, int to) const;
  std::vector<Hop> shortest(int from, int to) const;
  void add_hop(Path& path, const Hop& hop) const;
  void pass(Path& path, Shared shared) const;

  int hosts_ = 0, devices_ = 0, cards_ = 0, hubs_ = 0;
  std::vector<double> capacities_;
  std::vector<Link> links_;
  std::vector<std::vector<Hop>> hops_;  // out of each vertex
  std::vector<OfTable> tables_;
  Shared first_host_ = 0;  // memory, down, up of each
  // Those that were asked for, by first and last vertex; a map where a node has many parts.
  mutable std::vector<std::optional<Path>> few_paths_;
  mutable std::map<std::pair<int, int>, Path> paths_;
};

/// Fills the figures of NodeLinks from the tables, where there are any: the best that some device reaches.
void summarize_links(Platform& platform);

/// Throws InputError where a table names parts that are not there, a part that needs one has no link, or
/// hosts are not numbered in the order of their GPUs. `where`: "file:line: key" of a key.
void check_links(const Platform& platform, const std::function<std::string(std::string_view)>& where);

}  // namespace foretile
