// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/reference_engine.hpp"

#include <optional>

namespace foretile {

namespace {

std::optional<ReferenceEngine> the_reference;

}  // namespace

void set_reference_engine(const ReferenceEngine& engine) {
  the_reference = engine;
}

const ReferenceEngine* reference_engine() {
  return the_reference ? &*the_reference : nullptr;
}

}  // namespace foretile
