// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/load_cuda.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace foretile::load_cuda_test {
namespace {

TEST(LoadCuda, TellsWhyThereIsNoGpu) {
  const LoadedGpus loaded = load_cuda();
  if (!FORETILE_HAS_CUDA) {
    EXPECT_FALSE(loaded.gpus);
    EXPECT_NE(loaded.why_not.find("built without CUDA"), std::string::npos) << loaded.why_not;
  } else if (loaded.gpus) {
    EXPECT_GE(loaded.gpus->count(), 1);
    EXPECT_EQ(loaded.why_not, "");
  } else {
    // The plugin itself was loaded, with cuBLAS: it is CUDA that finds no driver or no GPU.
    EXPECT_TRUE(loaded.why_not.rfind("cudaGetDeviceCount: ", 0) == 0 ||
                loaded.why_not == "CUDA finds no NVIDIA driver")
        << loaded.why_not;
  }
}

TEST(LoadCuda, MayBeAskedTwice) {
  EXPECT_EQ(load_cuda().why_not, load_cuda().why_not);
}

/// Errors of the plugin are caught by their type, though it is linked with a foretile_base of its own.
TEST(LoadCuda, ErrorsCrossTheBoundary) {
  void* plugin = dlopen(FORETILE_THROWING_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(plugin) << dlerror();
  const auto fail = reinterpret_cast<void (*)(bool)>(dlsym(plugin, "throw_an_error"));
  ASSERT_TRUE(fail) << dlerror();
  EXPECT_THROW(fail(true), InputError);
  EXPECT_THROW(fail(false), WorkError);
}

}  // namespace
}  // namespace foretile::load_cuda_test
