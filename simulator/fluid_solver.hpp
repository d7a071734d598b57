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
///
/// With a `reach` a change goes so many full links far: 1 for those that share one with a flow that starts or
/// ends. Bundles behind them keep their rates until something changes nearer to them. No link ever carries
/// more than it can, but some carry less.
class FluidSolver {
 public:
  using FlowId = std::int32_t;

  /// By LinkId, per second; kUnlimited: flows do not share it.
  explicit FluidSolver(std::vector<double> capacities, int reach = kEverywhere);
  static constexpr int kEverywhere = std::numeric_limits<int>::max();

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
    double most = 0;
    int count = 0;
    std::array<LinkId, kMostLinks> links{};
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
  /// First what solutions read and write: most of their time is for memory that is not in caches.
  struct alignas(64) Bundle {
    double rate = 0;     // of each flow
    double solved = -1;  // new rate; -1: not found yet
    double flows = 0;
    Key key;
    bool affected = false, near = false;                                      // in affected_; in near_
    std::uint32_t version = 0;                                                // of its next end
    std::array<std::int32_t, kMostLinks> places{};                            // in the lists of the links
    std::priority_queue<FlowEnd, std::vector<FlowEnd>, std::greater<>> ends;  // one for each flow
    double served = 0, since_s = 0;  // of each flow since the bundle began, until that time
    double awaited = 0;              // FlowEnd::served of its next end
  };
  struct Member {
    BundleId bundle;
    int number;  // of the link among the bundle's
  };
  struct alignas(64) Link {
    double capacity = 0;
    double used = 0;  // by rates
    double free = 0;  // while solving: for flows whose rate is not found yet; then the rate that it gave
    std::vector<Member> members;
    std::int32_t flows = 0;
    std::int32_t affected = 0, open = 0;  // while solving: those of affected bundles; without a rate
    bool full = false;                    // some flow has its rate from this link
    bool touched = false, gave = false;   // while solving
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
  void change_flows(Bundle& bundle, int by);
  void affect(BundleId bundle);
  void remove(BundleId bundle);
  void solve(double now_s);
  void spread(std::size_t from);
  void touch(Bundle& bundle, bool spreads);
  static void begin(Link& link);
  void count(Bundle& bundle);
  void fill();
  void begin_filling();
  bool give_limited(double rate);
  void give(Bundle& bundle, double rate);
  bool take_in_unfair();
  void keep_rates(double now_s);
  bool is_stale(const End& end) const;

  int reach_;
  std::vector<Link> links_;
  std::vector<BundleId> flows_;  // by number
  std::vector<FlowId> free_flows_;
  std::vector<Bundle> bundles_;
  std::vector<BundleId> free_bundles_;
  std::unordered_map<Key, BundleId, KeyHash> by_key_;  // those with flows
  std::vector<BundleId> affected_;                     // since the last solution, and how far they reach
  std::vector<BundleId> near_;                         // that had a full link with one that is gone
  std::vector<LinkId> touched_;                        // links of those
  // Affected bundles with a limit of their own, slowest first; and the first of them without a rate.
  std::vector<BundleId> by_most_;
  std::vector<BundleId>::iterator slowest_;
  std::vector<Share> shares_;  // a heap of the links, the smallest share first
  std::size_t open_ = 0;       // affected bundles without a rate
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

}  // namespace foretile
