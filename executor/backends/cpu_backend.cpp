// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/cpu_backend.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "executor/cpu/team_product.hpp"
#include "executor/tiles/tile_extents.hpp"

namespace foretile {

CpuBackend::CpuBackend(const Contraction& contraction, const ProductForm& form, HostStore& host,
                       const std::vector<int>& sharing, int cores, Transport transport, std::vector<int> cpus)
    : RankBackend(contraction, host, cores, std::move(transport), std::move(cpus)),
      kernels_(contraction, form),
      devices_(sharing.size()),
      copies_(1, completions_) {
  int lanes = 0;
  for (std::size_t d = 0; d < sharing.size(); ++d) {
    devices_[d].cores = sharing[d];
    devices_[d].first_lane = std::exchange(lanes, lanes + sharing[d]);
  }
}

std::span<const EndedOperation> CpuBackend::ended(double seconds) {
  ended_now_.clear();
  take_completions(seconds);
  return ended_now_;
}

TileView CpuBackend::tile_at(MemoryPlace place, TileRef tile) {
  if (place == kHost) {
    const std::int64_t rows = extents_of(problem_, tile).rows;
    if (tile.matrix == Matrix::c) return host_.c.at(tile.id).view(rows);
    const auto staged = host_.staged_b.find(tile.id);
    const bool generated = tile.matrix == Matrix::b && staged != host_.staged_b.end();
    return generated ? staged->second.view(rows) : host_.tile(tile);
  }
  return devices_[place].places.at(tile);
}

void CpuBackend::allocate(Device device, TileRef tile) {
  DeviceTiles& here = devices_[device];
  if (tile.matrix == Matrix::c && !host_.devices_read_c()) {
    here.places[tile] = {};  // a block has many of them, and cores wait for its first product
    return;
  }
  TileBuffer& memory = here.own[tile] = TileBuffer(bytes_of(problem_, tile));
  here.places[tile] = memory.view(extents_of(problem_, tile).rows);
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
  here.places[tile] = found->second.view(extents_of(problem_, tile).rows);
  here.own[tile] = std::move(found->second);
  from.erase(found);
}

void CpuBackend::release(Device device, TileRef tile) {
  DeviceTiles& here = devices_[device];
  here.places.erase(tile);
  if (here.own.contains(tile)) here.own.erase(tile);
}

void CpuBackend::start_kernel(OperationId id, Device device, std::span<const Product> products) {
  DeviceTiles& tiles = devices_[device];
  for (const Product& x : products) {
    TileView& c = tiles.places.at({Matrix::c, x.c});
    tiles.old.push_back(c.data ? COld::added : COld::ignored);
    if (!c.data) c = host_.place_of_c(x.c, device);
  }
  if (tiles.cores == 1) {
    start_on_core(id, tiles, products);
  } else {
    start_on_team(id, tiles, products);
  }
  tiles.old.clear();
}

void CpuBackend::start_on_core(OperationId id, DeviceTiles& device, std::span<const Product> products) {
  struct Work {
    TileKernel kernel;
    TileView a, b, c;
  };
  std::vector<Work> all;
  all.reserve(products.size());
  TileView a;
  TileId a_id = -1;  // several products of one tile of A follow each other
  for (std::size_t p = 0; p < products.size(); ++p) {
    const Product& x = products[p];
    if (x.a != a_id) {
      a_id = x.a;
      a = device.places.at({Matrix::a, a_id});
    }
    all.push_back({kernels_.of(x, device.old[p]), a, device.places.at({Matrix::b, x.b}),
                   device.places.at({Matrix::c, x.c})});
  }
  cores_.submit_fifo(device.first_lane, id, [all = std::move(all)] {
    for (const Work& work : all) work.kernel(work.a, work.b, work.c);
  });
}

/// Each core has its part of all products; parts of different cores need not wait for each other.
void CpuBackend::start_on_team(OperationId id, DeviceTiles& device, std::span<const Product> products) {
  const auto all = std::make_shared<std::vector<TeamProduct>>();
  for (std::size_t p = 0; p < products.size(); ++p) {
    const Product& x = products[p];
    const ProductSize size{problem_.m.size(x.i), problem_.n.size(x.j), problem_.k.size(x.k)};
    all->push_back({kernels_.form_of(x), size, team_parts(size.m, size.n, device.cores), device.old[p],
                    device.places.at({Matrix::a, x.a}), device.places.at({Matrix::b, x.b}),
                    device.places.at({Matrix::c, x.c})});
  }
  int most = 1;
  for (const TeamProduct& product : *all) most = std::max(most, product.parts.count());
  std::vector<std::function<void()>> parts;
  for (int part = 0; part < most; ++part) {
    parts.emplace_back([all, part] {
      for (const TeamProduct& product : *all) product.multiply(part);
    });
  }
  cores_.submit_parts(device.first_lane, id, std::move(parts));
}

/// Finished tiles of C change hands, or are in place from the start; everything else is really copied.
void CpuBackend::start_copy(OperationId id, const Copy& copy) {
  if (copy.to == kHost) {
    if (host_.devices_read_c()) {
      for (const TileRef tile : copy.tiles)
        host_.keep_c(tile.id, std::move(devices_[copy.from].own.at(tile)));
    }
    const auto at_once = Completions::Clock::now();
    completions_.add({id, at_once, at_once}, nullptr, true);
    return;
  }
  struct Move {
    TileExtents extents;
    TileView from, to;
  };
  std::vector<Move> moves;
  moves.reserve(copy.tiles.size());
  for (const TileRef tile : copy.tiles) {
    moves.push_back({extents_of(problem_, tile), tile_at(copy.from, tile), tile_at(copy.to, tile)});
  }
  copies_.submit(id, [moves = std::move(moves)] {
    for (const Move& move : moves) copy_tile(move.extents, move.from, move.to);
  });
}

}  // namespace foretile
