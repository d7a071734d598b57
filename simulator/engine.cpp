#include "simulator/engine.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/signals.hpp"

namespace foretile {

namespace sg4 = simgrid::s4u;

std::unique_ptr<sg4::Engine> make_engine() {
  static std::array<std::string, 10> words{"foretile",
                                           "--log=root.thresh:critical",
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
  const KeepSignalHandlers keep;  // SimGrid's own turn Ctrl-C into a crash
  int count = static_cast<int>(words.size());
  return std::make_unique<sg4::Engine>(&count, arguments.data());
}

}  // namespace foretile
