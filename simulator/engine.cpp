#include "simulator/engine.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace foretile {

namespace sg4 = simgrid::s4u;

std::unique_ptr<sg4::Engine> make_engine() {
  static std::array<std::string, 10> words{"foretile",
                                           "--log=xbt_cfg.thresh:warning",
                                           "--cfg=network/model:CM02",
                                           "--cfg=network/TCP-gamma:0",
                                           "--cfg=network/crosstraffic:0",
                                           "--cfg=network/latency-factor:1",
                                           "--cfg=network/bandwidth-factor:1",
                                           "--cfg=network/weight-S:0",
                                           "--cfg=surf/precision:1e-9",
                                           "--cfg=maxmin/precision:1e-5"};
  std::array<char*, words.size() + 1> arguments{};
  std::transform(words.begin(), words.end(), arguments.begin(),
                 [](std::string& word) { return word.data(); });
  int count = static_cast<int>(words.size());
  return std::make_unique<sg4::Engine>(&count, arguments.data());
}

}  // namespace foretile
