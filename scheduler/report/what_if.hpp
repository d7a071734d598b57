// What a better machine would save: measured by simulations, quoted by reports.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace foretile {

/// One resource twice as good.
struct WhatIfRow {
  std::string resource;
  std::string set;  ///< --set expressions that do the same, separated by spaces
  double makespan_s = 0;
  double saved_s = 0;  ///< against WhatIf::makespan_s; negative when it takes longer
};

struct WhatIf {
  double makespan_s = 0;        ///< of the unchanged machine, simulated in the same way
  std::vector<WhatIfRow> rows;  ///< best first
  std::vector<std::pair<std::string, std::string>> refused;  ///< resources without a row, and why
};

}  // namespace foretile
