#include "executor/cpu/cpu_backend.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/combine_job.hpp"
#include "executor/initial_tile.hpp"

namespace foretile {

CpuBackend::CpuBackend(const Contraction& contraction, const ProductForm& form, HostStore& host, int devices,
                       int cores, Transport transport, std::vector<int> cpus)
    : problem_(contraction),
      kernels_(contraction, form),
      host_(host),
      transport_(std::move(transport)),
      devices_(devices),
      copies_(1, completions_),
      cores_(cores, completions_, std::move(cpus)) {}

double CpuBackend::at(Completions::Clock::time_point time) const {
  return std::chrono::duration<double>(time - start_).count();
}

double CpuBackend::now() const {
  return at(Completions::Clock::now());
}

std::vector<EndedOperation> CpuBackend::ended(double seconds) {
  std::vector<EndedOperation> all;
  for (const Completions::Entry& e : completions_.take(seconds)) {
    all.push_back({e.id, {.began_s = at(e.began), .ended_s = at(e.ended)}});
  }
  return all;
}

std::byte* CpuBackend::at(MemoryPlace place, TileRef tile) {
  if (place == kHost) {
    if (tile.matrix == Matrix::c) return host_.c.at(tile.id).data();
    const auto staged = host_.staged_b.find(tile.id);
    const bool generated = tile.matrix == Matrix::b && staged != host_.staged_b.end();
    return generated ? staged->second.data() : host_.tile(tile);
  }
  return devices_[place].places.at(tile);
}

void CpuBackend::allocate(Device device, TileRef tile) {
  DeviceTiles& here = devices_[device];
  if (tile.matrix == Matrix::c && !host_.devices_read_c()) {
    here.places[tile] = nullptr;  // a block has many of them, and cores wait for its first product
    return;
  }
  TileBuffer& memory = here.own[tile] = TileBuffer(bytes_of(problem_, tile));
  here.places[tile] = memory.data();
}

/// Tiles that only this device uses from now on change hands; others are shared.
void CpuBackend::adopt(Device device, TileRef tile) {
  auto& from = tile.matrix == Matrix::c ? host_.c : host_.staged_b;
  DeviceTiles& here = devices_[device];
  const auto found = tile.matrix == Matrix::a ? from.end() : from.find(tile.id);
  if (found == from.end()) {
    here.places[tile] = host_.tile(tile);
    return;
  }
  here.places[tile] = found->second.data();
  here.own[tile] = std::move(found->second);
  from.erase(found);
}

void CpuBackend::release(Device device, TileRef tile) {
  DeviceTiles& here = devices_[device];
  here.places.erase(tile);
  if (here.own.contains(tile)) here.own.erase(tile);
}

void CpuBackend::release_host(TileRef tile) {
  host_.staged_b.erase(tile.id);
}

void CpuBackend::start_kernel(OperationId id, Device device, std::span<const Product> products) {
  struct Work {
    TileKernel kernel;
    const std::byte* a;
    const std::byte* b;
    std::byte* c;
  };
  std::vector<Work> all;
  all.reserve(products.size());
  DeviceTiles& tiles = devices_[device];
  const std::byte* a = nullptr;
  TileId a_id = -1;  // several products of one tile of A follow each other
  for (const Product& x : products) {
    if (x.a != a_id) {
      a_id = x.a;
      a = tiles.places.at({Matrix::a, a_id});
    }
    std::byte*& c = tiles.places.at({Matrix::c, x.c});
    const COld old = c ? COld::added : COld::ignored;
    if (!c) {
      TileBuffer& home = host_.home_of_c(x.c, device) = TileBuffer(problem_.c_bytes(x.c), host_.memory());
      c = home.data();
    }
    all.push_back({kernels_.of(x, old), a, tiles.places.at({Matrix::b, x.b}), c});
  }
  cores_.submit_in_turn(device, id, [all = std::move(all)] {
    for (const Work& work : all) work.kernel(work.a, work.b, work.c);
  });
}

void CpuBackend::start_generate(OperationId id, std::span<const MadePart> parts) {
  cores_.submit(id, [this, places = host_.stage_b(parts)] {
    for (const auto& [part, to] : places) make_part_of_b(problem_, part, to);
  });
}

void CpuBackend::start_combine(OperationId id, const Combine& combine) {
  cores_.submit(id, combine_job(problem_, host_, combine));
}

/// Finished tiles of C change hands, or are at home from the start; everything else is really copied.
void CpuBackend::start_copy(OperationId id, const Copy& copy) {
  if (copy.to == kHost) {
    if (host_.devices_read_c()) {
      for (const TileRef tile : copy.tiles)
        host_.home_of_c(tile.id, Device::of(copy.from)) = std::move(devices_[copy.from].own.at(tile));
    }
    const auto at_once = Completions::Clock::now();
    completions_.add({id, at_once, at_once}, nullptr, true);
    return;
  }
  struct Move {
    const std::byte* from;
    std::byte* to;
    std::size_t bytes;
  };
  std::vector<Move> moves;
  moves.reserve(copy.tiles.size());
  for (const TileRef tile : copy.tiles) {
    moves.push_back(
        {at(copy.from, tile), at(copy.to, tile), static_cast<std::size_t>(bytes_of(problem_, tile))});
  }
  copies_.submit(id, [moves = std::move(moves)] {
    for (const Move& move : moves) std::memcpy(move.to, move.from, move.bytes);
  });
}

}  // namespace foretile
