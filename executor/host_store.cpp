#include "executor/host_store.hpp"

#include "executor/generate.hpp"
#include "planner/owners.hpp"

namespace foretile {

namespace {

void fill_a(const Contraction& p, TileId a, double* memory) {
  generate_tile({memory, static_cast<std::size_t>(p.a_bytes(a) / 8)}, tile_key(p.seed, Operand::a, a),
                p.a.norm(a));
}

}  // namespace

HostStore::HostStore(const Contraction& contraction, const Plan& frame, const RankPlan& plan, int rank)
    : problem_(contraction) {
  for (std::size_t n = 0; n < plan.broadcasts.size(); ++n) {
    const auto message =
        std::make_shared<MessageBuffer>(contraction, plan.broadcasts[n], rank, static_cast<int>(n));
    double* memory = message->tiles();
    for (const TileId a : plan.broadcasts[n].tiles) {
      fill_a(contraction, a, memory);
      memory += contraction.a_bytes(a) / 8;
    }
    keep(message);
  }
  for (const DevicePlan& device : plan.devices) {
    for (const Block& block : device.blocks) {
      for (const Chunk& chunk : block.chunks) {
        for (const TileId a : chunk.a) {
          if (a_.contains(a) || owner_of(contraction, frame.grid, {Matrix::a, a}) != rank) continue;
          apart_.emplace_back(contraction.a_bytes(a));
          a_[a] = apart_.back().data();
          fill_a(contraction, a, a_[a]);
        }
      }
    }
  }
}

void HostStore::keep(std::shared_ptr<MessageBuffer> message) {
  double* memory = message->tiles();
  for (const TileId a : message->broadcast()->tiles) {
    a_[a] = memory;
    memory += problem_.a_bytes(a) / 8;
  }
  messages_[{message->owner(), message->number()}] = std::move(message);
}

}  // namespace foretile
