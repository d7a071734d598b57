#include "executor/mpi/post.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <thread>

#include "base/error.hpp"

namespace foretile {

void require_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw WorkError(fmt::format("MPI, {}: {}", what, std::string_view(text.data(), length)));
}

void quiet_barrier(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Ibarrier(communicator, &request), "barrier");
  int done = 0;
  for (;;) {
    require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "barrier");
    if (done) return;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

void Post::send(OperationId id, int to_rank, const MessageBuffer& buffer) {
  if (buffer.size() > std::numeric_limits<int>::max()) {
    throw WorkError(fmt::format("a message of {} numbers to rank {}: MPI sends at most {} at once",
                                buffer.size(), to_rank, std::numeric_limits<int>::max()));
  }
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Isend(buffer.words(), static_cast<int>(buffer.size()), MPI_DOUBLE, to_rank, 0,
                        communicator_, &request),
              "send");
  requests_.push_back(request);
  ids_.push_back(id);
}

bool Post::start_receive() {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  require_mpi(MPI_Improbe(MPI_ANY_SOURCE, 0, communicator_, &found, &message, &status), "probe");
  if (!found) return false;
  int words = 0;
  require_mpi(MPI_Get_count(&status, MPI_DOUBLE, &words), "count");
  receiving_.push_back({MPI_REQUEST_NULL, std::make_shared<MessageBuffer>(words)});
  require_mpi(
      MPI_Imrecv(receiving_.back().buffer->words(), words, MPI_DOUBLE, &message, &receiving_.back().request),
      "receive");
  return true;
}

bool Post::end_sends(const std::function<void(OperationId)>& sent) {
  std::vector<OperationId> ended;
  for (std::size_t s = 0; s < requests_.size();) {
    int done = 0;
    require_mpi(MPI_Test(&requests_[s], &done, MPI_STATUS_IGNORE), "send");
    if (!done) {
      ++s;
      continue;
    }
    ended.push_back(ids_[s]);
    requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(s));
    ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(s));
  }
  for (const OperationId id : ended) sent(id);
  return !ended.empty();
}

bool Post::end_receives(const std::function<void(std::shared_ptr<MessageBuffer>)>& received) {
  std::vector<std::shared_ptr<MessageBuffer>> ended;
  for (std::size_t r = 0; r < receiving_.size();) {
    int done = 0;
    require_mpi(MPI_Test(&receiving_[r].request, &done, MPI_STATUS_IGNORE), "receive");
    if (!done) {
      ++r;
      continue;
    }
    ended.push_back(std::move(receiving_[r].buffer));
    receiving_.erase(receiving_.begin() + static_cast<std::ptrdiff_t>(r));
  }
  for (auto& buffer : ended) {
    buffer->parse(problem_);
    received(std::move(buffer));
  }
  return !ended.empty();
}

bool Post::progress(const std::function<void(OperationId)>& sent,
                    const std::function<void(std::shared_ptr<MessageBuffer>)>& received) {
  bool any = false;
  while (start_receive()) any = true;
  any = end_sends(sent) || any;
  return end_receives(received) || any;
}

}  // namespace foretile
