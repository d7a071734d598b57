#include "executor/cpu/cpu_backend.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "executor/cpu/blas.hpp"
#include "executor/initial_tile.hpp"

namespace foretile {

CpuBackend::CpuBackend(const Contraction& contraction, HostStore& host, int devices, int cores, Mail mail)
    : problem_(contraction),
      host_(host),
      mail_(std::move(mail)),
      devices_(devices),
      copies_(1, completions_),
      cores_(cores, completions_) {}

double CpuBackend::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::byte* CpuBackend::at(MemoryPlace place, TileRef tile) {
  if (place == kHost) {
    if (tile.matrix == Matrix::c) return host_.c.at(tile.id).data();
    const auto staged = host_.staged_b.find(tile.id);
    const bool generated = tile.matrix == Matrix::b && staged != host_.staged_b.end();
    return generated ? staged->second.data() : host_.tile(tile);
  }
  const DeviceTiles& device = devices_[place];
  const auto adopted = device.adopted.find(tile);
  return adopted != device.adopted.end() ? adopted->second : device.own.at(tile).data();
}

void CpuBackend::allocate(int device, TileRef tile) {
  devices_[device].own.emplace(tile, TileBuffer(bytes_of(problem_, tile)));
  if (tile.matrix == Matrix::c && !problem_.accumulate) devices_[device].untouched_c.insert(tile.id);
}

/// Tiles that only this device uses from now on change hands; others are shared.
void CpuBackend::adopt(int device, TileRef tile) {
  auto& from = tile.matrix == Matrix::c ? host_.c : host_.staged_b;
  const auto found = tile.matrix == Matrix::a ? from.end() : from.find(tile.id);
  if (found == from.end()) {
    devices_[device].adopted[tile] = host_.tile(tile);
    return;
  }
  devices_[device].own.emplace(tile, std::move(found->second));
  from.erase(found);
}

void CpuBackend::release(int device, TileRef tile) {
  if (devices_[device].adopted.erase(tile) == 0) devices_[device].own.erase(tile);
}

void CpuBackend::release_host(TileRef tile) {
  host_.staged_b.erase(tile.id);
}

void CpuBackend::start_kernel(OperationId id, int device, std::span<const Product> products) {
  struct Gemm {
    std::int64_t m, n, k;
    const std::byte* a;
    const std::byte* b;
    std::byte* c;
    bool first;
  };
  std::vector<Gemm> gemms;
  gemms.reserve(products.size());
  for (const Product& x : products) {
    gemms.push_back({problem_.m.size(x.i), problem_.n.size(x.j), problem_.k.size(x.k),
                     at(device, {Matrix::a, x.a}), at(device, {Matrix::b, x.b}), at(device, {Matrix::c, x.c}),
                     devices_[device].untouched_c.erase(x.c) > 0});
  }
  cores_.submit(id, [precision = problem_.precision, gemms = std::move(gemms)] {
    for (const auto& [m, n, k, a, b, c, first] : gemms) {
      if (first) std::fill_n(c, m * n * bytes_of(precision), std::byte{0});
      multiply_tiles(precision, m, n, k, a, b, c);
    }
  });
}

void CpuBackend::start_generate(OperationId id, TileId b) {
  const auto [place, fresh] = host_.staged_b.emplace(b, TileBuffer(problem_.b_bytes(b), host_.memory()));
  assert(fresh);
  cores_.submit(id, [this, b, to = place->second.data()] { make_tile(problem_, {Matrix::b, b}, to); });
}

/// Finished tiles of C change hands; everything else is really copied.
void CpuBackend::start_copy(OperationId id, const Copy& copy) {
  if (copy.to == kHost) {
    for (const TileRef tile : copy.tiles) {
      host_.c.insert_or_assign(tile.id, std::move(devices_[copy.from].own.extract(tile).mapped()));
    }
    completions_.add(id, nullptr);
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
