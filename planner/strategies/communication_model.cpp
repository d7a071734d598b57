// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/communication_model.hpp"

#include <algorithm>
#include <cmath>

#include "base/parse.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

double ModelSymbols::X() const {
  return std::ceil(M_t / (b * p));
}

double ModelSymbols::Y() const {
  return std::ceil(N_t / (c * q));
}

double ModelSymbols::Z() const {
  return std::ceil(K_t / d);
}

PerMatrix operator*(const PerMatrix& l, const PerMatrix& r) {
  return {l.a * r.a, l.b * r.b, l.c * r.c};
}

namespace {

/// Tiles that a process receives when each of A is sent to it `times_a` times, each of B `times_b` times.
PerMatrix received(const ModelSymbols& s, double times_a, double times_b) {
  return {s.M_t / s.p * (1 - 1 / s.q) * s.K_t * times_a, s.N_t / s.q * (1 - 1 / s.p) * s.K_t * times_b, 0};
}

}  // namespace

PerMatrix Comm_process(const ModelSymbols& s) {
  return received(s, s.Y(), s.X());
}

PerMatrix Comm_total(const ModelSymbols& s) {
  const double processes = s.p * s.q;
  return Comm_process(s) * PerMatrix{processes, processes, processes};
}

CommCase comm_case(const ModelSymbols& s, double Mem_GPU, const PerMatrix& tile) {
  const double block = s.b * s.c / s.G;
  const PerMatrix everything{s.M_t * s.K_t / (s.p * s.g), s.K_t * s.N_t * s.g / (s.q * s.G), block};
  if ((everything * tile).sum() <= Mem_GPU) return CommCase::a;
  const PerMatrix columns_of_b{s.b * s.d / s.g, s.c * s.K_t * s.g / s.G, block};
  return (columns_of_b * tile).sum() <= Mem_GPU ? CommCase::b : CommCase::c;
}

PerMatrix Comm_GPU(const ModelSymbols& s, CommCase of) {
  const double times_a = of == CommCase::a ? 1 : s.Y();
  const double times_b = of == CommCase::c ? s.X() : 1;
  return {times_a * s.M_t * s.K_t / (s.p * s.g), times_b * s.K_t * s.N_t * s.g / (s.q * s.G),
          s.M_t * s.N_t / (s.p * s.q * s.G)};
}

std::string PredictedVolumes::case_name() const {
  if (of == CommCase::a) return "a";
  if (of == CommCase::b) return "b";
  return symbols.X() == 1 && symbols.Y() == 1 ? "c1" : "c2";
}

namespace {

/// Nonzero tiles over all.
PerMatrix densities(const Contraction& p, const ModelSymbols& s) {
  return {static_cast<double>(p.a.nonzeros()) / (s.M_t * s.K_t),
          static_cast<double>(p.b.nonzeros()) / (s.K_t * s.N_t),
          static_cast<double>(p.c.nonzeros()) / (s.M_t * s.N_t)};
}

/// Mean over all tiles, zero ones too.
PerMatrix mean_tile_bytes(const Contraction& p, const ModelSymbols& s) {
  return {bytes_of_all(p, Matrix::a) / (s.M_t * s.K_t), bytes_of_all(p, Matrix::b) / (s.K_t * s.N_t),
          bytes_of_all(p, Matrix::c) / (s.M_t * s.N_t)};
}

}  // namespace

PredictedVolumes predict_volumes(const Contraction& p, std::int64_t device_budget_bytes,
                                 const ModelSymbols& s, bool each_tile_once) {
  const PerMatrix tile = mean_tile_bytes(p, s);
  PredictedVolumes v;
  v.symbols = s;
  v.of = comm_case(s, static_cast<double>(device_budget_bytes), tile);
  const PerMatrix per_process = each_tile_once ? received(s, 1, 1) : Comm_process(s);
  v.network_bytes = (per_process * tile).sum() * s.p * s.q;
  const PerMatrix per_device = Comm_GPU(s, v.of) * tile;
  const double devices = s.p * s.q * s.G;
  v.stored_bytes = per_device.c * devices;
  v.loaded_bytes = (per_device.a + per_device.b) * devices + (p.reads_c() ? v.stored_bytes : 0);
  v.device_tiles = Comm_GPU(s, v.of) * densities(p, s);
  return v;
}

}  // namespace foretile
