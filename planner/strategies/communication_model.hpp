// SPDX-License-Identifier: BSD-3-Clause
// How much data stationary-c moves, by the paper's formulas: RR-9289 section 3, with its symbols (Table 1).
//
// The paper lets everything divide everything. Here X, Y and Z are rounded up, and where the paper writes b X
// (or c Y) for the rows (columns) of a process, M_t / p (N_t / q) stands: the same where b p divides M_t, the
// mean over the processes elsewhere. Tiles of different sizes count with the mean of their matrix, zero tiles
// with 0 bytes. In ragged or sparse cases the formulas are therefore estimates; the planner's own counts
// (PlanSummary) are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Table 1. Sizes in tiles, all at least 1.
struct ModelSymbols {
  double M_t = 1, K_t = 1, N_t = 1;
  double p = 1, q = 1;
  double G = 1;  ///< devices per process
  /// Rows of the grid of a process's devices. The paper distributes columns alone: 1. With g rows a device
  /// needs 1/g of the rows of A and g/G of the columns of B.
  double g = 1;
  double b = 1, c = 1;
  double d = 1;

  double X() const;  ///< blocks of C across rows
  double Y() const;  ///< blocks of C across columns
  double Z() const;  ///< chunks per block
};

/// A number for each matrix: tiles, or bytes.
struct PerMatrix {
  double a = 0, b = 0, c = 0;
  double sum() const { return a + b + c; }
};

/// Weights that make a sum of tiles a sum of bytes.
PerMatrix operator*(const PerMatrix& tiles, const PerMatrix& bytes_per_tile);

/// 3.2.1: tiles that a process receives: A's Y times, B's X times.
PerMatrix Comm_process(const ModelSymbols& s);

/// 3.2.1: all processes together.
PerMatrix Comm_total(const ModelSymbols& s);

/// Equation (1): which inputs are loaded more than once.
enum class CommCase : std::uint8_t {
  a,  ///< none: all that a device needs fits
  b,  ///< A: whole columns of B fit beside the block of C
  c   ///< A and B
};

/// Equation (1). `Mem_GPU` and `tile` are in the same unit: words, bytes, or tiles with tile = {1, 1, 1}.
CommCase comm_case(const ModelSymbols& s, double Mem_GPU, const PerMatrix& tile = {1, 1, 1});

/// Equation (1): tiles that move between host (or peers) and each device. C's are those written back; for
/// C += A B as many are read (3.2.2).
PerMatrix Comm_GPU(const ModelSymbols& s, CommCase of);

/// The model's figures for a plan, over all ranks and devices.
struct PredictedVolumes {
  ModelSymbols symbols;
  CommCase of = CommCase::c;
  double network_bytes = 0;  ///< received by all ranks
  double loaded_bytes = 0;   ///< onto devices, from host and peers: A, B, and C for C += A B
  double stored_bytes = 0;   ///< C, from devices to host
  PerMatrix device_tiles;    ///< Comm_GPU, nonzero tiles only

  /// "a", "b", "c1" or "c2" (3.2.3: C is one block, or several).
  std::string case_name() const;
};

/// The model's figures for a device memory of so many bytes. Where the plan sends each tile once, X and Y
/// count as 1 in the network's share. With global barriers a plan sends less than the model says where uses
/// of a tile at most `lookahead` steps apart share a delivery.
PredictedVolumes predict_volumes(const Contraction& contraction, std::int64_t device_budget_bytes,
                                 const ModelSymbols& symbols, bool each_tile_once);

}  // namespace foretile
