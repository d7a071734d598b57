#include "executor/cpu/cpu_backend.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "executor/combine_job.hpp"
#include "executor/initial_tile.hpp"

namespace foretile {

CpuBackend::CpuBackend(const Contraction& contraction, HostStore& host, int devices, int cores,
                       Transport transport)
    : problem_(contraction),
      kernels_(contraction),
      host_(host),
      transport_(std::move(transport)),
      devices_(devices),
      copies_(1, completions_),
      cores_(cores, completions_) {}

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
  return devices_[place].at(tile).data;
}

void CpuBackend::allocate(Device device, TileRef tile) {
  DeviceTile& here = devices_[device][tile];
  here.untouched = tile.matrix == Matrix::c && !host_.devices_read_c();
  if (here.untouched) return;  // a block has many of them, and cores wait for its first product
  here.own = TileBuffer(bytes_of(problem_, tile));
  here.data = here.own.data();
}

std::byte* CpuBackend::touched(DeviceTile& c, TileRef tile) {
  if (!c.data) {
    c.own = TileBuffer(bytes_of(problem_, tile));
    c.data = c.own.data();
  }
  return c.data;
}

/// Tiles that only this device uses from now on change hands; others are shared.
void CpuBackend::adopt(Device device, TileRef tile) {
  auto& from = tile.matrix == Matrix::c ? host_.c : host_.staged_b;
  DeviceTile& here = devices_[device][tile];
  const auto found = tile.matrix == Matrix::a ? from.end() : from.find(tile.id);
  if (found == from.end()) {
    here.data = host_.tile(tile);
    return;
  }
  here.own = std::move(found->second);
  here.data = here.own.data();
  from.erase(found);
}

void CpuBackend::release(Device device, TileRef tile) {
  devices_[device].erase(tile);
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
  TileTable<DeviceTile>& tiles = devices_[device];
  for (const Product& x : products) {
    const TileRef of_c{Matrix::c, x.c};
    DeviceTile& c = tiles.at(of_c);
    const COld old = std::exchange(c.untouched, false) ? COld::ignored : COld::added;
    all.push_back({kernels_.of(x, old), tiles.at({Matrix::a, x.a}).data, tiles.at({Matrix::b, x.b}).data,
                   touched(c, of_c)});
  }
  cores_.submit_in_turn(device, id, [all = std::move(all)] {
    for (const auto& [kernel, a, b, c] : all) kernel(a, b, c);
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

/// Finished tiles of C change hands; everything else is really copied.
void CpuBackend::start_copy(OperationId id, const Copy& copy) {
  if (copy.to == kHost) {
    for (const TileRef tile : copy.tiles) {
      host_.home_of_c(tile.id, Device::of(copy.from)) = std::move(devices_[copy.from].at(tile).own);
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
