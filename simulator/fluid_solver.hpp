// SPDX-License-Identifier: BSD-3-Clause
// Flows that share links, each at its max-min fair rate.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulator/machine_links.hpp"

namespace foretile {

/// Max-min fair: no flow can be faster without making one slower that is not faster than it (Bertsekas and
/// Gallager, Data Networks, 2nd ed., 6.5.2). A flow that starts or ends changes others only through links
/// that are full, so that only those are solved again; all other flows keep rate and end.
///
/// Flows on the same links and with the same limit have the same rate whatever their amounts, so they are
/// solved as one bundle: 72 ranks of a node that send to the same node cost as much as one.
class FluidSolver {
 public:
  using FlowId = std::int32_t;

  /// By LinkId, per second; kUnlimited: flows do not share it.
  explicit FluidSolver(std::vector<double> capacities);

  /// From now on, at most `most` per second. `amount` > 0; no link twice.
  FlowId start(std::span<const LinkId> links, double amount, double most, double now_s);
  /// Infinite without flows.
  double next_end_s(double now_s);
  /// Takes flows out that end until then.
  void take_ended(double until_s, double now_s, std::vector<FlowId>& ended);
  /// Rate of a flow, after next_end_s().
  double rate(FlowId flow) const { return bundles_[flows_[static_cast<std::size_t>(flow)]].rate; }

 private:
  using BundleId = std::uint32_t;

  struct Key {
    std::array<LinkId, kMostLinks> links{};
    int count = 0;
    double most = 0;
    friend bool operator==(const Key& x, const Key& y) {
      return x.most == y.most && x.count == y.count &&
             std::equal(x.links.begin(), x.links.begin() + x.count, y.links.begin());
    }
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  /// A flow ends when each flow of its bundle has been served so much.
  struct FlowEnd {
    double served;
    FlowId flow;
    bool operator>(const FlowEnd& other) const {
      return served != other.served ? served > other.served : flow > other.flow;
    }
  };
  struct Bundle {
    Key key;
    std::array<std::int32_t, kMostLinks> places{};                            // in the lists of the links
    std::priority_queue<FlowEnd, std::vector<FlowEnd>, std::greater<>> ends;  // one for each flow
    double served = 0, since_s = 0;  // of each flow since the bundle began, until that time
    double rate = 0;                 // of each flow
    double solved = -1;              // new rate; -1: not found yet
    double awaited = 0;              // FlowEnd::served of its next end
    std::uint32_t version = 0;       // of its next end
    bool affected = false;

    double flows() const { return static_cast<double>(ends.size()); }
  };
  struct Member {
    BundleId bundle;
    int number;  // of the link among the bundle's
  };
  struct Link {
    double capacity = 0;
    double used = 0;  // by rates
    double flows = 0;
    std::vector<Member> members;
    bool full = false;     // some flow has its rate from this link
    bool touched = false;  // while solving
    double free = 0;       // for flows whose rate is not found yet, and their number
    double open = 0, affected = 0;
    double level = 0;  // the rate that it gave, if it did
    bool gave = false;
  };
  struct End {
    double at_s;
    BundleId bundle;
    std::uint32_t version;
    bool operator>(const End& other) const {
      return at_s != other.at_s ? at_s > other.at_s : bundle > other.bundle;
    }
  };
  struct Share {
    double rate;
    LinkId link;
    bool operator>(const Share& other) const {
      return rate != other.rate ? rate > other.rate : link > other.link;
    }
  };

  Link& at_link(LinkId link) { return links_[static_cast<std::size_t>(link)]; }
  std::span<const LinkId> links_of(const Bundle& bundle) const {
    return {bundle.key.links.data(), static_cast<std::size_t>(bundle.key.count)};
  }
  BundleId bundle_of(std::span<const LinkId> links, double most, double now_s);
  BundleId new_bundle(const Key& key, double now_s);
  void serve(Bundle& bundle, double now_s) const;
  void change_flows(Bundle& bundle, double by);
  void affect(BundleId bundle);
  void affect_members(LinkId link);
  void remove(BundleId bundle);
  void solve(double now_s);
  void spread(std::size_t from);
  void fill();
  void give(Bundle& bundle, double rate);
  bool take_in_unfair();
  void keep_rates(double now_s);
  bool is_stale(const End& end) const;

  std::vector<Link> links_;
  std::vector<BundleId> flows_;  // by number
  std::vector<FlowId> free_flows_;
  std::vector<Bundle> bundles_;
  std::vector<BundleId> free_bundles_;
  std::unordered_map<Key, BundleId, KeyHash> by_key_;  // those with flows
  std::vector<BundleId> affected_;                     // since the last solution
  std::vector<LinkId> touched_;                        // links of those
  std::vector<BundleId> by_most_;  // affected bundles with a limit of their own, slowest first
  std::priority_queue<Share, std::vector<Share>, std::greater<>> shares_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace foretile
