// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/own_communicator.hpp"

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
  if (!finalized && own != MPI_COMM_NULL) MPI_Comm_free(&own);
  delete communicator;
}

Shared duplicate_of(MPI_Comm given) {
  auto* const place = new MPI_Comm(MPI_COMM_NULL);
  Shared shared(place, free_communicator);
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Comm_idup(given, place, &request), "a duplicate of the communicator");
  wait_quietly(request, "a duplicate of the communicator");
  require_mpi(MPI_Comm_set_errhandler(*place, MPI_ERRORS_RETURN), "communicator");
  place_on_node(*place);
  return shared;
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

}  // namespace foretile
