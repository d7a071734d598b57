// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking messages between the ranks.
#pragma once

#include <mpi.h>

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/message_buffer.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

/// Sends and receives tiles and signals; nothing here waits. Signals of one rank arrive in the order in which
/// they were sent, but may overtake tiles. Calls throw WorkError with MPI's text when MPI fails.
class Messenger {
 public:
  /// Received messages are in `memory`, which must outlive them.
  Messenger(MPI_Comm communicator, const Contraction& contraction,
            std::pmr::memory_resource* memory = heap_memory());

  /// Memory for the tiles of a message that is about to come.
  using MemoryFor = MessageBuffer::MemoryFor;
  /// From now on tiles are received there, which must outlive them; MPI must be able to.
  void receive_in(MemoryFor memory) { memory_for_ = std::move(memory); }

  /// Notified of what has ended.
  struct Listener {
    std::function<void(OperationId)> sent;
    std::function<void(std::shared_ptr<MessageBuffer>)> received;
    std::function<void(const Signal&)> signalled;
  };

  /// Sends the pieces, of which the first is the header (message_header()) and each other one a tile, and the
  /// path. Tiles must stay until the operation is reported as sent. Those with gaps are copied when their
  /// message leaves, at most kPackedAtOnce bytes or one message at a time; the others are not copied.
  /// MPI takes 2^31 - 1 real numbers at once (16 GB, 8 GB in single precision); for more, in one tile or in
  /// neighbours of less than kAlone bytes, this throws WorkError.
  void send(OperationId id, Rank to_rank, std::vector<MessagePiece> pieces, const Path& path = {});
  void signal(Rank to_rank, const Signal& signal);

  /// Reports what has ended since the last call; true when there was anything.
  bool progress(const Listener& listener);

  /// Tiles are on their way in or out: MPI needs to be looked after.
  bool moving() const { return !sending_.empty() || !receiving_.empty(); }
  /// Nothing is on its way out.
  bool idle() const { return sending_.empty() && waiting_.empty() && signals_.empty(); }

 private:
  struct Waiting {
    OperationId id;
    Rank to_rank;
    std::vector<MessagePiece> pieces;
    Path path;
    std::int64_t packed_bytes;  // of its tiles with gaps
  };
  void start(Waiting message);
  void start_waiting();
  bool poll_once(const Listener& listener);
  bool start_receive();
  bool end_sends(const Listener& listener);
  bool end_receives(const Listener& listener);
  bool receive_signal(const Listener& listener);
  bool end_signals();

  struct Sending {
    std::vector<MPI_Request> requests;
    OperationId id;
    std::vector<std::byte> envelope;  // read by MPI until it is sent
    std::vector<TileBuffer> packed;
    std::int64_t packed_bytes;
  };
  struct Receiving {
    std::vector<MPI_Request> requests;
    std::shared_ptr<MessageBuffer> buffer;
    int from;
    bool of_tiles;  // the requests; else of the envelope
  };
  void receive_tiles(Receiving& receiving);
  struct SentSignal {
    MPI_Request request;
    Signal signal;  // read by MPI until it is sent
  };
  MPI_Comm communicator_;
  const Contraction& problem_;
  std::pmr::memory_resource* memory_;
  MemoryFor memory_for_;
  MPI_Datatype element_;  // the bits of a real number
  std::vector<Sending> sending_;
  std::deque<Waiting> waiting_;    // for packed ones to leave, in the order of their calls
  std::int64_t packed_bytes_ = 0;  // of those in sending_
  std::list<SentSignal> signals_;
  std::vector<Receiving> receiving_;
  int next_tag_ = 0;
};

/// A tile of at least so many bytes is an MPI message of its own; smaller neighbours of a transfer are one.
/// A message in one piece is copied once, by the receiver alone, while one of several pieces passes through
/// buffers and moves only while sender and receiver both poll, which cores that multiply do not let them.
inline constexpr std::int64_t kAlone = 65536;

/// Memory for copies of tiles with gaps, of messages on their way. Two tiles of 1024 x 1024 doubles: the next
/// message is copied while one is sent.
inline constexpr std::int64_t kPackedAtOnce = std::int64_t{16} << 20;

/// How many tiles of these sizes each MPI message brings. Sender and receiver must agree.
std::vector<std::size_t> tiles_of_messages(std::span<const std::int64_t> sizes);

/// MPI may move a piece of a message at each poll, and only then. Whether it moved one shows in the time that
/// the poll took; after a few in vain the core is left to the products. `poll` returns true when something
/// ended, which ends the polling, as does `moving` when it is false. Returns whether something ended.
template <class Poll, class Moving>
bool poll_while_pieces_move(const Poll& poll, const Moving& moving) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kPieceMoved = std::chrono::microseconds(2);
  constexpr int kInVain = 4;
  for (int in_vain = 0; in_vain < kInVain;) {
    const auto start = Clock::now();
    if (poll()) return true;
    if (!moving()) return false;
    in_vain = Clock::now() - start < kPieceMoved ? in_vain + 1 : 0;
  }
  return false;
}

}  // namespace foretile
