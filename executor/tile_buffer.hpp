// Memory of one tile.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace foretile {

struct FreeMemory {
  void operator()(double* memory) const { std::free(memory); }
};

/// Column-major doubles on a cache line boundary; not initialized.
class TileBuffer {
 public:
  TileBuffer() = default;
  explicit TileBuffer(std::int64_t bytes) : elements_(bytes / 8) {
    void* memory = nullptr;
    if (bytes > 0 && posix_memalign(&memory, 64, static_cast<std::size_t>(bytes)) != 0)
      throw std::bad_alloc();
    memory_.reset(static_cast<double*>(memory));
  }
  double* data() const { return memory_.get(); }
  std::span<double> elements() const { return {memory_.get(), static_cast<std::size_t>(elements_)}; }

 private:
  std::unique_ptr<double, FreeMemory> memory_;
  std::int64_t elements_ = 0;
};

}  // namespace foretile
