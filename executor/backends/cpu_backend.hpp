// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's back end on CPU cores: real tiles, real products.
#pragma once

#include <vector>

#include "executor/backends/rank_backend.hpp"
#include "executor/cpu/product_kernels.hpp"
#include "executor/cpu/worker_pool.hpp"
#include "planner/problem/tile_table.hpp"

namespace foretile {

/// Device memory is host memory under a budget: tiles are adopted in place, or copied where the scheduler
/// says so.
class CpuBackend : public RankBackend {
 public:
  /// `form` of the plan's products. `cpus`: one for each core, or none, as WorkerPool has it. `sharing`, by
  /// device: in how many parts its products are divided, which take turns on the cores that are there.
  CpuBackend(const Contraction& contraction, const ProductForm& form, HostStore& host,
             const std::vector<int>& sharing, int cores, Transport transport, std::vector<int> cpus = {});
  ~CpuBackend() override { cores_.stop(); }  // before the tiles go with which they work

  std::span<const EndedOperation> ended(double seconds) override;

  /// So many that a core always finds the next product when one has ended. Launches that several cores share
  /// are long, and additions wait for their ends.
  int kernel_slots(Device device) const override { return devices_[device].cores == 1 ? 32 : 2; }
  /// As many as of products: then the ends of most tasks wake no thread.
  int waiting_tasks() const override { return 31; }
  void start_kernel(OperationId id, Device device, std::span<const Product> products) override;
  void start_copy(OperationId id, const Copy& copy) override;
  void allocate(Device device, TileRef tile) override;
  void release(Device device, TileRef tile) override;
  void adopt(Device device, TileRef tile) override;

 private:
  struct DeviceTiles {
    /// Where each tile is: looked up for each product, so nothing else is there. No data: a tile of C that
    /// gets its memory, where it will stay, with its first product, which ignores what it holds.
    TileTable<TileView> places;
    TileTable<TileBuffer> own;  ///< memory of these that is not the host's
    int cores = 1;              ///< that share each of its products
    int first_lane = 0;         ///< of the cores, one for each
    std::vector<COld> old;      ///< what C held, of the products being started
  };
  void start_on_core(OperationId id, DeviceTiles& device, std::span<const Product> products);
  void start_on_team(OperationId id, DeviceTiles& device, std::span<const Product> products);
  TileView tile_at(MemoryPlace place, TileRef tile);

  ProductKernels kernels_;
  std::vector<DeviceTiles> devices_;
  WorkerPool copies_;  // last: its thread ends first
};

}  // namespace foretile
