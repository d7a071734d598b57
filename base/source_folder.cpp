// SPDX-License-Identifier: BSD-3-Clause
#include "base/source_folder.hpp"

namespace foretile {

const char* source_folder() {
  return FORETILE_SOURCE_DIR;
}

}  // namespace foretile
