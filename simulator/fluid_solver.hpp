// Flows that share links, each at its max-min fair rate.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "simulator/machine_links.hpp"

namespace foretile {

/// Max-min fair: no flow can be faster without making one slower that is not faster than it (Bertsekas and
/// Gallager, Data Networks, 2nd ed., 6.5.2). A flow that starts or ends changes others only through links
/// that are full, so that only those are solved anew; all other flows keep rate and end.
class FluidSolver {
 public:
  using FlowId = std::int32_t;

  /// By LinkId, per second; kUnlimited: flows do not share it.
  explicit FluidSolver(std::vector<double> capacities);

  /// From now on, at most `most` per second. `amount` > 0.
  FlowId start(std::span<const LinkId> links, double amount, double most, double now_s);
  /// Infinite without flows.
  double next_end_s(double now_s);
  /// Takes flows out that end until then, earlier ones first.
  void take_ended(double until_s, double now_s, std::vector<FlowId>& ended);
  /// Rate of a flow, after next_end_s().
  double rate(FlowId flow) const { return flows_[static_cast<std::size_t>(flow)].rate; }

 private:
  struct Flow {
    std::array<LinkId, 8> links{};
    std::array<std::int32_t, 8> places{};  // in the lists of the links
    int count = 0;
    double left = 0, since_s = 0;  // amount left at that time
    double rate = 0, most = 0;
    double solved = -1;         // new rate; -1: not found yet
    std::uint32_t version = 0;  // of its end
    bool active = false, affected = false;
  };
  struct Member {
    FlowId flow;
    int number;  // of the link among the flow's
  };
  struct Link {
    double capacity = 0;
    double used = 0;  // by rates
    std::vector<Member> members;
    bool full = false;     // some flow has its rate from this link
    bool touched = false;  // while solving
    double free = 0;       // for flows whose rate is not found yet, and their number
    std::int32_t open = 0, affected = 0;
    double level = 0;  // the rate that it gave, if it did
    bool gave = false;
  };
  struct End {
    double at_s;
    FlowId flow;
    std::uint32_t version;
    bool operator>(const End& other) const {
      return at_s != other.at_s ? at_s > other.at_s : flow > other.flow;
    }
  };
  struct Share {
    double rate;
    LinkId link;
    bool operator>(const Share& other) const {
      return rate != other.rate ? rate > other.rate : link > other.link;
    }
  };

  Flow& at(FlowId flow) { return flows_[static_cast<std::size_t>(flow)]; }
  Link& at_link(LinkId link) { return links_[static_cast<std::size_t>(link)]; }
  void affect(FlowId flow);
  void affect_members(LinkId link);
  void remove(FlowId flow);
  void solve(double now_s);
  void spread(std::size_t from);
  void fill();
  void give(FlowId flow, double rate);
  bool take_in_unfair();
  void keep_rates(double now_s);
  bool is_stale(const End& end) const;

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<FlowId> affected_;  // since the last solution
  std::vector<LinkId> touched_;   // links of those
  std::vector<FlowId> by_most_;   // affected flows with a limit of their own, slowest first
  std::priority_queue<Share, std::vector<Share>, std::greater<>> shares_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace foretile
