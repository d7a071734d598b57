#include "simulator/fluid_solver.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

/// Of flows that nothing limits.
constexpr double kFast = 1e18;
/// Rates that differ by less are equal.
constexpr double kRounding = 1e-12;

}  // namespace

FluidSolver::FluidSolver(std::vector<double> capacities) {
  links_.resize(capacities.size());
  for (std::size_t link = 0; link < links_.size(); ++link) links_[link].capacity = capacities[link];
}

FluidSolver::FlowId FluidSolver::start(std::span<const LinkId> links, double amount, double most,
                                       double now_s) {
  if (free_.empty()) {
    free_.push_back(static_cast<FlowId>(flows_.size()));
    flows_.emplace_back();
  }
  const FlowId id = free_.back();
  free_.pop_back();
  Flow& flow = at(id);
  const std::uint32_t version = flow.version + 1;
  const bool listed = flow.affected;  // since a flow of that number ended at this instant
  flow = {};
  flow.version = version;
  flow.affected = listed;
  flow.active = true;
  flow.left = amount;
  flow.since_s = now_s;
  flow.most = std::min(most, kFast);
  for (const LinkId link : links) {
    Link& l = at_link(link);
    if (l.capacity <= kUnlimited) continue;
    const auto number = static_cast<std::size_t>(flow.count++);
    flow.links.at(number) = link;
    flow.places.at(number) = static_cast<std::int32_t>(l.members.size());
    l.members.push_back({id, static_cast<int>(number)});
  }
  affect(id);
  return id;
}

void FluidSolver::affect(FlowId flow) {
  if (std::exchange(at(flow).affected, true)) return;
  affected_.push_back(flow);
}

void FluidSolver::affect_members(LinkId link) {
  for (const Member& member : at_link(link).members) affect(member.flow);
}

void FluidSolver::remove(FlowId id) {
  Flow& flow = at(id);
  for (int i = 0; i < flow.count; ++i) {
    const auto number = static_cast<std::size_t>(i);
    Link& link = at_link(flow.links[number]);
    const auto place = static_cast<std::size_t>(flow.places[number]);
    link.members[place] = link.members.back();
    const Member moved = link.members[place];
    at(moved.flow).places[static_cast<std::size_t>(moved.number)] = static_cast<std::int32_t>(place);
    link.members.pop_back();
    link.used = link.members.empty() ? 0 : link.used - flow.rate;
    if (link.full) affect_members(flow.links[number]);
    if (link.members.empty()) link.full = false;
  }
  flow.active = false;
  free_.push_back(id);
}

bool FluidSolver::is_stale(const End& end) const {
  const Flow& flow = flows_[static_cast<std::size_t>(end.flow)];
  return !flow.active || flow.version != end.version;
}

double FluidSolver::next_end_s(double now_s) {
  solve(now_s);
  while (!ends_.empty() && is_stale(ends_.top())) ends_.pop();
  return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.top().at_s;
}

void FluidSolver::take_ended(double until_s, double now_s, std::vector<FlowId>& ended) {
  solve(now_s);
  const std::size_t first = ended.size();
  for (; !ends_.empty() && ends_.top().at_s <= until_s; ends_.pop()) {
    if (!is_stale(ends_.top())) ended.push_back(ends_.top().flow);
  }
  for (std::size_t i = first; i < ended.size(); ++i) remove(ended[i]);
}

void FluidSolver::solve(double now_s) {
  std::erase_if(affected_, [&](FlowId id) {
    if (!at(id).active) at(id).affected = false;
    return !at(id).active;
  });
  if (affected_.empty()) return;
  std::size_t spread_from = 0;
  do {
    spread(spread_from);
    spread_from = affected_.size();
    fill();
  } while (take_in_unfair());
  keep_rates(now_s);
}

/// To all flows that share a full link with an affected one.
void FluidSolver::spread(std::size_t from) {
  for (std::size_t i = from; i < affected_.size(); ++i) {
    const Flow flow = at(affected_[i]);
    for (int l = 0; l < flow.count; ++l) {
      const LinkId id = flow.links[static_cast<std::size_t>(l)];
      Link& link = at_link(id);
      if (std::exchange(link.touched, true)) continue;
      touched_.push_back(id);
      if (link.full) affect_members(id);
    }
  }
}

void FluidSolver::give(FlowId id, double rate) {
  Flow& flow = at(id);
  flow.solved = rate;
  for (int l = 0; l < flow.count; ++l) {
    Link& link = at_link(flow.links[static_cast<std::size_t>(l)]);
    link.free = std::max(0.0, link.free - rate);
    --link.open;
  }
}

/// Progressive filling of the affected flows; the others keep their rates.
void FluidSolver::fill() {
  for (const LinkId id : touched_) {
    Link& link = at_link(id);
    link.free = link.capacity - link.used;
    link.open = 0;
    link.gave = false;
  }
  by_most_.clear();
  for (const FlowId id : affected_) {
    Flow& flow = at(id);
    flow.solved = -1;
    if (flow.most < kFast) by_most_.push_back(id);
    for (int l = 0; l < flow.count; ++l) {
      Link& link = at_link(flow.links[static_cast<std::size_t>(l)]);
      link.free += flow.rate;
      ++link.open;
    }
  }
  for (const LinkId id : touched_) {
    Link& link = at_link(id);
    link.affected = link.open;
    if (link.open == static_cast<std::int32_t>(link.members.size()))
      link.free = link.capacity;  // no rounding
    link.free = std::max(0.0, link.free);
    if (link.open > 0) shares_.push({link.free / link.open, id});
  }
  std::ranges::sort(by_most_, {}, [&](FlowId id) { return std::pair(at(id).most, id); });
  auto slowest = by_most_.begin();
  while (!shares_.empty()) {
    const Share share = shares_.top();
    shares_.pop();
    Link& link = at_link(share.link);
    if (link.open == 0) continue;
    const double rate = link.free / link.open;  // shares only grow
    if (rate > share.rate * (1 + kRounding)) {
      shares_.push({rate, share.link});
      continue;
    }
    bool limited = false;
    for (; slowest != by_most_.end() && at(*slowest).most <= rate; ++slowest) {
      if (at(*slowest).solved >= 0) continue;
      give(*slowest, at(*slowest).most);
      limited = true;
    }
    if (limited) {
      if (link.open > 0) shares_.push({link.free / link.open, share.link});
      continue;
    }
    link.gave = true;
    link.level = rate;
    for (const Member& member : link.members) {
      if (at(member.flow).affected && at(member.flow).solved < 0) give(member.flow, rate);
    }
  }
  for (const FlowId id : affected_) {
    if (at(id).solved < 0) give(id, at(id).most);
  }
}

/// Flows that were left out though a link that became full gives less than they have.
bool FluidSolver::take_in_unfair() {
  const std::size_t before = affected_.size();
  for (std::size_t t = 0; t < touched_.size(); ++t) {
    const Link& link = at_link(touched_[t]);
    if (!link.gave || link.full || link.affected == static_cast<std::int32_t>(link.members.size())) continue;
    for (const Member& member : link.members) {
      const Flow& flow = at(member.flow);
      if (!flow.affected && flow.rate > link.level * (1 + kRounding)) affect(member.flow);
    }
  }
  return affected_.size() > before;
}

void FluidSolver::keep_rates(double now_s) {
  for (const FlowId id : affected_) {
    Flow& flow = at(id);
    flow.affected = false;
    if (flow.solved == flow.rate) continue;
    for (int l = 0; l < flow.count; ++l)
      at_link(flow.links[static_cast<std::size_t>(l)]).used += flow.solved - flow.rate;
    flow.left -= flow.rate * (now_s - flow.since_s);
    flow.since_s = now_s;
    flow.rate = flow.solved;
    ends_.push({now_s + std::max(0.0, flow.left) / flow.rate, id, ++flow.version});
  }
  affected_.clear();
  for (const LinkId id : touched_) {
    Link& link = at_link(id);
    link.touched = false;
    link.full = link.gave;
  }
  touched_.clear();
}

}  // namespace foretile
