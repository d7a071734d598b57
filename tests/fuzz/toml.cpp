// SPDX-License-Identifier: BSD-3-Clause
// toml++ with the fuzzer's instrumentation; the linker prefers it to Debian's library. That one asserts
// nothing, either: what violates its assertions ends in proper errors.
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
