// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/own_communicator.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

#include "base/error.hpp"

namespace foretile {

namespace {

/// Errors of a communicator come back as codes, until this goes.
class ErrorsReturn {
 public:
  explicit ErrorsReturn(MPI_Comm communicator) : communicator_(communicator) {
    MPI_Comm_get_errhandler(communicator_, &before_);
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturn() {
    MPI_Comm_set_errhandler(communicator_, before_);
    MPI_Errhandler_free(&before_);
  }
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  MPI_Comm communicator_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// Starts MPI where the program has not.
void require_communicator(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL)
    throw input_error("communicator", "MPI_COMM_NULL", "one that this rank is in", "give MPI_COMM_WORLD");
  require_mpi_ready();
}

void require_one_group(MPI_Comm communicator) {
  int is_between_groups = 0;
  require_mpi(MPI_Comm_test_inter(communicator, &is_between_groups), "communicator");
  if (is_between_groups)
    throw input_error("communicator", "an intercommunicator", "one of a single group",
                      "merge it by MPI_Intercomm_merge()");
}

using Shared = std::shared_ptr<const MPI_Comm>;

void free_communicator(const MPI_Comm* communicator) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  MPI_Comm own = *communicator;
  if (!finalized) MPI_Comm_free(&own);
  delete communicator;
}

Shared duplicate_of(MPI_Comm given) {
  quiet_barrier(given);  // MPI_Comm_dup() keeps a core busy until all ranks are there
  try {
    MPI_Comm made = MPI_COMM_NULL;
    require_mpi(MPI_Comm_dup(given, &made), "communicator");
    Shared shared(new MPI_Comm(made), free_communicator);
    require_mpi(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "communicator");
    place_on_node(made);
    return shared;
  } catch (const WorkError&) {  // MPI's text differs from rank to rank
    throw WorkError(
        "communicator: found none left in MPI, expected room for the library's own; free those that are no "
        "longer needed by MPI_Comm_free()");
  }
}

int forget_duplicate(MPI_Comm, int, void* shared, void*) {
  delete static_cast<Shared*>(shared);
  return MPI_SUCCESS;
}

/// Of the attribute by which a communicator knows its duplicate. Its own duplicates do not.
int duplicate_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    require_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_duplicate, &made, nullptr),
                "communicator");
    return made;
  }();
  return key;
}

Shared known_or_new_duplicate(MPI_Comm given) {
  void* known = nullptr;
  int is_known = 0;
  require_mpi(MPI_Comm_get_attr(given, duplicate_key(), static_cast<void*>(&known), &is_known),
              "communicator");
  if (is_known) return *static_cast<const Shared*>(known);
  auto shared = std::make_unique<Shared>(duplicate_of(given));
  require_mpi(MPI_Comm_set_attr(given, duplicate_key(), shared.get()), "communicator");
  return *shared.release();
}

}  // namespace

OwnCommunicator::OwnCommunicator(MPI_Comm given) {
  require_communicator(given);
  const ErrorsReturn of_handles(MPI_COMM_WORLD), of_handles_in_mpi_4(MPI_COMM_SELF);
  require_one_group(given);
  const ErrorsReturn of_calls(given);
  communicator_ = known_or_new_duplicate(given);
}

void end_job(MPI_Comm communicator, const std::string& line, int exit_code) {
  std::fprintf(stderr, "%s\n", line.c_str());
  abort_job(communicator, exit_code);
}

void await_end_of_job(MPI_Comm communicator, int exit_code) {
  std::this_thread::sleep_for(std::chrono::seconds(10));
  abort_job(communicator, exit_code);
}

}  // namespace foretile
