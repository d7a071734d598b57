// Cores beside GPUs in the simulation.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "platforms/loader.hpp"
#include "tests/simulator/hand_worked.hpp"

namespace foretile {
namespace {

Contraction given(std::vector<std::int64_t> m, std::vector<std::int64_t> n, std::vector<std::int64_t> k) {
  Contraction problem = dense(std::move(m), std::move(n), std::move(k));
  problem.sources.b = Source::given;
  return problem;
}

/// Three cores, each a third as fast as the GPU, share a product: parts of 100 x 34 at most, 2.04 ms. Two
/// columns go to each: 4.08 ms. The GPU alone takes 8, the cores alone 8.16 ms.
TEST(Sharing, CoresMultiplyTogetherByHand) {
  Machine on = machine(1, 1);
  on.platform.core.kernel.rate_flops_per_s = 1e9 / 3;
  const auto with = [&](const char* sharing) {
    return micros(given({100}, {100, 100, 100, 100}, {100}), on,
                  {{"strategy", "owner-b"}, {"sharing", sharing}});
  };
  EXPECT_NEAR(with("planned"), 4080, kPrecision);
  EXPECT_NEAR(with("off"), 8000, kPrecision);
  EXPECT_NEAR(with("cores"), 8160, kPrecision);
}

/// Figure 3 of the "TESSE" paper: 900 x 78,400 by 78,400 x 78,400 in tiles of 900 x 3136, on 20 cores and one
/// or two P100. Together they have at least 90% of what GPUs and cores have alone.
TEST(Sharing, NoDeviceIdlesForLong) {
  const std::vector<std::int64_t> columns(25, 3136);
  const Contraction problem = given({900}, columns, columns);
  for (const int gpus : {1, 2}) {
    const Machine on = make_machine(load_platform("haswell-p100"), {.nodes = {}, .ranks = {}, .gpus = gpus});
    const auto rate = [&](const char* sharing) {
      return 1 / micros(problem, on, {{"strategy", "owner-b"}, {"sharing", sharing}});
    };
    EXPECT_GE(rate("planned"), 0.9 * (rate("off") + rate("cores"))) << gpus << " GPUs";
  }
}

}  // namespace
}  // namespace foretile
