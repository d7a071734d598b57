// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/fluid_solver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "base/random.hpp"

namespace foretile {

namespace {

/// Of flows that nothing limits.
constexpr double kFast = 1e18;
/// Rates that differ by less are equal.
constexpr double kRounding = 1e-12;

}  // namespace

FluidSolver::FluidSolver(std::vector<double> capacities, int reach) : reach_(reach) {
  links_.resize(capacities.size());
  for (std::size_t link = 0; link < links_.size(); ++link) links_[link].capacity = capacities[link];
}

std::size_t FluidSolver::KeyHash::operator()(const Key& key) const {
  std::uint64_t bits = std::bit_cast<std::uint64_t>(key.most);
  for (int l = 0; l < key.count; ++l)
    bits = counter_bits(bits, static_cast<std::uint64_t>(key.links[static_cast<std::size_t>(l)]));
  return bits;
}

FluidSolver::FlowId FluidSolver::start(std::span<const LinkId> links, double amount, double most,
                                       double now_s) {
  if (free_flows_.empty()) {
    free_flows_.push_back(static_cast<FlowId>(flows_.size()));
    flows_.emplace_back();
  }
  const FlowId flow = free_flows_.back();
  free_flows_.pop_back();
  const BundleId id = bundle_of(links, most, now_s);
  flows_[static_cast<std::size_t>(flow)] = id;
  Bundle& bundle = bundles_[id];
  serve(bundle, now_s);
  bundle.ends.push({bundle.served + amount, flow});
  change_flows(bundle, 1);
  affect(id);
  return flow;
}

FluidSolver::BundleId FluidSolver::bundle_of(std::span<const LinkId> links, double most, double now_s) {
  Key key;
  for (const LinkId link : links) {
    if (at_link(link).capacity > kUnlimited) key.links.at(static_cast<std::size_t>(key.count++)) = link;
  }
  key.most = std::min(most, kFast);
  const auto [found, is_new] = by_key_.try_emplace(key, 0);
  if (is_new) found->second = new_bundle(key, now_s);
  return found->second;
}

FluidSolver::BundleId FluidSolver::new_bundle(const Key& key, double now_s) {
  if (free_bundles_.empty()) {
    free_bundles_.push_back(static_cast<BundleId>(bundles_.size()));
    bundles_.emplace_back();
  }
  const BundleId id = free_bundles_.back();
  free_bundles_.pop_back();
  Bundle& bundle = bundles_[id];
  bundle.key = key;
  bundle.served = bundle.rate = bundle.awaited = 0;
  bundle.since_s = now_s;
  for (std::size_t l = 0; l < links_of(bundle).size(); ++l) {
    Link& link = at_link(key.links[l]);
    bundle.places[l] = static_cast<std::int32_t>(link.members.size());
    link.members.push_back({id, static_cast<int>(l)});
  }
  return id;
}

void FluidSolver::serve(Bundle& bundle, double now_s) const {
  bundle.served += bundle.rate * (now_s - bundle.since_s);
  bundle.since_s = now_s;
}

/// New flows have the rate of their bundle until the next solution.
void FluidSolver::change_flows(Bundle& bundle, int by) {
  bundle.flows += by;
  for (const LinkId id : links_of(bundle)) {
    Link& link = at_link(id);
    link.flows += by;
    link.used += by * bundle.rate;
  }
}

void FluidSolver::affect(BundleId bundle) {
  if (std::exchange(bundles_[bundle].affected, true)) return;
  affected_.push_back(bundle);
}

/// Takes out a bundle without flows.
void FluidSolver::remove(BundleId id) {
  Bundle& bundle = bundles_[id];
  for (std::size_t l = 0; l < links_of(bundle).size(); ++l) {
    Link& link = at_link(bundle.key.links[l]);
    const auto place = static_cast<std::size_t>(bundle.places[l]);
    link.members[place] = link.members.back();
    const Member moved = link.members[place];
    bundles_[moved.bundle].places[static_cast<std::size_t>(moved.number)] = static_cast<std::int32_t>(place);
    link.members.pop_back();
    for (const Member& member : link.members) {
      if (link.full && !std::exchange(bundles_[member.bundle].near, true)) near_.push_back(member.bundle);
    }
    if (!link.members.empty()) continue;
    link.used = 0;
    link.full = false;
  }
  ++bundle.version;
  by_key_.erase(bundle.key);
  free_bundles_.push_back(id);
}

bool FluidSolver::is_stale(const End& end) const {
  return bundles_[end.bundle].version != end.version;
}

double FluidSolver::next_end_s(double now_s) {
  solve(now_s);
  while (!ends_.empty() && is_stale(ends_.top())) ends_.pop();
  return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().at_s;
}

void FluidSolver::take_ended(double until_s, double now_s, std::vector<FlowId>& ended) {
  solve(now_s);
  for (; !ends_.empty() && ends_.top().at_s <= until_s; ends_.pop()) {
    const End end = ends_.top();
    if (is_stale(end)) continue;
    Bundle& bundle = bundles_[end.bundle];
    bundle.awaited = 0;  // a flow that ends with this one may be left by rounding
    const double served = bundle.served + bundle.rate * (until_s - bundle.since_s);
    // The first one ends, whatever rounding says.
    do {
      const FlowId flow = bundle.ends.top().flow;
      bundle.ends.pop();
      ended.push_back(flow);
      free_flows_.push_back(flow);
      change_flows(bundle, -1);
    } while (!bundle.ends.empty() && bundle.ends.top().served <= served);
    affect(end.bundle);
    if (bundle.ends.empty()) remove(end.bundle);
  }
}

void FluidSolver::solve(double now_s) {
  std::erase_if(affected_, [&](BundleId id) {
    const bool gone = bundles_[id].ends.empty();
    if (gone) bundles_[id].affected = false;
    return gone;
  });
  if (affected_.empty() && near_.empty()) return;
  std::size_t spread_from = 0;
  do {
    spread(spread_from);
    spread_from = affected_.size();
    fill();
  } while (take_in_unfair());
  keep_rates(now_s);
}

/// To all bundles that share a full link with an affected one, and so on.
void FluidSolver::spread(std::size_t from) {
  if (from > 0) {
    for (const LinkId id : touched_) begin(at_link(id));
    for (std::size_t i = 0; i < from; ++i) count(bundles_[affected_[i]]);
  }
  int distance = from == 0 || reach_ == kEverywhere ? 0 : reach_;
  for (std::size_t end = affected_.size(); from < end || !near_.empty(); end = affected_.size()) {
    for (; from < end; ++from) touch(bundles_[affected_[from]], distance < reach_);
    for (const BundleId id : near_) {
      bundles_[id].near = false;
      if (!bundles_[id].ends.empty()) affect(id);
    }
    near_.clear();
    ++distance;
  }
}

void FluidSolver::touch(Bundle& bundle, bool spreads) {
  for (const LinkId id : links_of(bundle)) {
    Link& link = at_link(id);
    if (std::exchange(link.touched, true)) continue;
    touched_.push_back(id);
    begin(link);
    if (!link.full || !spreads) continue;
    for (const Member& member : link.members) affect(member.bundle);
  }
  count(bundle);
}

/// Without affected bundles.
void FluidSolver::begin(Link& link) {
  link.free = link.capacity - link.used;
  link.affected = 0;
  link.gave = false;
}

/// Its rate is open from now on.
void FluidSolver::count(Bundle& bundle) {
  bundle.solved = -1;
  for (const LinkId id : links_of(bundle)) {
    Link& link = at_link(id);
    link.free += bundle.rate * bundle.flows;
    link.affected += static_cast<std::int32_t>(bundle.flows);
  }
}

void FluidSolver::give(Bundle& bundle, double rate) {
  bundle.solved = rate;
  --open_;
  for (const LinkId id : links_of(bundle)) {
    Link& link = at_link(id);
    link.free = std::max(0.0, link.free - rate * bundle.flows);
    link.open -= static_cast<std::int32_t>(bundle.flows);
  }
}

void FluidSolver::begin_filling() {
  open_ = affected_.size();
  by_most_.clear();
  for (const BundleId id : affected_) {
    if (bundles_[id].key.most < kFast) by_most_.push_back(id);
  }
  std::ranges::sort(by_most_, {}, [&](BundleId id) { return std::pair(bundles_[id].key.most, id); });
  slowest_ = by_most_.begin();
  shares_.clear();
  for (const LinkId id : touched_) {
    Link& link = at_link(id);
    link.open = link.affected;
    if (link.open == link.flows) link.free = link.capacity;  // no rounding
    link.free = std::max(0.0, link.free);
    if (link.open > 0) shares_.push_back({link.free / link.open, id});
  }
  std::ranges::make_heap(shares_, std::greater{});
}

/// To those whose own limit is no more than that; false if there are none.
bool FluidSolver::give_limited(double rate) {
  bool gave = false;
  for (; slowest_ != by_most_.end() && bundles_[*slowest_].key.most <= rate; ++slowest_) {
    Bundle& bundle = bundles_[*slowest_];
    if (bundle.solved >= 0) continue;
    give(bundle, bundle.key.most);
    gave = true;
  }
  return gave;
}

/// Progressive filling of the affected bundles; the others keep their rates.
void FluidSolver::fill() {
  begin_filling();
  const auto push = [&](Share share) {
    shares_.push_back(share);
    std::ranges::push_heap(shares_, std::greater{});
  };
  while (open_ > 0 && !shares_.empty()) {
    std::ranges::pop_heap(shares_, std::greater{});
    const Share share = shares_.back();
    shares_.pop_back();
    Link& link = at_link(share.link);
    if (link.open == 0) continue;
    const double rate = link.free / link.open;  // shares only grow
    if (rate > share.rate * (1 + kRounding)) {
      push({rate, share.link});
      continue;
    }
    if (give_limited(rate)) {
      if (link.open > 0) push({link.free / link.open, share.link});
      continue;
    }
    for (const Member& member : link.members) {
      Bundle& bundle = bundles_[member.bundle];
      if (bundle.affected && bundle.solved < 0) give(bundle, rate);
    }
    link.gave = true;
    link.free = rate;
  }
  for (const BundleId id : affected_) {
    if (bundles_[id].solved < 0) give(bundles_[id], bundles_[id].key.most);
  }
}

/// Bundles that were left out though a link that became full gives less than they have.
bool FluidSolver::take_in_unfair() {
  const std::size_t before = affected_.size();
  for (std::size_t t = 0; t < touched_.size(); ++t) {
    const Link& link = at_link(touched_[t]);
    if (!link.gave || link.full || link.affected == link.flows) continue;
    for (const Member& member : link.members) {
      const Bundle& bundle = bundles_[member.bundle];
      if (!bundle.affected && bundle.rate > link.free * (1 + kRounding)) affect(member.bundle);
    }
  }
  return affected_.size() > before;
}

void FluidSolver::keep_rates(double now_s) {
  for (const BundleId id : affected_) {
    Bundle& bundle = bundles_[id];
    bundle.affected = false;
    const double next = bundle.ends.top().served;
    if (std::abs(bundle.solved - bundle.rate) > kRounding * bundle.rate) {
      for (const LinkId link : links_of(bundle))
        at_link(link).used += (bundle.solved - bundle.rate) * bundle.flows;
      serve(bundle, now_s);
      bundle.rate = bundle.solved;
    } else if (bundle.awaited == next) {
      continue;  // its end stays in the heap
    }
    bundle.awaited = next;
    const double left = next - bundle.served;
    ends_.push({bundle.since_s + std::max(0.0, left) / bundle.rate, id, ++bundle.version});
  }
  affected_.clear();
  for (const LinkId id : touched_) {
    Link& link = at_link(id);
    link.touched = false;
    link.full = link.gave || (link.full && link.affected < link.flows);
  }
  touched_.clear();
}

}  // namespace foretile
