// The p x q arrangement of ranks.
#pragma once

#include <string>

namespace foretile {

/// Rank r sits at grid row r / q and grid column r % q. Ranks from p * q on have no work (RR-9365 3.2:
/// q = floor(P / p)).
struct ProcessGrid {
  int p = 1;
  int q = 1;

  int size() const { return p * q; }
  int row(int rank) const { return rank / q; }
  int column(int rank) const { return rank % q; }
  int rank(int row, int column) const { return row * q + column; }
};

/// "1 rank has no work"; empty when none is idle.
std::string idle_ranks_text(int idle);

}  // namespace foretile
