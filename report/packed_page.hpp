// SPDX-License-Identifier: BSD-3-Clause
// report/packed/page.html, in the program.
#pragma once

#include <string_view>

namespace foretile {

std::string_view packed_page();

}  // namespace foretile
