// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/copy_pieces.hpp"

namespace foretile {

namespace {

/// More than tiles are rounded up by; CUDA limits steps to 2^31.
constexpr std::int64_t kLargestGap = 4096;
constexpr std::int64_t kLargestRow = std::int64_t{1} << 30;

bool is_step(std::int64_t step, std::int64_t bytes) {
  return step >= bytes && step - bytes <= kLargestGap;
}

bool join_without_gap(CopyPiece& last, const CopyPiece& piece) {
  if (last.count != 1 || last.to + last.bytes != piece.to || last.from + last.bytes != piece.from)
    return false;
  last.bytes += piece.bytes;
  return true;
}

bool join_with_gaps(CopyPiece& last, const CopyPiece& piece) {
  if (last.bytes != piece.bytes || piece.bytes > kLargestRow) return false;
  const std::int64_t before = last.count - 1;
  const std::int64_t to_step = piece.to - (last.to + before * last.to_step);
  const std::int64_t from_step = piece.from - (last.from + before * last.from_step);
  const bool fits = last.count == 1 ? is_step(to_step, piece.bytes) && is_step(from_step, piece.bytes)
                                    : to_step == last.to_step && from_step == last.from_step;
  if (!fits) return false;
  last.to_step = to_step;
  last.from_step = from_step;
  ++last.count;
  return true;
}

}  // namespace

void add_piece(std::vector<CopyPiece>& pieces, const CopyPiece& piece, bool with_gaps) {
  if (!pieces.empty() && join_without_gap(pieces.back(), piece)) return;
  if (with_gaps && !pieces.empty() && join_with_gaps(pieces.back(), piece)) return;
  pieces.push_back(piece);
}

}  // namespace foretile
