// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's back end on CPU cores: real tiles, real products.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "executor/backends/host_store.hpp"
#include "executor/backends/rank_backend.hpp"
#include "executor/cpu/product_kernels.hpp"
#include "executor/cpu/worker_pool.hpp"
#include "planner/problem/tile_table.hpp"
#include "scheduler/rank_scheduler.hpp"

namespace foretile {

/// Device memory is host memory under a budget: tiles are adopted in place, or copied where the scheduler
/// says so. All calls come from the progress loop's thread; the workers see only pointers, which stay valid
/// until their operation is done.
class CpuBackend final : public RankBackend {
 public:
  /// `form` of the plan's products. `cpus`: one for each core, or none, as WorkerPool has it. `sharing`, by
  /// device: in how many parts its products are divided, which take turns on the cores that are there.
  CpuBackend(const Contraction& contraction, const ProductForm& form, HostStore& host,
             const std::vector<int>& sharing, int cores, Transport transport, std::vector<int> cpus = {});

  void start_clock() override { start_ = std::chrono::steady_clock::now(); }
  std::span<const EndedOperation> ended(double seconds) override;

  double now() const override;
  /// So many that a core always finds the next product when one has ended. Launches that several cores share
  /// are long, and additions wait for their ends.
  int kernel_slots(Device device) const override { return devices_[device].cores == 1 ? 32 : 2; }
  void start_kernel(OperationId id, Device device, std::span<const Product> products) override;
  void start_generate(OperationId id, std::span<const MadePart> parts) override;
  void start_copy(OperationId id, const Copy& copy) override;
  void start_send(OperationId id, Rank to_rank, const Message& message) override {
    transport_.send(id, to_rank, message);
  }
  void allocate(Device device, TileRef tile) override;
  void release(Device device, TileRef tile) override;
  void release_host(TileRef tile) override;
  void release_message(Rank owner, int number) override { host_.release(owner, number); }
  void send_signal(Rank to_rank, Signal signal) override { transport_.signal(to_rank, signal); }
  void adopt(Device device, TileRef tile) override;
  void start_combine(OperationId id, const Combine& combine) override;
  void start_task(OperationId id, std::int32_t, const FlowTask& task) override {
    cores_.submit(id, host_.task_job(task));
  }
  void release_step(Step step) override { host_.release_step(step); }
  void release_parts(std::span<const TileId> tiles, Device computed_by) override {
    host_.release_parts(tiles, computed_by);
  }
  void keep_parts(std::span<const TileId> tiles, Device computed_by) override {
    host_.keep_parts(tiles, computed_by);
  }

 private:
  struct DeviceTiles {
    /// Where each tile lies: looked up for each product, so nothing else is there. No data: a tile of C that
    /// gets its memory, where it will stay, with its first product, which ignores what it holds.
    TileTable<TileView> places;
    TileTable<TileBuffer> own;  ///< memory of these that is not the host's
    int cores = 1;              ///< that share each of its products
    int first_lane = 0;         ///< of the cores, one for each
    std::vector<COld> old;      ///< what C held, of the products being started
  };
  void start_on_core(OperationId id, DeviceTiles& device, std::span<const Product> products);
  void start_on_team(OperationId id, DeviceTiles& device, std::span<const Product> products);
  TileView at(MemoryPlace place, TileRef tile);
  double at(Completions::Clock::time_point time) const;  // seconds since the start

  const Contraction& problem_;
  ProductKernels kernels_;
  HostStore& host_;
  Transport transport_;
  std::vector<DeviceTiles> devices_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<EndedOperation> told_;  // by the last call of ended()
  Completions completions_;
  WorkerPool copies_;
  WorkerPool cores_;  // last: its threads end first
};

}  // namespace foretile
