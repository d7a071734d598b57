// SPDX-License-Identifier: BSD-3-Clause
// The parsers under Clang's libFuzzer: foretile_fuzz --target=NAME [libFuzzer's options] [corpus folders]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "tests/fuzz/targets.hpp"

namespace {

const foretile::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr std::string_view option = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const std::string_view word = (*argv)[i];
    if (word.starts_with(option)) target = &foretile::fuzz::find_target(word.substr(option.size()));
  }
  if (!target) {
    std::fputs("foretile_fuzz: expected --target=NAME\n", stderr);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    foretile::fuzz::run(*target, {reinterpret_cast<const char*>(data), size});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "foretile_fuzz: %s\n", error.what());
    std::abort();  // libFuzzer stores the input
  }
  return 0;
}
