// SPDX-License-Identifier: BSD-3-Clause
// Linked as libforetile_cuda.so is; throws as it does.
#include "base/error.hpp"

extern "C" [[gnu::visibility("default")]] void throw_an_error(bool input) {
  if (input) throw foretile::input_error("test", "a call", "no call");
  throw foretile::WorkError("test");
}
