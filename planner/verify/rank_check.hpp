// One rank of a plan.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "planner/verify.hpp"
#include "planner/verify/block_walk.hpp"
#include "planner/verify/deliveries.hpp"
#include "planner/verify/device_memory_check.hpp"
#include "planner/verify/host_memory.hpp"

namespace foretile {

/// Walks rank after rank and keeps what concerns them all: products, owners of C, counts.
class RankCheck {
 public:
  /// References must outlive this object. `progress` gets how many products were seen.
  RankCheck(const Plan& plan, const Contraction& contraction, const CountFunction& progress = {});

  /// Throws InputError for what is wrong within this rank.
  void run(int rank);
  /// Throws InputError when host memory does not suffice or a product is missing. (None comes twice: not in a
  /// block, and two blocks have no tile of C in common.)
  PlanSummary finish();

 private:
  void device(const DevicePlan& device);
  void check_steps(const DevicePlan& device) const;
  WalkedBlock block(const Block& block, const std::string& where);
  void generate(const BlockTiles& tiles, const std::string& where);
  void compute(const BlockTiles& tiles, const std::string& where);
  void use_sources(const WalkedBlock& walked);
  void count_loads(const std::vector<WalkedBlock>& blocks);
  void count_received();

  const Plan& plan_;
  const Contraction& p_;
  BlockWalk walk_;
  Owners owners_;
  Messages messages_;
  Deliveries deliveries_;
  DeviceMemoryCheck device_memory_;
  std::vector<char> c_owned_;
  std::vector<std::int32_t> generated_by_;  // rank that generated a tile of B last
  std::vector<double> device_flops_;
  std::vector<std::int64_t> device_loads_;
  PlanSummary summary_;
  int rank_ = 0;
  std::string device_;  // name of the one that is walked
  RankTiles tiles_;
  HostNeed most_needed_;  // of the rank that needs most
};

}  // namespace foretile
