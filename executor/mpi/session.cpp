#include "executor/mpi/session.hpp"

#include "base/error.hpp"

namespace foretile {

MpiSession::MpiSession() {
  int provided = 0;
  require_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "start");
  require_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "start");
  rank_ = rank_in(MPI_COMM_WORLD);
  size_ = size_of(MPI_COMM_WORLD);
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

void agree(MPI_Comm communicator, const std::function<void()>& step) {
  const Rank rank = rank_in(communicator);
  const int size = size_of(communicator);
  std::exception_ptr mine;
  int exit_code = 1;
  try {
    step();
  } catch (const InputError&) {
    mine = std::current_exception();
    exit_code = 2;
  } catch (...) {
    mine = std::current_exception();
  }
  const int first = all_reduced(mine ? static_cast<int>(rank) : size, MPI_MIN, communicator, "agreement");
  if (first == size) return;
  exit_code = broadcast(exit_code, first, communicator, "agreement");
  if (first == rank) throw AgreedError{mine};
  throw FailedElsewhere{exit_code};
}

}  // namespace foretile
