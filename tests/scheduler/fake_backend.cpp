// SPDX-License-Identifier: BSD-3-Clause
#include "tests/scheduler/fake_backend.hpp"

#include <cmath>

namespace foretile {

FakeRank::FakeRank(FakeCluster& cluster, Rank rank)
    : cluster_(cluster),
      rank_(rank),
      devices_(cluster.plan_.ranks[rank].devices.size()),
      device_bytes_(devices_.size(), 0),
      kernels_(devices_.size(), 0),
      copies_(devices_.size()) {
  for (std::size_t d = 0; d < devices_.size(); ++d)
    kernel_slots_.push_back(static_cast<int>(cluster.random_.integer(1, 3)));
  if (cluster.plan_.flows()) waiting_tasks_ = static_cast<int>(cluster.random_.integer(0, 2));
  for (const Matrix matrix : {Matrix::a, Matrix::b}) {
    if (!streams({matrix, 0}) || cluster.plan_.flows()) continue;
    for (TileId id = 0; id < shape_of(cluster.problem_, matrix).nonzeros(); ++id) {
      if (owner_of(cluster.problem_, cluster.plan_, {matrix, id}) == rank) on_host_[{matrix, id}] = 0;
    }
  }
  if (!devices_read_c(cluster.plan_, cluster.problem_)) return;
  for (TileId c = 0; c < cluster.problem_.c.nonzeros(); ++c) on_host_[{Matrix::c, c}] = 0;
}

double number_of(TileRef tile) {
  const std::uint64_t bits =
      counter_bits(static_cast<std::uint64_t>(tile.matrix) + 1, static_cast<std::uint64_t>(tile.id));
  return 0.5 + static_cast<double>(bits >> 11) / 9007199254740992.0;
}

bool FakeRank::streams(TileRef tile) const {
  return tile.matrix == Matrix::a || (tile.matrix == Matrix::b && cluster_.plan_.operands.b.streams());
}

DeviceTraits FakeRank::traits(MemoryPlace device) const {
  return cluster_.options_.traits(static_cast<std::size_t>(device));
}

double FakeRank::now() const {
  return cluster_.clock_;
}

void FakeRank::complain(const std::string& what) {
  if (cluster_.complaints.size() < 5) cluster_.complaints.push_back(fmt::format("rank {}: {}", rank_, what));
}

std::int64_t FakeRank::bytes_of(TileRef tile) const {
  return foretile::bytes_of(cluster_.problem_, tile);
}

namespace {

std::string name(TileRef tile) {
  return fmt::format("{}{}", "ABC"[static_cast<int>(tile.matrix)], tile.id);
}

}  // namespace

void FakeRank::allocate(Device device, TileRef tile) {
  enter(device, tile, tile.matrix == Matrix::c && !devices_read_c(cluster_.plan_, cluster_.problem_));
}

void FakeRank::enter(MemoryPlace device, TileRef tile, bool readable) {
  const std::int64_t bytes = bytes_of(tile);
  const bool initial_c = tile.matrix == Matrix::c && devices_read_c(cluster_.plan_, cluster_.problem_);
  if (!devices_[device]
           .emplace(Key{tile.matrix, tile.id}, Tile{bytes, readable, 0, initial_c ? number_of(tile) : 0})
           .second)
    complain(fmt::format("{} is on device {} already", name(tile), device));
  device_bytes_[device] += bytes;
  if (device_bytes_[device] > cluster_.plan_.memory_of(cluster_.plan_.ranks[rank_].devices[device]))
    complain(fmt::format("device {} holds {} bytes", device, device_bytes_[device]));
}

void FakeRank::release(Device device, TileRef tile) {
  const auto found = devices_[device].find({tile.matrix, tile.id});
  if (found == devices_[device].end()) return complain(fmt::format("{} released but not there", name(tile)));
  if (found->second.users > 0) complain(fmt::format("{} released in use", name(tile)));
  device_bytes_[device] -= found->second.bytes;
  devices_[device].erase(found);
}

void FakeRank::staging_left(TileRef tile) {
  const auto found = staged_.find(tile.id);
  if (tile.matrix != Matrix::b || found == staged_.end() || !found->second)
    return complain(fmt::format("{} leaves the staging area but is not there", name(tile)));
  staged_.erase(found);
  staged_bytes_ -= bytes_of(tile);
}

void FakeRank::release_host(TileRef tile) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    if (traits(static_cast<MemoryPlace>(d)).in_host_memory && devices_[d].contains({tile.matrix, tile.id}))
      complain("release_host where nothing is copied");
  }
  staging_left(tile);
}

void FakeRank::adopt(Device device, TileRef tile) {
  if (!traits(device).in_host_memory) complain("adopt where tiles are copied");
  const bool initial_c = tile.matrix == Matrix::c && devices_read_c(cluster_.plan_, cluster_.problem_);
  if (tile.matrix == Matrix::c && !initial_c) complain("C adopted");
  if ((streams(tile) || initial_c) && !on_host_.contains({tile.matrix, tile.id}))
    complain(name(tile) + " adopted but not on the host");
  if (initial_c) on_host_.erase({tile.matrix, tile.id});
  if (tile.matrix == Matrix::b && !streams(tile)) staging_left(tile);
  enter(device, tile, true);
}

FakeRank::Tile* FakeRank::use(MemoryPlace device, TileRef tile, bool must_be_readable) {
  const auto found = devices_[device].find({tile.matrix, tile.id});
  if (found == devices_[device].end()) {
    complain(fmt::format("{} used but not on device {}", name(tile), device));
    return nullptr;
  }
  if (must_be_readable && !found->second.readable) complain(name(tile) + " read before it arrived");
  ++found->second.users;
  return &found->second;
}

void FakeRank::unuse(MemoryPlace device, TileRef tile) {
  if (const auto found = devices_[device].find({tile.matrix, tile.id}); found != devices_[device].end())
    --found->second.users;
}

void FakeRank::start_kernel(OperationId id, Device device, std::span<const Product> products) {
  const Contraction& p = cluster_.problem_;
  std::vector<TileRef> tiles;
  if (products.empty()) complain("a kernel without products");
  if (static_cast<int>(products.size()) > traits(device).batch) complain("too many products at once");
  for (const Product& product : products) {
    if (p.a.find(product.i, product.k) != product.a || p.b.find(product.k, product.j) != product.b ||
        p.c.find(product.i, product.j) != product.c)
      complain("a kernel whose tiles do not match");
    for (const TileRef tile :
         {TileRef{Matrix::a, product.a}, {Matrix::b, product.b}, {Matrix::c, product.c}}) {
      tiles.push_back(tile);
      use(device, tile, true);
    }
    cluster_.accumulated[{rank_, device, product.c}].emplace_back(product.a, product.b);
    if (const auto c = devices_[device].find({Matrix::c, product.c}); c != devices_[device].end())
      c->second.number += number_of({Matrix::a, product.a}) * number_of({Matrix::b, product.b});
  }
  if (cluster_.options_.whole_batches && static_cast<int>(products.size()) < traits(device).batch)
    cluster_.partial_batches[{rank_, device}]++;
  if (++kernels_[device] > kernel_slots(device)) complain("more kernels in flight than slots");
  const int cores = traits(device).cores;
  if (kernels_[device] == 1 && cores > 0 && (cores_busy_ += cores) > cluster_.options_.core_slots)
    complain("more work than cores");
  cluster_.later([this, id, device, tiles, cores] {
    for (const TileRef tile : tiles) unuse(device, tile);
    --kernels_[device];
    if (kernels_[device] == 0) cores_busy_ -= cores;
    scheduler->done(id);
  });
}

void FakeRank::begin_part(const GeneratedPart& part, bool alone) {
  const Contraction& p = cluster_.problem_;
  const std::int64_t bytes = p.b_bytes(part.tile);
  const bool whole = part.elements * p.element_bytes() == bytes;
  if (part.first == 0) {
    if (!generated_.insert(part.tile).second) complain(fmt::format("B{} generated again", part.tile));
    staged_[part.tile] = false;
    staged_bytes_ += bytes;
  }
  if (begun_[part.tile] != part.first) complain(fmt::format("a part of B{} out of turn", part.tile));
  begun_[part.tile] += part.elements;
  if (whole) return;
  if (!alone) complain(fmt::format("a part of B{} with others", part.tile));
  if (part.elements * p.element_bytes() < cluster_.options_.least_part_bytes - p.element_bytes())
    complain(fmt::format("a small part of B{}", part.tile));
}

void FakeRank::end_part(const GeneratedPart& part) {
  const Contraction& p = cluster_.problem_;
  made_[part.tile] += part.elements;
  staged_[part.tile] = made_[part.tile] * p.element_bytes() == p.b_bytes(part.tile);
}

void FakeRank::start_generate(OperationId id, std::span<const GeneratedPart> parts) {
  if (parts.empty() || std::ssize(parts) > cluster_.options_.tiles_at_once)
    complain(fmt::format("{} tiles generated at once", parts.size()));
  for (const GeneratedPart& part : parts) begin_part(part, parts.size() == 1);
  if (staged_bytes_ > cluster_.plan_.staging_bytes)
    complain(fmt::format("staging area holds {} bytes", staged_bytes_));
  if (++cores_busy_ > cluster_.options_.core_slots) complain("more work than cores");
  cluster_.later([this, id, made = std::vector<GeneratedPart>(parts.begin(), parts.end())] {
    for (const GeneratedPart& part : made) end_part(part);
    --cores_busy_;
    scheduler->done(id);
  });
}

/// Where the rank has what it owns or received.
bool FakeRank::from_rank(const Copy& copy) {
  return copy.from == kHost || device_of_messages(copy.from);
}

MemoryPlace FakeRank::place_of(Key tile) const {
  const auto found = came_to_.find(tile);
  return found == came_to_.end() ? kHost : found->second;
}

void FakeRank::start_copy(OperationId id, const Copy& copy) {
  std::int64_t bytes = 0;
  for (const TileRef tile : copy.tiles) {
    bytes += bytes_of(tile);
    if (copy.to == kHost) {
      if (tile.matrix != Matrix::c) complain(name(tile) + " stored");
      if (Tile* const here = use(copy.from, tile, true); here && here->users > 1)
        complain(name(tile) + " stored in use");
      continue;
    }
    if (traits(copy.to).in_host_memory) complain("a load where nothing is copied");
    if (Tile* const there = use(copy.to, tile, false); there && there->readable)
      complain(name(tile) + " loaded again");
    if (copy.from == kGenerated) {
      if (!traits(copy.to).generates_tiles || streams(tile)) complain(name(tile) + " made on a device");
      if (!generated_.insert(tile.id).second) complain(name(tile) + " made again");
    } else if (!from_rank(copy)) {
      if (traits(copy.from).in_host_memory) complain(name(tile) + " copied from a device in host memory");
      if (!streams(tile)) complain(name(tile) + " copied between devices");
      use(copy.from, tile, true);
      if (tile.matrix == Matrix::a) cluster_.a_between_devices[tile.id].emplace_back(copy.from, copy.to);
    } else if (tile.matrix == Matrix::b && !streams(tile)) {
      if (!staged_.contains(tile.id) || !staged_.at(tile.id)) complain(name(tile) + " loaded but not staged");
    } else if (const auto here = on_host_.find({tile.matrix, tile.id}); here == on_host_.end()) {
      complain(name(tile) + " loaded but not on the host");
    } else {
      ++here->second;
      if (place_of({tile.matrix, tile.id}) != copy.from) complain(name(tile) + " loaded from another place");
    }
  }
  if (bytes != copy.bytes) complain("a copy with the wrong size");
  if (copy.tiles.empty()) complain("an empty copy");
  const int kind = copy.from == kHost ? 0 : copy.to == kHost ? 1 : copy.from == kGenerated ? 3 : 2;
  const MemoryPlace device = copy.to == kHost ? copy.from : copy.to;
  if (++copies_[device][kind] > cluster_.options_.copy_slots) complain("more copies in flight than slots");
  if (kind == 2) ++(from_rank(copy) ? cluster_.message_copies : cluster_.peer_copies);
  cluster_.later([this, id, copy, kind, device] {
    --copies_[device][kind];
    copy_ended(copy);
    scheduler->done(id);
  });
}

void FakeRank::copy_ended(const Copy& copy) {
  for (const TileRef tile : copy.tiles) {
    if (copy.to == kHost) {
      const double number = devices_[copy.from].at({tile.matrix, tile.id}).number;
      if (!cluster_.plan_.partial_sums) {
        cluster_.c[tile.id] = number;
      } else if (!parts_.emplace(std::pair(tile.id, cluster_.plan_.parts_of(Device::of(copy.from))), number)
                      .second) {
        complain(name(tile) + " stored again");
      }
    }
    if (copy.from >= 0) unuse(copy.from, tile);
    if (from_rank(copy) && (streams(tile) || tile.matrix == Matrix::c)) --on_host_[{tile.matrix, tile.id}];
    if (copy.to == kHost) {
      ++cluster_.stored[tile.id];
      continue;
    }
    unuse(copy.to, tile);
    if (const auto found = devices_[copy.to].find({tile.matrix, tile.id}); found != devices_[copy.to].end())
      found->second.readable = true;
  }
}

void FakeRank::start_send(OperationId id, Rank to_rank, const Message& message) {
  const Transfer& broadcast = *message.transfer;
  if (broadcast.others.at(message.position - 1) != to_rank) complain("sent to another rank");
  std::int64_t bytes = 0;
  for (const TileId tile : broadcast.tiles) {
    bytes += bytes_of({broadcast.matrix, tile});
    if (broadcast.kind == TransferKind::result) {
      if (broadcast.matrix == Matrix::c && !c_here_.contains(tile))
        complain(fmt::format("C{} sent but not here", tile));
      if (broadcast.matrix == Matrix::t) check_tensor_tile(tile);
      continue;
    }
    // Received tiles may be dropped while their message still waits to be forwarded.
    if (broadcast.kind == TransferKind::parts) continue;
    const bool here = message.owner == rank_ ? on_host_.contains({broadcast.matrix, tile})
                                             : messages_.contains({message.owner, message.number});
    if (!here) complain(fmt::format("{} sent but not here", name({broadcast.matrix, tile})));
  }
  if (bytes != message.bytes) complain("a message with the wrong size");
  if (++sends_ > cluster_.options_.send_slots) complain("more messages in flight than slots");
  ++sends_of_[{message.owner, message.number}];
  cluster_.later([this, id, to_rank, message, parts = parts_to_send(message)] {
    --sends_;
    --sends_of_[{message.owner, message.number}];
    scheduler->done(id);
    FakeRank& to = *cluster_.ranks[to_rank];
    const Path path = scheduler->path();
    cluster_.later(
        [&to, message, path, parts] {
          const Transfer& arrived = *message.transfer;
          if (arrived.kind == TransferKind::parts) {
            to.arrived(message, parts);
            to.scheduler->received(message, path);
            return;
          }
          if (arrived.kind == TransferKind::result) {
            const TileId tile = arrived.tiles.front();
            const bool fresh = arrived.matrix == Matrix::c
                                   ? to.c_here_.insert(tile).second
                                   : to.tensors_here_.emplace(int{arrived.step}, tile).second;
            if (!fresh) to.complain("a result received again");
            to.host_bytes_changed(arrived.matrix == Matrix::t ? message.bytes : 0);
            if (!to.scheduler->expects_messages()) to.complain("a result that it does not expect");
            to.scheduler->received(message, path);
            return;
          }
          for (const TileId tile : arrived.tiles) {
            if (!to.on_host_.emplace(Key{arrived.matrix, tile}, 0).second)
              to.complain(fmt::format("{} received again", name({arrived.matrix, tile})));
            if (to.cluster_.options_.messages_on_devices)
              to.came_to_[{arrived.matrix, tile}] =
                  place_received(to.devices_.size(), message.owner, message.number);
          }
          to.messages_[{message.owner, message.number}] = message.transfer;
          to.message_bytes_changed(message.owner, message.number, message.bytes);
          if (!to.scheduler->expects_messages()) to.complain("a message that it does not expect");
          to.scheduler->received(message, path);
        },
        cluster_.message_slowness_);
  });
}

/// In the order of the sum's tiles, as they are when the message leaves.
FakeRank::ReceivedParts FakeRank::parts_to_send(const Message& message) {
  ReceivedParts parts;
  if (message.transfer->kind != TransferKind::parts) return parts;
  const RankPlan& plan = cluster_.plan_.ranks[rank_];
  const Sum& sum = plan.sums.at(static_cast<std::size_t>(message.number) - plan.transfers.size());
  for (const TileId tile : sum.tiles) {
    const auto part = parts_.find({tile, sum.devices.front()});
    if (part == parts_.end()) {
      complain(fmt::format("parts of C{} sent but not here", tile));
    } else {
      parts.numbers[tile] = part->second;
    }
  }
  parts.bytes = message.bytes;
  return parts;
}

void FakeRank::arrived(const Message& message, ReceivedParts parts) {
  if (!scheduler->expects_messages()) complain("parts that it does not expect");
  if (!received_parts_.emplace(std::pair(message.owner, message.number), std::move(parts)).second)
    complain("parts received again");
}

double* FakeRank::number_at(const PlaceOfC& place, TileId tile) {
  if (place.kind == PlaceOfC::Kind::c) {
    const auto [c, fresh] = cluster_.c.emplace(tile, 0);
    if (fresh && cluster_.problem_.reads_c()) c->second = number_of({Matrix::c, tile});
    return &c->second;
  }
  if (place.kind == PlaceOfC::Kind::device) {
    const auto part = parts_.find({tile, place.device});
    return part == parts_.end() ? nullptr : &part->second;
  }
  const auto message = received_parts_.find({place.sender, place.number});
  if (message == received_parts_.end()) return nullptr;
  const auto part = message->second.numbers.find(tile);
  return part == message->second.numbers.end() ? nullptr : &part->second;
}

void FakeRank::start_combine(OperationId id, const Combine& combine) {
  if (++cores_busy_ > cluster_.options_.core_slots) complain("more work than cores");
  if (combine.tiles.empty()) complain("an empty addition");
  cluster_.later([this, id, &combine] {
    for (const TileId tile : combine.tiles) {
      double* const to = number_at(combine.to, tile);
      const double* const from = number_at(combine.from, tile);
      if (!to || !from) {
        complain(fmt::format("parts of C{} added that are not here", tile));
      } else {
        const double beta = combine.beta.real();
        *to = (beta == 0 ? 0 : beta * *to) + combine.factor.real() * *from;
      }
    }
    --cores_busy_;
    scheduler->done(id);
  });
}

void FakeRank::start_task(OperationId id, std::int32_t number, const FlowTask& task, int cores) {
  cluster_.most_task_cores = std::max(cluster_.most_task_cores, cores);
  if (cores_busy_ < cluster_.options_.core_slots) {
    if ((cores_busy_ += cores) > cluster_.options_.core_slots) complain("more work than cores");
    ++tasks_running_;
  } else if (++tasks_waiting_ > tasks_running_ * waiting_tasks_) {
    complain("more tasks than may wait");
  }
  if (task.after >= 0 && !tasks_done_.contains(task.after))
    complain(fmt::format("task {} too early", number));
  if (task.adds() && !c_here_.contains(task.reads.id))
    complain(fmt::format("C{} read but not here", task.reads.id));
  if (!task.adds() && cluster_.plan_.tensors.comes_to(rank_, task.reads.id)) {
    if (!tensors_here_.contains({int{task.step}, task.reads.id}))
      complain(fmt::format("tensor tile {} read but not here", task.reads.id));
  } else if (!task.adds()) {
    check_tensor_tile(task.reads.id);
  }
  if (task.makes_operand()) host_bytes_changed(made_bytes(task));
  cluster_.later([this, id, number, cores, &task] {
    cores_busy_ -= cores - 1;
    if (task.writes.matrix == Matrix::c) {
      c_here_.insert(task.writes.id);
    } else if (task.makes_operand() && !on_host_.emplace(Key{task.writes.matrix, task.writes.id}, 0).second) {
      complain(name(task.writes) + " made again");
    }
    if (!tasks_done_.insert(number).second) complain(fmt::format("task {} again", number));
    if (tasks_waiting_ > 0) {  // one of them has the core now
      --tasks_waiting_;
    } else {
      --cores_busy_;
      --tasks_running_;
    }
    scheduler->done(id);
  });
}

std::int64_t FakeRank::made_bytes(const FlowTask& task) const {
  return is_in_place(cluster_.plan_, task) ? 0 : bytes_of(task.writes);
}

/// Of this rank: all that is added to it was.
void FakeRank::check_tensor_tile(TileId tile) {
  const std::vector<FlowTask>& tasks = cluster_.plan_.ranks[rank_].flow.tasks;
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    if (tasks[task].adds() && tasks[task].writes.id == tile &&
        !tasks_done_.contains(static_cast<std::int32_t>(task)))
      complain(fmt::format("tensor tile {} read before its last addition", tile));
  }
}

void FakeRank::release_step(Step step) {
  ++cluster_.released_steps;
  for (const FlowTask& task : cluster_.plan_.ranks[rank_].flow.tasks) {
    if (task.step != step || !task.makes_operand()) continue;
    const Key key{task.writes.matrix, task.writes.id};
    if (!on_host_.contains(key) || on_host_.at(key) > 0) complain(name(task.writes) + " released in use");
    on_host_.erase(key);
    host_bytes_changed(-made_bytes(task));
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (traits(static_cast<MemoryPlace>(d)).in_host_memory && devices_[d].contains(key))
        complain(name(task.writes) + " released while a device has it");
    }
  }
  std::erase_if(c_here_, [&](TileId tile) { return cluster_.plan_.step_of(tile) == step; });
  std::erase_if(tensors_here_, [&](const std::pair<int, TileId>& here) {
    if (here.first == step) host_bytes_changed(-bytes_of({Matrix::t, here.second}));
    return here.first == step;
  });
}

void FakeRank::release_parts(std::span<const TileId> tiles, Device computed_by) {
  for (const TileId tile : tiles) {
    if (parts_.erase({tile, computed_by}) == 0)
      complain(fmt::format("a part of C{} released that is not here", tile));
  }
}

void FakeRank::keep_parts(std::span<const TileId> tiles, Device computed_by) {
  for (const TileId tile : tiles) {
    const auto part = parts_.find({tile, computed_by});
    if (part == parts_.end()) return complain(fmt::format("a part of C{} kept that is not here", tile));
    if (!cluster_.c.emplace(tile, part->second).second) complain(fmt::format("C{} is there already", tile));
    parts_.erase(part);
  }
}

void FakeRank::host_bytes_changed(std::int64_t bytes) {
  host_bytes_ += bytes;
  cluster_.most_host_bytes = std::max(cluster_.most_host_bytes, host_bytes_);
}

void FakeRank::message_bytes_changed(Rank owner, int number, std::int64_t bytes) {
  received_bytes_ += bytes;
  cluster_.most_received_bytes = std::max(cluster_.most_received_bytes, received_bytes_);
  if (!cluster_.options_.messages_on_devices) return host_bytes_changed(bytes);
  std::int64_t& there = message_bytes_[place_received(devices_.size(), owner, number)];
  there += bytes;
  cluster_.most_device_message_bytes = std::max(cluster_.most_device_message_bytes, there);
}

void FakeRank::release_message(Rank owner, int number) {
  if (received_parts_.erase({owner, number}) > 0) return;
  const auto found = messages_.find({owner, number});
  if (found == messages_.end()) return complain("a message released that is not here");
  if (sends_of_[{owner, number}] > 0) complain("a message released while it is sent on");
  const Transfer& broadcast = *found->second;
  for (const TileId tile : broadcast.tiles) {
    const TileRef ref{broadcast.matrix, tile};
    if (on_host_.at({broadcast.matrix, tile}) > 0) complain(name(ref) + " released while it is copied");
    on_host_.erase({broadcast.matrix, tile});
    came_to_.erase({broadcast.matrix, tile});
    message_bytes_changed(owner, number, -bytes_of(ref));
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      if (traits(static_cast<MemoryPlace>(d)).in_host_memory &&
          devices_[d].contains({broadcast.matrix, tile}))
        complain(name(ref) + " released while a device has it");
    }
  }
  messages_.erase(found);
  ++cluster_.released_messages;
}

/// Signals overtake messages and each other's handling, but not each other on their way.
void FakeRank::send_signal(Rank to_rank, Signal signal) {
  FakeRank& to = *cluster_.ranks[to_rank];
  double& last = cluster_.last_signal_[{rank_, to_rank}];
  last = std::max(last, cluster_.clock_) + 0.1 + cluster_.random_.real();
  cluster_.pending_.emplace(last, [&to, signal] {
    if (!to.scheduler->expects_messages()) to.complain("a signal that it does not expect");
    to.scheduler->signalled(signal);
  });
}

FakeCluster::FakeCluster(const Plan& plan, const Contraction& problem, const SchedulerOptions& options,
                         std::uint64_t seed)
    : plan_(plan), problem_(problem), options_(options), random_(seed) {
  if (random_.integer(0, 1) == 1) message_slowness_ = 30;
  for (Rank rank = 0; rank < static_cast<int>(plan.ranks.size()); ++rank) {
    ranks.push_back(std::make_unique<FakeRank>(*this, rank));
    ranks.back()->scheduler =
        std::make_unique<RankScheduler>(plan, plan.ranks[rank], problem, rank, *ranks.back(), options_);
  }
}

void FakeCluster::later(Event event, double slowness) {
  pending_.emplace(clock_ + slowness * std::pow(1000.0, random_.real()), std::move(event));
}

void FakeCluster::run() {
  for (const auto& rank : ranks) rank->scheduler->start();
  while (!pending_.empty()) {
    auto next = pending_.extract(pending_.begin());
    clock_ = next.key();
    ++events;
    next.mapped()();
  }
  for (const auto& rank : ranks) {
    if (!rank->scheduler->finished()) rank->complain("stalled");
    if (rank->scheduler->expects_messages()) rank->complain("expects messages at the end");
    if (!rank->staged_.empty()) rank->complain("B left in the staging area");
    if (!rank->parts_.empty() || !rank->received_parts_.empty()) rank->complain("parts of C left");
    for (const auto& device : rank->devices_) {
      for (const auto& [key, tile] : device) {
        if (!rank->streams({key.first, key.second})) rank->complain("B or C left on a device");
      }
    }
  }
}

}  // namespace foretile
