// The commands of `foretile`, one file each. Every function adds one command and what it does when chosen.
#pragma once

#include <CLI/CLI.hpp>

namespace foretile {}  // namespace foretile
