// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "simulator/engine.hpp"
#include "simulator/fluid_solver.hpp"

namespace foretile {

namespace {

class FluidEngine final : public Engine {
 public:
  FluidEngine(const MachineLinks& links, int reach)
      : links_(links), solver_(links.limiting_capacities(), reach) {}

  double now() const override { return now_s_; }

  void transfer(const Route& route, std::uint64_t bytes, EventKey key, Event then) override {
    start(route.links(), static_cast<double>(bytes), std::numeric_limits<double>::infinity(), key,
          std::move(then));
  }

  void execute(Rank rank, double seconds, double most_cores, EventKey key, Event then) override {
    const LinkId cores = links_.cores(rank);
    start({&cores, 1}, seconds, most_cores, key, std::move(then));
  }

  void run(const std::function<bool()>& stop) override {
    for (;;) {
      const double next_s = std::min(next_timer_s(), solver_.next_end_s(now_s_));
      if (next_s == std::numeric_limits<double>::infinity()) return;
      now_s_ = std::max(now_s_, next_s);
      solver_.take_ended(now_s_ + kInstant_s, now_s_, flows_ended_);
      for (const FluidSolver::FlowId flow : flows_ended_) {
        Ending& ending = endings_[static_cast<std::size_t>(flow)];
        ended(ending.key, std::move(ending.then));
      }
      flows_ended_.clear();
      notify();
      if (stop()) return;
    }
  }

 private:
  struct Ending {
    EventKey key;
    Event then;
  };

  void start(std::span<const LinkId> links, double amount, double most, EventKey key, Event then) {
    if (amount <= 0) return after(0, key, std::move(then));
    const auto flow = static_cast<std::size_t>(solver_.start(links, amount, most, now_s_));
    if (flow >= endings_.size()) endings_.resize(flow + 1);
    endings_[flow] = {key, std::move(then)};
  }

  const MachineLinks& links_;
  FluidSolver solver_;
  double now_s_ = 0;
  std::vector<Ending> endings_;  // by flow
  std::vector<FluidSolver::FlowId> flows_ended_;
};

}  // namespace

std::unique_ptr<Engine> make_fluid_engine(const MachineLinks& links, int reach) {
  return std::make_unique<FluidEngine>(links, reach > 0 ? reach : FluidSolver::kEverywhere);
}

}  // namespace foretile
