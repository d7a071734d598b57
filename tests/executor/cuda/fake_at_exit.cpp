// SPDX-License-Identifier: BSD-3-Clause
// For a program that knows nothing of the fake: it fails when CUDA was used wrongly.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "fake_cuda.hpp"

namespace {

struct AtExit {
  AtExit() {
    std::atexit([] {
      const auto complaints = foretile::fake_cuda::complaints(true);
      for (const std::string& complaint : complaints) fmt::print(stderr, "faked CUDA: {}\n", complaint);
      if (!complaints.empty()) std::_Exit(1);
    });
  }
};

const AtExit at_exit;

}  // namespace
