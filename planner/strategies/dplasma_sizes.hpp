// The sizes that DPLASMA's GEMM on GPUs chooses: a baseline for choose_block_sizes.
#pragma once

#include <cstdint>

namespace foretile {

struct DplasmaSizes {
  std::int64_t fact = 1;
  std::int64_t b = 1;
  std::int64_t c = 1;
  std::int64_t d = 1;
  int lookahead = 1;
};

/// As DPLASMA (github.com/ICLDisco/dplasma) chooses them, by a reading of its GPU GEMM. With mt x nt tiles
/// of C, kt along K, a p x q grid of processes with g GPUs each and T tiles of memory per GPU, in integer
/// division:
///
///     fact: first of 1, 2, ... with fact >= mt or fact >= nt or (mt/fact)(nt/fact) / (p q g) <= 0.75 T
///     b = mt / (p fact),  c = nt / (q fact),  lookahead = 1 + (fact > 1)
///     d = max(1, min(kt, (T - b (c/g)) / (b + c/g) - 1))
///
/// Throws InputError where it divides by zero or gets blocks of no tiles. It may give sizes that do not fit.
DplasmaSizes dplasma_sizes(std::int64_t mt, std::int64_t nt, std::int64_t kt, std::int64_t p, std::int64_t q,
                           std::int64_t g, std::int64_t T);

}  // namespace foretile
