#include "planner/strategies/dplasma_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace foretile {

DplasmaSizes dplasma_sizes(std::int64_t mt, std::int64_t nt, std::int64_t kt, std::int64_t p, std::int64_t q,
                           std::int64_t g, std::int64_t T) {
  if (std::min({mt, nt, kt, p, q, g, T}) < 1) {
    throw input_error("DPLASMA's sizes",
                      fmt::format("mt={} nt={} kt={} p={} q={} g={} T={}", mt, nt, kt, p, q, g, T),
                      "each at least 1");
  }
  DplasmaSizes s;
  const auto c_on_a_gpu = [&] { return (mt / s.fact) * (nt / s.fact) / (p * q * g); };
  const double most = 0.75 * static_cast<double>(T);
  while (s.fact < std::min(mt, nt) && static_cast<double>(c_on_a_gpu()) > most) ++s.fact;
  s.b = mt / (p * s.fact);
  s.c = nt / (q * s.fact);
  if (s.b == 0 || s.c == 0) {
    throw input_error("DPLASMA's sizes", fmt::format("blocks of {} x {} tiles", s.b, s.c),
                      "at least one tile: it divides by them", "use a smaller grid or more tiles");
  }
  s.lookahead = s.fact > 1 ? 2 : 1;
  const std::int64_t cg = s.c / g;
  s.d = std::max<std::int64_t>(1, std::min(kt, (T - s.b * cg) / (s.b + cg) - 1));
  return s;
}

}  // namespace foretile
