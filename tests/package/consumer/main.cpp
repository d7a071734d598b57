// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "planner/problem/kinds/problem.hpp"
#include "platforms/loader.hpp"

// 4 x 6 x 8 elements in tiles of 2: 2 * 3 * 4 products of 16 flops each. Summit's file must have been
// installed.
int main() {
  const foretile::Contraction c =
      foretile::build_contraction({"tiny", "kind = 'dense'\nm = 4\nn = 6\nk = 8\ntile = 2\n", "tiny.toml"});
  const foretile::Traits t = foretile::traits(c);
  const foretile::Platform summit = foretile::load_platform("summit");
  std::printf("%lld products, %.0f flops, %d devices per node, from %s\n", static_cast<long long>(t.gemms),
              t.flops, summit.devices_per_node(), summit.source.c_str());
  return t.gemms == 24 && t.flops == 384 && summit.devices_per_node() == 6 ? 0 : 1;
}
