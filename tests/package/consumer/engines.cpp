// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "planner/plan_work.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "platforms/loader.hpp"
#include "simulator/simgrid/simgrid.hpp"
#include "simulator/simulation.hpp"

// Which engines the first and the second simulation take.
int main() {
  foretile::use_simgrid();
  const foretile::PlannedWork work = foretile::plan_work(
      foretile::build_contraction({"tiny", "kind = 'dense'\nm = 4\nn = 6\nk = 8\ntile = 2\n", "tiny.toml"}),
      foretile::make_machine(foretile::load_platform("summit"), {}), {});
  const auto engine = [&] {
    return foretile::name_of(foretile::simulate(work.plan, work.contraction, work.machine).engine);
  };
  const auto first = engine(), second = engine();
  std::printf("%s, %s\n", first.data(), second.data());
}
