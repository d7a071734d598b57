#include "executor/cpu/cpu_backend.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "executor/cpu/blas.hpp"
#include "executor/generate.hpp"

namespace foretile {

CpuBackend::CpuBackend(const Contraction& contraction, HostStore& host, int devices, int cores, Send send)
    : problem_(contraction),
      host_(host),
      send_(std::move(send)),
      devices_(devices),
      copies_(1, completions_),
      cores_(cores, completions_) {}

double CpuBackend::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::int64_t CpuBackend::bytes(TileRef tile) const {
  switch (tile.matrix) {
    case Matrix::a:
      return problem_.a_bytes(tile.id);
    case Matrix::b:
      return problem_.b_bytes(tile.id);
    case Matrix::c:
      return problem_.c_bytes(tile.id);
  }
  return 0;
}

std::unordered_map<TileId, TileBuffer>& CpuBackend::tiles(int device, Matrix matrix) {
  DeviceTiles& d = devices_[device];
  return matrix == Matrix::a ? d.a : matrix == Matrix::b ? d.b : d.c;
}

double* CpuBackend::at(MemoryPlace place, TileRef tile) {
  if (place == kHost) {
    return tile.matrix == Matrix::a ? host_.a(tile.id) : host_.staged_b.at(tile.id).data();
  }
  if (tile.matrix == Matrix::a) {
    const auto& adopted = devices_[place].adopted_a;
    if (const auto found = adopted.find(tile.id); found != adopted.end()) return found->second;
  }
  return tiles(place, tile.matrix).at(tile.id).data();
}

void CpuBackend::allocate(int device, TileRef tile) {
  tiles(device, tile.matrix).emplace(tile.id, TileBuffer(bytes(tile)));
  if (tile.matrix == Matrix::c) devices_[device].untouched_c.insert(tile.id);
}

void CpuBackend::adopt(int device, TileRef tile) {
  if (tile.matrix == Matrix::a) {
    devices_[device].adopted_a[tile.id] = host_.a(tile.id);
  } else {
    devices_[device].b.insert(host_.staged_b.extract(tile.id));
  }
}

void CpuBackend::release(int device, TileRef tile) {
  if (tile.matrix == Matrix::a && devices_[device].adopted_a.erase(tile.id) > 0) return;
  tiles(device, tile.matrix).erase(tile.id);
}

void CpuBackend::release_host(TileRef tile) {
  host_.staged_b.erase(tile.id);
}

void CpuBackend::start_kernel(OperationId id, int device, TileId a, std::span<const Product> products) {
  struct Gemm {
    std::int64_t n;
    const double* b;
    double* c;
    bool first;
  };
  const double* const a_tile = at(device, {Matrix::a, a});
  const std::int64_t m = problem_.m.size(products.front().i);
  const std::int64_t k = problem_.k.size(products.front().k);
  std::vector<Gemm> gemms;
  gemms.reserve(products.size());
  for (const Product& product : products) {
    gemms.push_back({problem_.n.size(product.j), at(device, {Matrix::b, product.b}),
                     at(device, {Matrix::c, product.c}), devices_[device].untouched_c.erase(product.c) > 0});
  }
  cores_.submit(id, [=, gemms = std::move(gemms)] {
    for (const auto& [n, b_tile, c_tile, first] : gemms) {
      if (first) std::fill_n(c_tile, m * n, 0.0);
      gemm(m, n, k, a_tile, m, b_tile, k, c_tile, m);
    }
  });
}

void CpuBackend::start_generate(OperationId id, TileId b) {
  const auto [place, fresh] = host_.staged_b.emplace(b, TileBuffer(problem_.b_bytes(b)));
  assert(fresh);
  const std::span<double> elements = place->second.elements();
  const std::uint64_t key = tile_key(problem_.seed, Operand::b, b);
  const double norm = problem_.b.norm(b);
  cores_.submit(id, [=] { generate_tile(elements, key, norm); });
}

/// Finished tiles of C change hands; everything else is really copied.
void CpuBackend::start_copy(OperationId id, const Copy& copy) {
  if (copy.to == kHost) {
    for (const TileRef tile : copy.tiles) host_.c.insert(devices_[copy.from].c.extract(tile.id));
    completions_.add(id, nullptr);
    return;
  }
  struct Move {
    const double* from;
    double* to;
    std::size_t bytes;
  };
  std::vector<Move> moves;
  for (const TileRef tile : copy.tiles) {
    moves.push_back({at(copy.from, tile), at(copy.to, tile), static_cast<std::size_t>(bytes(tile))});
  }
  copies_.submit(id, [moves = std::move(moves)] {
    for (const Move& move : moves) std::memcpy(move.to, move.from, move.bytes);
  });
}

}  // namespace foretile
