#include "planner/plan/graph/resource_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"

namespace foretile {

namespace {

double over(double amount, double rate) {
  return rate > 0 ? amount / rate : 0.0;
}

/// Of one device.
struct DeviceWork {
  std::int64_t copies = 0;  ///< tiles that must be copied to it and from it
  double loaded_bytes = 0;  ///< that must come from the host
  double stored_bytes = 0;
  double generated_bytes = 0;  ///< for it
  double kernel_s = 0;
};

class Bounds {
 public:
  Bounds(const Plan& plan, const Contraction& p, const Machine& machine, const CountFunction& progress)
      : plan_(plan),
        p_(p),
        machine_(machine),
        progress_(progress),
        gpu_(machine.platform.device.kind == DeviceKind::gpu),
        a_seen_(p.a.nonzeros(), -1),
        b_seen_(p.b.nonzeros(), -1),
        c_seen_(p.c.nonzeros(), -1),
        message_tiles_(plan.ranks.size(), 0),
        far_bytes_(plan.ranks.size(), 0.0),
        near_bytes_(plan.ranks.size(), 0.0) {}

  ResourceBound largest() {
    for (std::size_t r = 0; r < plan_.ranks.size(); ++r) {
      add_rank(Rank::of(r));
      for (const Transfer& broadcast : plan_.ranks[r].transfers) add_message(Rank::of(r), broadcast);
    }
    for (std::size_t r = 0; r < plan_.ranks.size(); ++r) {
      const Platform& p = machine_.platform;
      add(p.runtime.message_overhead_s * static_cast<double>(message_tiles_[r]),
          "software cost of messages of rank {}", r);
      add(over(far_bytes_[r], p.network.message.bandwidth_bytes_per_s), "messages of rank {} to other nodes",
          r);
      add(over(near_bytes_[r], p.links.message.bandwidth_bytes_per_s), "messages of rank {} in its node", r);
    }
    return largest_;
  }

 private:
  template <class... Numbers>
  void add(double seconds, const char* resource, Numbers... numbers) {
    if (seconds > largest_.seconds) largest_ = {seconds, fmt::format(fmt::runtime(resource), numbers...)};
  }

  void add_rank(Rank rank) {
    const Platform& p = machine_.platform;
    double generated_bytes = 0;
    double kernel_s = 0;
    for (std::size_t d = 0; d < plan_.ranks[rank].devices.size(); ++d) {
      const DeviceWork work = work_of(plan_.ranks[rank].devices[d]);
      generated_bytes += work.generated_bytes;
      kernel_s += work.kernel_s;
      add(p.runtime.copy_overhead_s * static_cast<double>(work.copies),
          "software cost of copies of rank {}, device {}", rank, d);
      if (!gpu_) continue;
      add(over(work.loaded_bytes, p.links.host_to_device.bandwidth_bytes_per_s),
          "loads of rank {}, device {}", rank, d);
      add(over(work.stored_bytes, p.links.device_to_host.bandwidth_bytes_per_s),
          "stores of rank {}, device {}", rank, d);
      if (makes_on_device(machine_))
        add(over(work.generated_bytes, p.generation_bytes_per_s_on_device),
            "generation on rank {}, device {}", rank, d);
    }
    if (makes_on_device(machine_)) return;
    const double generation_s = over(generated_bytes, p.generation_bytes_per_s_per_core);
    const int cores = machine_.cores_per_rank();
    if (gpu_) {
      add(generation_s / cores, "generation on the cores of rank {}", rank);
    } else {
      add((generation_s + kernel_s) / cores, "the cores of rank {}", rank);
    }
  }

  DeviceWork work_of(const DevicePlan& device) {
    DeviceWork work;
    ++device_;
    for (const Block& block : device.blocks) {
      const BlockProducts products(p_, block.columns);
      for (const Chunk& chunk : block.chunks) {
        std::int64_t count = 0;
        for_each_product(products, chunk, [&](const Product& x) {
          ++count;
          add_product(x, work);
        });
        work.kernel_s += least_launch_seconds(plan_, p_, machine_, count);
        products_seen_ += count;
        if (progress_) progress_(products_seen_);
      }
    }
    return work;
  }

  static bool first(std::vector<int>& seen, TileId tile, int device) {
    return std::exchange(seen[tile], device) != device;
  }

  void add_product(const Product& x, DeviceWork& work) {
    const OperandPlan& b = plan_.operands.b;
    work.kernel_s += least_work_seconds(plan_, p_, machine_, p_.m.size(x.i), p_.n.size(x.j), p_.k.size(x.k));
    if (first(a_seen_, x.a, device_) && gpu_) ++work.copies;
    if (first(b_seen_, x.b, device_)) {
      if (b.made()) work.generated_bytes += static_cast<double>(p_.b_bytes(x.b));
      if (gpu_ && (!b.made() || !makes_on_device(machine_))) ++work.copies;
      if (!b.streams() && !makes_on_device(machine_))
        work.loaded_bytes += static_cast<double>(p_.b_bytes(x.b));
    }
    if (!first(c_seen_, x.c, device_)) return;
    ++work.copies;
    work.stored_bytes += static_cast<double>(p_.c_bytes(x.c));
    if (!p_.reads_c() || !gpu_) return;
    ++work.copies;
    work.loaded_bytes += static_cast<double>(p_.c_bytes(x.c));
  }

  void add_message(Rank owner, const Transfer& broadcast) {
    double bytes = 0;
    for (const TileId id : broadcast.tiles)
      bytes += static_cast<double>(bytes_of(p_, {broadcast.matrix, id}));
    const int size = static_cast<int>(broadcast.others.size()) + 1;
    const auto rank_at = [&](int position) { return position == 0 ? owner : broadcast.others[position - 1]; };
    for (int position = 0; position < size; ++position) {
      const Rank from = rank_at(position);
      if (position > 0) message_tiles_[from] += std::ssize(broadcast.tiles);
      for (const int child : tree_children(broadcast.tree, position, size)) {
        message_tiles_[from] += std::ssize(broadcast.tiles);
        const bool near = machine_.node_of(from) == machine_.node_of(rank_at(child));
        (near ? near_bytes_ : far_bytes_)[from] += bytes;
      }
    }
  }

  const Plan& plan_;
  const Contraction& p_;
  const Machine& machine_;
  const CountFunction& progress_;
  std::int64_t products_seen_ = 0;
  bool gpu_;
  int device_ = 0;                             // counted over all ranks
  std::vector<int> a_seen_, b_seen_, c_seen_;  // last device that used the tile
  std::vector<std::int64_t> message_tiles_;    // sent and received, by rank
  std::vector<double> far_bytes_, near_bytes_;
  ResourceBound largest_;
};

}  // namespace

bool makes_on_device(const Machine& machine) {
  return machine.platform.device.kind == DeviceKind::gpu &&
         machine.platform.generation_bytes_per_s_on_device > 0;
}

double least_launch_seconds(const Plan& plan, const Contraction& contraction, const Machine& machine,
                            std::int64_t products) {
  const DeviceModel& device = machine.platform.device;
  const auto start = [&](std::size_t count) {
    return device.launch_of(contraction.precision, count).start_seconds();
  };
  const double least = plan.batch > 1 ? std::min(start(1), start(2)) : start(1);
  const std::int64_t launches = (products + plan.batch - 1) / plan.batch;
  return static_cast<double>(launches) * (least + machine.platform.runtime.product_overhead_s);
}

double least_work_seconds(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          std::int64_t m, std::int64_t n, std::int64_t k) {
  const DeviceModel& device = machine.platform.device;
  const double alone = device.launch_of(contraction.precision, 1).work_seconds(m, n, k) *
                       device.cache.factor({m, n, k}, 1);  // at best all tiles are in the cache
  if (plan.batch == 1) return alone;
  return std::min(alone, device.launch_of(contraction.precision, 2).work_seconds(m, n, k));
}

ResourceBound largest_resource_bound(const Plan& plan, const Contraction& contraction, const Machine& machine,
                                     const CountFunction& progress) {
  return Bounds(plan, contraction, machine, progress).largest();
}

}  // namespace foretile
