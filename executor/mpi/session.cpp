#include "executor/mpi/session.hpp"

#include "base/error.hpp"
#include "executor/mpi/messenger.hpp"

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

NodePlace place_on_node(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  require_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "node");
  const NodePlace place{rank_in(node), size_of(node)};
  require_mpi(MPI_Comm_free(&node), "node");
  return place;
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
  int first = mine ? static_cast<int>(rank) : size;
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, communicator), "agreement");
  if (first == size) return;
  require_mpi(MPI_Bcast(&exit_code, 1, MPI_INT, first, communicator), "agreement");
  if (first == rank) throw AgreedError{mine};
  throw FailedElsewhere{exit_code};
}

}  // namespace foretile
