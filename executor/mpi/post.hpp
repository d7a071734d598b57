// Nonblocking messages between the ranks.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "executor/message_buffer.hpp"
#include "planner/contraction.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Sends and receives message buffers; nothing here waits. Calls throw WorkError with MPI's text when MPI
/// fails.
class Post {
 public:
  Post(MPI_Comm communicator, const Contraction& contraction)
      : communicator_(communicator), problem_(contraction) {}

  /// The buffer must stay until the operation is reported as sent.
  void send(OperationId id, int to_rank, const MessageBuffer& buffer);

  /// Reports what has ended since the last call; true when there was anything.
  bool progress(const std::function<void(OperationId)>& sent,
                const std::function<void(std::shared_ptr<MessageBuffer>)>& received);

  bool sending() const { return !requests_.empty(); }

 private:
  bool start_receive();
  bool end_sends(const std::function<void(OperationId)>& sent);
  bool end_receives(const std::function<void(std::shared_ptr<MessageBuffer>)>& received);

  struct Receiving {
    MPI_Request request;
    std::shared_ptr<MessageBuffer> buffer;
  };
  MPI_Comm communicator_;
  const Contraction& problem_;
  std::vector<MPI_Request> requests_;
  std::vector<OperationId> ids_;
  std::vector<Receiving> receiving_;
};

/// Waits for all ranks without keeping a core busy.
void quiet_barrier(MPI_Comm communicator);

/// Throws WorkError with MPI's own text unless `code` is MPI_SUCCESS.
void require_mpi(int code, const char* what);

}  // namespace foretile
