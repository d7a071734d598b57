// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/load_cuda.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/files.hpp"
#include "executor/gpu/cuda_plugin.hpp"

namespace foretile {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPlugin = "libforetile_cuda.so";

fs::path find_plugin() {
  std::error_code ignored;
  if (const char* const given = std::getenv("FORETILE_PLUGIN_FOLDER")) {
    fs::path plugin = fs::path(given) / kPlugin;
    return fs::exists(plugin, ignored) ? plugin : fs::path();
  }
  const fs::path folder = own_program().parent_path();
  for (const fs::path& beside :
       {fs::path("."), fs::path(FORETILE_INSTALLED_PLUGINS), fs::path("../lib/foretile")}) {
    fs::path plugin = folder / beside / kPlugin;
    if (fs::exists(plugin, ignored)) return plugin;
  }
  return {};
}

std::string last_failure() {
  const char* text = dlerror();
  return text ? text : "unknown error";
}

}  // namespace

LoadedGpus load_cuda() {
  const fs::path path = find_plugin();
  if (path.empty()) {
    return {nullptr, std::getenv("FORETILE_PLUGIN_FOLDER")
                         ? fmt::format("{} is not in the folder that FORETILE_PLUGIN_FOLDER names", kPlugin)
                         : fmt::format("{} is not beside the program: this foretile was built without CUDA, "
                                       "or FORETILE_PLUGIN_FOLDER must name the plugin's folder",
                                       kPlugin)};
  }
  // Never closed: code of the plugin must outlive its objects, and CUDA's own threads.
  void* plugin = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!plugin) return {nullptr, fmt::format("{} cannot be loaded: {}", kPlugin, last_failure())};
  const auto open = reinterpret_cast<decltype(&foretile_open_cuda_2)>(dlsym(plugin, kCudaFactory));
  if (!open) return {nullptr, fmt::format("{} is of another build: {}", path.string(), last_failure())};
  LoadedGpus loaded;
  loaded.gpus.reset(open(&loaded.why_not));
  return loaded;
}

}  // namespace foretile
