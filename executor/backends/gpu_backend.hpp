// SPDX-License-Identifier: BSD-3-Clause
// The scheduler's back end on GPUs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "executor/backends/rank_backend.hpp"
#include "executor/gpu/gpu_device.hpp"
#include "planner/plan/plan.hpp"
#include "scheduler/waves.hpp"

namespace foretile {

struct GpuBackendOptions {
  Rank rank = 0;  ///< for error messages
  /// Number of the rank's first logical device among those of its node; they go round the physical ones.
  int first_device = 0;
  int kernel_lanes = 1;             ///< per logical device
  int cores = 1;                    ///< that generate tiles of B, unless devices do
  std::optional<int> devices = {};  ///< the plan's first ones; nothing: all
};

/// Each logical device has a pool of its own, taken when this is made. Nothing is started before the
/// scheduler says so, which it does when it was notified that what comes before has ended; so lanes need not
/// wait for each other but for products on the same tile of C. Calls throw WorkError that names rank, device,
/// task and tile.
class GpuBackend final : public RankBackend {
 public:
  GpuBackend(const Contraction& contraction, const PlanFrame& frame, const RankPlan& plan, HostStore& host,
             Gpus& gpus, const GpuBackendOptions& options, Transport transport);
  /// Waits for what is under way.
  ~GpuBackend() override;

  /// Multiplies and copies for that long on every device what the plan will, before the first tile is placed.
  /// Not on the clock.
  void warm_up(const PlanFrame& frame, const RankPlan& plan, double seconds);

  /// So much memory of each device, in which messages are received; kept as long as this. Slow: before the
  /// clock starts.
  std::vector<std::byte*> take_for_messages(std::int64_t bytes);

  std::span<const EndedOperation> ended(double seconds) override;

  int kernel_slots(Device) const override { return kernel_slots_; }
  void start_kernel(OperationId id, Device device, std::span<const Product> products) override;
  void start_copy(OperationId id, const Copy& copy) override;
  void allocate(Device device, TileRef tile) override;
  void release(Device device, TileRef tile) override { devices_[device]->release(tile); }
  void adopt(Device device, TileRef tile) override;

  /// How often a device's tiles had to be slid together for want of a hole, and how many bytes moved.
  std::int64_t compactions() const { return compactions_; }
  std::int64_t compacted_bytes() const { return compacted_bytes_; }

 private:
  std::vector<ProductForm> forms_of_products() const;
  std::byte* on_host(TileRef tile);
  std::byte* place_of_c(TileId c, Device device);
  void copy(OperationId id, const Copy& copy, const Task& task);
  /// What copy() left to it.
  void copy_permuted(GpuDevice& on, Lane lane);
  /// For memory that devices do not reach, as where a pool was too small: slow. Kept until the copy ends.
  const std::byte* permuted_on_host(OperationId id, const PermutedCopy& how, const std::byte* from);
  void make(OperationId id, const Copy& copy, const Task& task);
  /// Of one form, on one lane, in the order given for each tile of C.
  void multiply(GpuDevice& on, const KernelLanes::Choice& choice, std::span<const Product> products);
  void make_room(Device device, TileRef tile, std::int64_t bytes);
  void collect();
  void drain();
  [[noreturn]] void fail(Device device, const Task* task, const std::exception& error) const;
  template <class Work>
  void explained(Device device, const Task* task, Work work) const;

  ProductForm form_;
  Gpus& gpus_;
  GpuBackendOptions options_;
  int batch_;
  int kernel_slots_;
  std::vector<std::unique_ptr<GpuDevice>> devices_;
  std::vector<std::string> names_;
  std::vector<OperationId> ended_;  // collected, not yet reported
  // Of the launch that is made; kept for their memory.
  std::vector<TileProduct> products_;
  std::vector<TileId> written_;
  Waves<const std::byte*, TileProduct> waves_;
  std::vector<CopyPiece> pieces_;
  struct Permuted {
    PermutedCopy how;
    const std::byte* from;
    std::byte* to;
  };
  std::vector<Permuted> permuted_;
  std::unordered_map<OperationId, std::vector<TileBuffer>> permuted_on_host_;
  std::vector<TileToMake> to_make_;
  std::int64_t compactions_ = 0;
  std::int64_t compacted_bytes_ = 0;
  std::int64_t host_work_ended_ = 0;
};

}  // namespace foretile
