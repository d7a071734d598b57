// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/marks.hpp"

#include <utility>

#include "executor/cuda/status.hpp"

namespace foretile {

Marks::Marks(int events) : ahead_(static_cast<std::size_t>(events)) {
  for (int e = 0; e < events; ++e) spare_.push_back(make_event());
}

std::uint64_t Marks::add(cudaStream_t stream) {
  if (spare_.empty()) spare_.push_back(make_event());
  check(cudaEventRecord(spare_.back().get(), stream), "cudaEventRecord");
  ahead_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  return reached_ + ahead_.size();
}

std::uint64_t Marks::reached() {
  while (!ahead_.empty()) {
    const cudaError_t status = cudaEventQuery(ahead_.front().get());
    if (status == cudaErrorNotReady) {
      cudaGetLastError();  // no error, but kept as the last one
      break;
    }
    check(status, "cudaEventQuery");
    retire_oldest();
  }
  return reached_;
}

void Marks::wait_for_oldest() {
  check(cudaEventSynchronize(ahead_.front().get()), "cudaEventSynchronize");
  retire_oldest();
}

void Marks::retire_oldest() {
  spare_.push_back(ahead_.take_front());
  ++reached_;
}

}  // namespace foretile
