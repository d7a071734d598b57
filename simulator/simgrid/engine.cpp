// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/engine.hpp"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>
#include <utility>

#include "base/error.hpp"
#include "simulator/reference_engine.hpp"
#include "simulator/simgrid/machine_model.hpp"
#include "simulator/simgrid/simgrid.hpp"
#include "simulator/simgrid/start.hpp"

namespace foretile {

namespace sg4 = simgrid::s4u;

namespace {

/// SimGrid takes some kilobytes for each host and its links.
constexpr std::int64_t kMostHosts = 8000;

/// SimGrid tells of ends one by one; they are collected until a SimGrid timer of the same instant. Of one
/// instant, SimGrid runs its timers before it tells of ends: so a timer waits for them until the next number
/// after its time.
class SimGridEngine final : public Engine {
 public:
  SimGridEngine(const Machine& machine, const MachineLinks& links)
      : engine_(start_simgrid()), model_(*engine_, machine, links) {
    sg4::Activity::on_completion_cb([this](const sg4::Activity& activity) {
      auto& record = *activity.get_data<Record>();
      ended(record.key, std::move(record.then));
      finished_.push_back(&record);
      wake(now(), Alarm::ends_are_known);
    });
  }

  double now() const override { return sg4::Engine::get_clock(); }

  void transfer(const Route& route, std::uint64_t bytes, EventKey key, Event then) override {
    const sg4::CommPtr comm = sg4::Comm::sendto_init(model_.host(route.from), model_.host(route.to));
    comm->set_payload_size(bytes);
    start(comm, key, std::move(then));
  }

  void execute(Rank rank, double seconds, double most_cores, EventKey key, Event then) override {
    start(sg4::Exec::init()
              ->set_flops_amount(seconds * kHostSpeed)
              ->set_bound(most_cores * kHostSpeed)
              ->set_host(model_.cores(rank)),
          key, std::move(then));
  }

  void run(const std::function<bool()>& stop) override {
    stop_ = &stop;
    try {
      engine_->run();
    } catch (const Stopped&) {
      leave_in_flight();
    } catch (...) {
      leave_in_flight();
      throw;
    }
  }

 private:
  struct Stopped {};
  /// What a SimGrid activity stands for; its data pointer leads here.
  struct Record {
    EventKey key;
    Event then;
    sg4::ActivityPtr activity;  // keeps it alive until it ends
  };

  template <class ActivityPtr>
  void start(const ActivityPtr& activity, EventKey key, Event then) {
    if (free_.empty()) free_.push_back(&records_.emplace_back());
    Record& record = *free_.back();
    free_.pop_back();
    record = {key, std::move(then), activity};
    activity->set_data(&record);
    activity->start();
  }

  enum class Alarm { of_timer, ends_are_known };

  void timer_set(double at_s) override { wake(at_s, Alarm::of_timer); }

  void wake(double at_s, Alarm why) {
    if (at_s >= wakes_at_s_) return;
    if (alarm_) alarm_->remove();
    wakes_at_s_ = at_s;
    alarm_ = simgrid::kernel::timer::Timer::set(at_s, [this, why] { woke(why); });
  }

  void woke(Alarm why) {
    alarm_ = nullptr;
    wakes_at_s_ = std::numeric_limits<double>::infinity();
    if (why == Alarm::of_timer) {
      wake(std::nextafter(now(), wakes_at_s_), Alarm::ends_are_known);
    } else {
      instant();
    }
  }

  void instant() {
    // SimGrid still looks at an activity after its completion callback, so it goes only now.
    for (Record* const record : finished_) {
      record->activity.reset();
      free_.push_back(record);
    }
    finished_.clear();
    notify();
    if (stop_ && *stop_ && (*stop_)()) throw Stopped();
    wake(std::max(now(), next_timer_s()), Alarm::of_timer);
  }

  /// SimGrid would print a backtrace for each activity in flight that is freed.
  void leave_in_flight() {
    for (Record& record : records_) static_cast<void>(record.activity.detach());
  }

  std::unique_ptr<sg4::Engine> engine_;
  MachineModel model_;
  std::deque<Record> records_;
  std::vector<Record*> free_, finished_;
  simgrid::kernel::timer::Timer* alarm_ = nullptr;  // the only one
  double wakes_at_s_ = std::numeric_limits<double>::infinity();
  const std::function<bool()>* stop_ = nullptr;
};

bool fits_simgrid(const Machine& machine) {
  return MachineModel::hosts(machine) <= kMostHosts;
}

std::unique_ptr<Engine> make_simgrid_engine(const Machine& machine, const MachineLinks& links) {
  if (!fits_simgrid(machine))
    throw input_error("simulation",
                      fmt::format("{} ranks with {} devices", machine.ranks, machine.devices_per_rank),
                      fmt::format("at most {} sockets, ranks and devices together with SimGrid", kMostHosts),
                      "take the engine fluid, or simulate on fewer nodes");
  return std::make_unique<SimGridEngine>(machine, links);
}

}  // namespace

void use_simgrid() {
  set_reference_engine({.fits = fits_simgrid, .is_used = simgrid_is_started, .make = make_simgrid_engine});
}

}  // namespace foretile
