// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace foretile {

/// Where this program was compiled.
const char* source_folder();

}  // namespace foretile
