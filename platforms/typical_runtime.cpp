#include "platforms/typical_runtime.hpp"

namespace foretile {

// Medians of the three calibrations of docs/results/prediction.md, 2 shared cores of an AMD EPYC.
std::string typical_runtime_toml(DeviceKind kind) {
  const std::string head = "\n[runtime]\nsource = \"typical\"\n";
  if (kind == DeviceKind::gpu) {
    return head +
           "copy_overhead = \"2.6 us\"  # of the progress loop for an operation\n"
           "message_overhead = \"1.4 us\"  # of the progress loop for a tile\n";
  }
  return head +
         "operation_overhead = \"2.6 us\"\n"
         "product_overhead = \"0.15 us\"\n"
         "shared_product_overhead = \"0.36 us\"\n"
         "load_overhead = \"1.4 us\"\n"
         "store_overhead = \"1.6 us\"\n"
         "message_copy_rate = \"7.9 GB/s\"\n";
}

}  // namespace foretile
