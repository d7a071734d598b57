// SPDX-License-Identifier: BSD-3-Clause
// Runs the tests on every rank of an MPI job; rank 0 prints, the others only failures. Any rank's failure
// fails the job.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "executor/mpi/session.hpp"

namespace {

class FailuresOfARank final : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOfARank(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed())
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name(), result.line_number(),
                   result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  const foretile::MpiSession session;
  testing::InitGoogleTest(&argc, argv);
  if (session.rank() != 0) {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfARank(session.rank()));
  }
  int failed = RUN_ALL_TESTS();
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, session.world());
  return failed;
}
