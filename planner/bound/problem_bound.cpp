// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "planner/bound/bound.hpp"
#include "platforms/cost/copy.hpp"
#include "platforms/cost/generation.hpp"
#include "platforms/cost/message.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

namespace {

/// What all devices have to do together, and the longest that one of them has to do alone.
struct Needs {
  double products_s = 0;
  double most_products_s = 0;  // of those to whom one part of C is distributed
  std::int64_t messages = 0;   // tiles that are sent, and received, at least
  double generated_bytes = 0;
  double host_bytes = 0;  // to be copied to a device that has them from the host
  double stored_bytes = 0;
  double manager_s = 0;
  double longest_c_s = 0;      // all products of a tile of C, which are one device's
  double longest_piece_s = 0;  // one product, from its tile of B until its tile of C is written back
  double gpus_of_cores =
      0;  // as fast as so many GPUs are a rank's cores, with the product that suits them most
};

class ProblemNeeds {
 public:
  ProblemNeeds(const Contraction& p, const Machine& machine, const Sources& sources,
               const DistributionOfC& distribution)
      : p_(p),
        platform_(machine.platform),
        sources_(sources),
        distribution_(distribution),
        least_(machine, p.element(), kAnyBatch),
        gpu_(platform_.has_device_memory()),
        on_devices_(machine.receives_on_devices()),
        generation_(machine, p.sources.b == Source::in_file),
        a_used_(p.a.nonzeros(), 0),
        b_row_(p.b.nonzeros(), -1),
        row_(p.n.tiles()),
        part_s_(distribution.columns, 0.0),
        used_by_(distribution.columns, -1) {
    if (distribution.cores_beside > 0)
      cores_.emplace(machine, p.element(), kAnyBatch, DeviceKind::core, distribution.cores_beside);
  }

  Needs count() {
    // Rows of one row of ranks follow each other, so that a tile of B is counted once for each.
    for (std::int32_t of = 0; of < std::min(distribution_.rows, p_.m.tiles()); ++of) {
      for (std::int32_t i = of; i < p_.m.tiles(); i += distribution_.rows) count_row(i);
      needs_.most_products_s =
          std::max(needs_.most_products_s, *std::max_element(part_s_.begin(), part_s_.end()));
      std::fill(part_s_.begin(), part_s_.end(), 0.0);
    }
    add_a();
    return needs_;
  }

 private:
  static constexpr int kAnyBatch = 1 << 30;

  /// Of a tile of C in the row at hand.
  struct TileOfC {
    bool kept = false;
    std::int64_t products = 0;
    double seconds = 0;
    double piece_s = 0;
  };

  void count_row(std::int32_t i) {
    for (const std::int32_t j : p_.c.row(i)) row_[j] = {true, 0, 0, 0};
    const TileId first = p_.a.first(i);
    const auto ks = p_.a.row(i);
    for (std::size_t e = 0; e < ks.size(); ++e) {
      const TileId a = first + static_cast<TileId>(e);
      if (count_tile(i, ks[e], a)) a_used_[a] = 1;
    }
    for (const std::int32_t j : p_.c.row(i)) {
      add_c(p_.element_bytes() * p_.m.size(i) * p_.n.size(j), row_[j]);
      part_s_[j % distribution_.columns] += row_[j].seconds;
      row_[j].kept = false;
    }
  }

  /// All products of A_ik; whether there are any.
  bool count_tile(std::int32_t i, std::int32_t k, TileId a) {
    const TileId first = p_.b.first(k);
    const auto columns = p_.b.row(k);
    bool any = false;
    for (std::size_t e = 0; e < columns.size(); ++e) {
      TileOfC& c = row_[columns[e]];
      if (!c.kept) continue;
      const double work_s = least_.work(p_.m.size(i), p_.n.size(columns[e]), p_.k.size(k));
      if (cores_) {
        const double on_cores_s = cores_->work(p_.m.size(i), p_.n.size(columns[e]), p_.k.size(k));
        needs_.gpus_of_cores = std::max(needs_.gpus_of_cores, work_s / on_cores_s);
      }
      const TileId b = first + static_cast<TileId>(e);
      add_use_of_a(a, columns[e] % distribution_.columns, !any);
      any = true;
      const std::int32_t before = std::exchange(b_row_[b], i % distribution_.rows);
      if (before != i % distribution_.rows) add_b(b, before < 0);
      ++c.products;
      c.seconds += work_s;
      c.piece_s = std::max(c.piece_s, work_s + until_here_s(b));
    }
    return any;
  }

  /// Until a tile of B is on a device.
  double until_here_s(TileId b) const {
    const bool made = comes_where_used(sources_.b);
    const std::int64_t bytes = p_.b_bytes(b);
    if (made && generation_.on_device()) return generation_.device_s(static_cast<double>(bytes));
    const double seconds = made ? generation_.tile_s(bytes, p_.element_bytes()) : 0.0;
    if (!gpu_) return seconds;
    const NodeLinks& links = platform_.links;
    const double latency_s = on_devices_ ? std::min(links.host_to_device.latency_s, links.peer.latency_s)
                                         : links.host_to_device.latency_s;
    return seconds + platform_.runtime.copy_overhead_s + latency_s;
  }

  void add_c(std::int64_t bytes, const TileOfC& c) {
    if (c.products == 0) return;
    needs_.products_s += c.seconds;
    needs_.stored_bytes += static_cast<double>(bytes);
    needs_.manager_s += platform_.runtime.copy_overhead_s;
    const double store_s = store_seconds(platform_, gpu_, bytes);
    needs_.longest_c_s = std::max(needs_.longest_c_s, c.seconds + store_s);
    needs_.longest_piece_s = std::max(needs_.longest_piece_s, c.piece_s + store_s);
    if (gpu_ && p_.reads_c() && !distribution_.partial_sums) add_load(bytes, HostTile::array);
  }

  /// Every tile that is used comes to a device once at least.
  void add_a() {
    for (TileId a = 0; a < p_.a.nonzeros(); ++a) {
      if (a_used_[a] && gpu_) add_given(p_.a_bytes(a));
    }
  }

  void add_use_of_a(TileId a, std::int32_t column, bool first) {
    if (std::exchange(used_by_[column], a) != a && !first && sources_.a == Source::given) ++needs_.messages;
  }

  /// For a row of ranks; `first`: of those that need it.
  void add_b(TileId b, bool first) {
    const bool made = comes_where_used(sources_.b);
    if (!made && !first) ++needs_.messages;
    if (made) needs_.generated_bytes += static_cast<double>(p_.b_bytes(b));
    if (!gpu_ || (made && generation_.on_device())) return;
    if (made) {
      add_load(p_.b_bytes(b), HostTile::generated);
    } else {
      add_given(p_.b_bytes(b));
    }
  }

  /// Of a given tile, which may come to a device from another rank.
  void add_given(std::int64_t bytes) {
    if (on_devices_) {
      needs_.manager_s += platform_.runtime.copy_overhead_s;
    } else {
      add_load(bytes, HostTile::array);
    }
  }

  /// `from`: where a copy keeps the device's manager; HostTile::array: it may come from memory that keeps
  /// none.
  void add_load(std::int64_t bytes, HostTile from) {
    const CopyCost cost = copy_in_cost(platform_, from, bytes);
    needs_.manager_s += cost.software_s;
    if (from != HostTile::array) needs_.manager_s += cost.blocked_s;
    if (!platform_.runtime.unpinned.any()) needs_.host_bytes += static_cast<double>(bytes);
  }

  const Contraction& p_;
  const Platform& platform_;
  Sources sources_;
  DistributionOfC distribution_;
  LeastTimes least_;
  std::optional<LeastTimes> cores_;
  bool gpu_;
  bool on_devices_;  // tiles may come to devices in messages
  GenerationTimes generation_;
  std::vector<char> a_used_;
  std::vector<std::int32_t> b_row_;  // by tile: the last row of ranks that needs it
  std::vector<TileOfC> row_;         // by column
  std::vector<double> part_s_;       // of products, by column of ranks, in the row of ranks at hand
  std::vector<TileId> used_by_;      // by column of ranks: the last tile of A that it needs
  Needs needs_;
};

}  // namespace

Bound problem_bound(const Contraction& contraction, const Machine& machine, const Sources& sources,
                    const DistributionOfC& distribution) {
  const Platform& p = machine.platform;
  const Needs needs = ProblemNeeds(contraction, machine, sources, distribution).count();
  Bound bound;
  const auto add = [&bound](double seconds, const char* limit, const BoundWork& work) {
    if (seconds > bound.seconds) bound = {seconds, limit, work};
  };
  const BoundWork products{.products = true};
  const BoundWork generation{.generation = true};
  const BoundWork copies{.copies = true};
  const double devices = machine.ranks * (machine.devices_per_rank + needs.gpus_of_cores);
  const bool distributed = distribution.rows > 1 || distribution.columns > 1;
  if (distributed) {
    const int sharing =
        std::max(1, machine.ranks / (distribution.rows * distribution.columns));  // ranks, one part of C
    add(needs.most_products_s / (sharing * (machine.devices_per_rank + needs.gpus_of_cores)),
        "products of a rank or row of ranks, as they are distributed", products);
    add(2 * message_software_s(p, static_cast<std::size_t>(needs.messages)) / machine.ranks,
        "software cost of the messages of all ranks", {.messages = true});
  }
  const double sockets = 1.0 * machine.nodes() * p.sockets;
  const bool with_cores = distribution.cores_beside > 0;  // to which nothing need be copied
  if (!distribution.partial_sums && !with_cores)
    add(needs.longest_c_s, "the products of one tile of C", {.products = true, .copies = true});
  if (!with_cores)
    add(needs.longest_piece_s, "one product with its tiles",
        {.products = true, .generation = true, .copies = true});
  const GenerationTimes making(machine, contraction.sources.b == Source::in_file);
  const double generation_s = making.core_s(needs.generated_bytes);
  add(making.file_s(needs.generated_bytes, machine.nodes()), "reading on all nodes", generation);
  if (p.device.kind == DeviceKind::core) {
    const double cores = 1.0 * machine.nodes() * p.cores_per_node();
    add((generation_s + p.solo_speedup * needs.products_s) / cores, "products and generation on all cores",
        {.products = true, .generation = true});
    add(needs.products_s / devices, "products on all devices", products);
    add(needs.manager_s / devices, "copies of all devices", copies);
    return bound;
  }
  add(needs.products_s / devices, "products on all devices", products);
  if (!with_cores) add(needs.manager_s / devices, "copies of all devices", copies);
  if (!making.on_device())
    add(generation_s / (1.0 * machine.ranks * machine.cores_per_rank()), "generation on all cores",
        generation);
  if (with_cores || !p.has_device_memory()) return bound;
  if (making.on_device())
    add(making.device_s(needs.generated_bytes) / devices, "generation on all devices", generation);
  add(host_to_device_s(p, needs.host_bytes, devices), "loads of all devices", copies);
  add(socket_copies_s(p, needs.host_bytes, sockets), "loads of all sockets", copies);
  add(device_to_host_s(p, needs.stored_bytes, devices), "stores of all devices", copies);
  add(host_memory_s(p, needs.host_bytes + needs.stored_bytes, sockets), "host memory", copies);
  return bound;
}

}  // namespace foretile
