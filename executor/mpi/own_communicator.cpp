// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/own_communicator.hpp"

#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>
#include <vector>

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

/// Those of several ranks. For ever: MPI_Finalize() at exit() frees the last ones.
std::vector<MPI_Comm>& shared_by_ranks() {
  static auto& all = *new std::vector<MPI_Comm>;
  return all;
}

bool was_refused = false;  // a communicator, which others may have

}  // namespace

class OwnCommunicator::Duplicate {
 public:
  /// What needs memory.
  Duplicate() { shared_by_ranks().reserve(shared_by_ranks().size() + 1); }
  ~Duplicate() {
    std::erase(shared_by_ranks(), communicator_);
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized && communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
  }
  Duplicate(const Duplicate&) = delete;
  Duplicate& operator=(const Duplicate&) = delete;

  /// Collective.
  void make(MPI_Comm given) {
    require_mpi(MPI_Comm_dup(given, &communicator_), "communicator");
    require_mpi(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN), "communicator");
    place_on_node(communicator_);
    if (size_of(communicator_) > 1) shared_by_ranks().push_back(communicator_);
  }
  MPI_Comm get() const { return communicator_; }

 private:
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

namespace {

using Shared = std::shared_ptr<const OwnCommunicator::Duplicate>;

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
  std::shared_ptr<OwnCommunicator::Duplicate> made;
  std::unique_ptr<Shared> kept;
  // The ranks wait for each other here: MPI_Comm_dup() would keep a core busy meanwhile.
  on_all(given, [&] {
    made = std::make_shared<OwnCommunicator::Duplicate>();
    kept = std::make_unique<Shared>(made);
  });
  try {
    made->make(given);
  } catch (const WorkError&) {  // MPI's text differs from rank to rank
    throw WorkError(
        "communicator: found none left in MPI, expected room for the library's own; free those that are no "
        "longer needed by MPI_Comm_free()");
  }
  require_mpi(MPI_Comm_set_attr(given, duplicate_key(), kept.get()), "communicator");
  return *kept.release();
}

}  // namespace

OwnCommunicator::OwnCommunicator(MPI_Comm given) {
  const bool refused_before = std::exchange(was_refused, true);
  require_communicator(given);
  const ErrorsReturn of_handles(MPI_COMM_WORLD), of_handles_in_mpi_4(MPI_COMM_SELF);
  require_one_group(given);
  const ErrorsReturn of_calls(given);
  duplicate_ = known_or_new_duplicate(given);
  was_refused = refused_before;
}

MPI_Comm OwnCommunicator::get() const {
  return duplicate_->get();
}

MPI_Comm only_own_communicator() {
  const bool is_sure = !was_refused && shared_by_ranks().size() == 1;
  return is_sure ? shared_by_ranks().front() : MPI_COMM_NULL;
}

void end_job(MPI_Comm communicator, const std::string& line, int exit_code) {
  std::fprintf(stderr, "%s\n", line.c_str());
  abort_job(communicator, exit_code);
}

void end_job(MPI_Comm communicator, const std::exception_ptr& error) noexcept {
  const int rank = rank_in(communicator);
  with_text_of(error, [rank](const char* text) {
    std::fprintf(stderr, "foretile: rank %d: %s; the job ends\n", rank, text);
  });
  abort_job(communicator, 1);
}

void await_end_of_job(MPI_Comm communicator, int exit_code) {
  std::this_thread::sleep_for(std::chrono::seconds(10));
  abort_job(communicator, exit_code);
}

}  // namespace foretile
