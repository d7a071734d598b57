// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/runtime_source.hpp"

namespace foretile {

const std::vector<std::string>& runtime_sources() {
  static const std::vector<std::string> sources = {"paper", "foretile-run", "typical", "none"};
  return sources;
}

std::string runtime_source_text(const std::string& source) {
  if (source == "paper") return "those of the paper's runtime";
  if (source == "foretile-run") return "those of foretile-run";
  if (source == "typical") return "those of foretile-run on another machine";
  return "none counted";
}

// Medians of the three calibrations of docs/results/prediction.md, 2 shared cores of an AMD EPYC.
std::string typical_runtime_toml(DeviceKind kind) {
  const std::string head = "\n[runtime]\nsource = \"typical\"\n";
  if (kind == DeviceKind::gpu) {
    return head +
           "copy_overhead = \"2.8 us\"  # of the progress loop for an operation\n"
           "message_overhead = \"1.1 us\"  # of the progress loop for a tile\n";
  }
  return head +
         "operation_overhead = \"2.8 us\"\n"
         "product_overhead = \"0 us\"\n"
         "shared_product_overhead = \"0.10 us\"\n"
         "load_overhead = \"1.1 us\"\n"
         "store_overhead = \"1.5 us\"\n"
         "look_overhead = \"45 us\"\n"
         "message_copy_rate = \"8.0 GB/s\"\n";
}

}  // namespace foretile
