// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/messenger.hpp"

#include <fmt/format.h>

#include <limits>
#include <type_traits>

#include "base/error.hpp"
#include "executor/mpi/communicator.hpp"

namespace foretile {

namespace {

// Tags of what travels. Those of tiles are used in turn; far fewer are in use at once.
constexpr int kEnvelope = 0;
constexpr int kSignal = 1;
constexpr int kFirstOfTiles = 16;
constexpr int kTagsOfTiles = 4096;

static_assert(std::is_trivially_copyable_v<Signal>);

bool ended(MPI_Request& request, const char* what) {
  int done = 0;
  require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
  return done != 0;
}

bool ended(std::vector<MPI_Request>& requests, const char* what) {
  int done = 0;
  require_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              what);
  return done != 0;
}

using Spans = std::vector<std::span<const std::byte>>;

/// Pieces that follow each other in memory are one.
Spans joined(std::span<const std::span<const std::byte>> pieces) {
  Spans few;
  for (const auto piece : pieces) {
    if (!few.empty() && few.back().data() + few.back().size() == piece.data()) {
      few.back() = {few.back().data(), few.back().size() + piece.size()};
    } else {
      few.push_back(piece);
    }
  }
  return few;
}

/// The pieces, made of `element`s of `bytes`, where they are in memory; the caller frees it.
MPI_Datatype type_of(const Spans& pieces, MPI_Datatype element, std::size_t bytes) {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (const auto piece : pieces) {
    lengths.push_back(static_cast<int>(piece.size() / bytes));
    MPI_Aint place = 0;
    require_mpi(MPI_Get_address(piece.data(), &place), "address");
    places.push_back(place);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  require_mpi(MPI_Type_create_hindexed(static_cast<int>(pieces.size()), lengths.data(), places.data(),
                                       element, &type),
              "message type");
  require_mpi(MPI_Type_commit(&type), "message type");
  return type;
}

}  // namespace

Messenger::Messenger(MPI_Comm communicator, const Contraction& contraction, std::pmr::memory_resource* memory)
    : communicator_(communicator),
      problem_(contraction),
      memory_(memory),
      element_(contraction.precision == Precision::f64 ? MPI_INT64_T : MPI_INT32_T) {}

namespace {

MPI_Request send_elements(const Spans& pieces, int to, int tag, MPI_Datatype element, std::int64_t bytes,
                          MPI_Comm communicator) {
  const auto element_bytes = static_cast<std::size_t>(bytes);
  std::size_t elements = 0;
  for (const auto piece : pieces) elements += piece.size() / element_bytes;
  if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw WorkError(fmt::format("a message of {} numbers to rank {}: MPI sends at most {} at once", elements,
                                to, std::numeric_limits<int>::max()));
  }
  MPI_Request request = MPI_REQUEST_NULL;
  if (pieces.size() == 1) {
    require_mpi(MPI_Isend(pieces.front().data(), static_cast<int>(elements), element, to, tag, communicator,
                          &request),
                "send");
    return request;
  }
  MPI_Datatype type = type_of(pieces, element, element_bytes);
  require_mpi(MPI_Isend(MPI_BOTTOM, 1, type, to, tag, communicator, &request), "send");
  require_mpi(MPI_Type_free(&type), "send");  // MPI keeps it until the message has left
  return request;
}

}  // namespace

std::vector<std::size_t> tiles_of_messages(std::span<const std::int64_t> sizes) {
  std::vector<std::size_t> counts;
  bool small_before = false;
  for (const std::int64_t bytes : sizes) {
    const bool small = bytes < kAlone;
    if (small && small_before) {
      ++counts.back();
    } else {
      counts.push_back(1);
    }
    small_before = small;
  }
  return counts;
}

namespace {

std::int64_t bytes_with_gaps(const std::vector<MessagePiece>& pieces) {
  std::int64_t bytes = 0;
  for (const MessagePiece& piece : pieces) bytes += piece.gapless() ? 0 : piece.size();
  return bytes;
}

/// Where the pieces are without gaps: those that have some are copied to `packed`.
Spans gapless(const std::vector<MessagePiece>& pieces, std::vector<TileBuffer>& packed,
              std::pmr::memory_resource* memory) {
  Spans spans;
  for (const MessagePiece& piece : pieces) {
    if (piece.gapless()) {
      spans.push_back(piece.bytes());
      continue;
    }
    packed.emplace_back(piece.size(), memory);
    copy_tile(piece.extents, piece.view, piece.extents.gapless_at(packed.back().data()));
    spans.emplace_back(packed.back().bytes());
  }
  return spans;
}

}  // namespace

void Messenger::send(OperationId id, Rank to_rank, std::vector<MessagePiece> pieces, const Path& path) {
  const std::int64_t packed_bytes = bytes_with_gaps(pieces);
  waiting_.push_back({id, to_rank, std::move(pieces), path, packed_bytes});
  start_waiting();
}

void Messenger::start_waiting() {
  while (!waiting_.empty()) {
    const std::int64_t bytes = waiting_.front().packed_bytes;
    if (bytes > 0 && packed_bytes_ > 0 && packed_bytes_ + bytes > kPackedAtOnce) return;
    Waiting message = std::move(waiting_.front());
    waiting_.pop_front();
    start(std::move(message));
  }
}

void Messenger::start(Waiting message) {
  const int tag = kFirstOfTiles + next_tag_;
  next_tag_ = (next_tag_ + 1) % kTagsOfTiles;
  Sending sending{{},
                  message.id,
                  message_envelope(message.pieces.front().bytes(), {message.path, tag}),
                  {},
                  message.packed_bytes};
  const Spans spans = gapless(message.pieces, sending.packed, memory_);
  MPI_Request& of_envelope = sending.requests.emplace_back(MPI_REQUEST_NULL);
  require_mpi(MPI_Isend(sending.envelope.data(), static_cast<int>(sending.envelope.size()), MPI_BYTE,
                        message.to_rank, kEnvelope, communicator_, &of_envelope),
              "send");
  std::vector<std::int64_t> sizes;
  for (const auto tile : std::span(spans).subspan(1)) sizes.push_back(std::ssize(tile));
  std::size_t first = 1;
  for (const std::size_t count : tiles_of_messages(sizes)) {
    sending.requests.push_back(send_elements(joined(std::span(spans).subspan(first, count)), message.to_rank,
                                             tag, element_, bytes_of(problem_.precision), communicator_));
    first += count;
  }
  packed_bytes_ += sending.packed_bytes;
  sending_.push_back(std::move(sending));
}

void Messenger::signal(Rank to_rank, const Signal& signal) {
  signals_.push_back({MPI_REQUEST_NULL, signal});
  SentSignal& sent = signals_.back();
  require_mpi(
      MPI_Isend(&sent.signal, sizeof sent.signal, MPI_BYTE, to_rank, kSignal, communicator_, &sent.request),
      "signal");
}

bool Messenger::start_receive() {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  require_mpi(MPI_Improbe(MPI_ANY_SOURCE, kEnvelope, communicator_, &found, &message, &status), "probe");
  if (!found) return false;
  int bytes = 0;
  require_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "count");
  Receiving receiving{
      {MPI_REQUEST_NULL}, std::make_shared<MessageBuffer>(bytes, memory_), status.MPI_SOURCE, false};
  require_mpi(
      MPI_Imrecv(receiving.buffer->envelope().data(), bytes, MPI_BYTE, &message, receiving.requests.data()),
      "receive");
  receiving_.push_back(std::move(receiving));
  return true;
}

void Messenger::receive_tiles(Receiving& receiving) {
  MessageBuffer& buffer = *receiving.buffer;
  buffer.parse(problem_, memory_for_);
  receiving.of_tiles = true;
  receiving.requests.clear();
  std::byte* tile = buffer.tiles();
  std::size_t next = 0;
  for (const std::size_t count : tiles_of_messages(buffer.sizes())) {
    std::int64_t bytes = 0;
    for (std::size_t t = 0; t < count; ++t) bytes += buffer.sizes()[next++];
    MPI_Request& request = receiving.requests.emplace_back(MPI_REQUEST_NULL);
    require_mpi(MPI_Irecv(tile, static_cast<int>(bytes / bytes_of(problem_.precision)), element_,
                          receiving.from, static_cast<int>(buffer.hop().tag), communicator_, &request),
                "receive");
    tile += bytes;
  }
}

bool Messenger::end_sends(const Listener& listener) {
  std::vector<OperationId> done;
  std::erase_if(sending_, [&](Sending& sending) {
    if (!ended(sending.requests, "send")) return false;
    done.push_back(sending.id);
    packed_bytes_ -= sending.packed_bytes;
    return true;
  });
  if (!done.empty()) start_waiting();
  for (const OperationId id : done) listener.sent(id);
  return !done.empty();
}

bool Messenger::end_receives(const Listener& listener) {
  std::vector<std::shared_ptr<MessageBuffer>> done;
  std::erase_if(receiving_, [&](Receiving& receiving) {
    if (!ended(receiving.requests, "receive")) return false;
    if (!receiving.of_tiles) {
      receive_tiles(receiving);
      return false;
    }
    done.push_back(std::move(receiving.buffer));
    return true;
  });
  for (auto& buffer : done) listener.received(std::move(buffer));
  return !done.empty();
}

bool Messenger::receive_signal(const Listener& listener) {
  int found = 0;
  MPI_Status status;
  require_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kSignal, communicator_, &found, &status), "probe");
  if (!found) return false;
  Signal signal;
  require_mpi(MPI_Recv(&signal, sizeof signal, MPI_BYTE, status.MPI_SOURCE, kSignal, communicator_,
                       MPI_STATUS_IGNORE),
              "signal");
  listener.signalled(signal);
  return true;
}

bool Messenger::end_signals() {
  return std::erase_if(signals_, [](SentSignal& sent) { return ended(sent.request, "signal"); }) > 0;
}

bool Messenger::progress(const Listener& listener) {
  return poll_while_pieces_move([&] { return poll_once(listener); }, [this] { return moving(); });
}

bool Messenger::poll_once(const Listener& listener) {
  bool any = false;
  while (start_receive()) any = true;
  any = end_sends(listener) || any;
  any = end_receives(listener) || any;
  while (receive_signal(listener)) any = true;
  return end_signals() || any;
}

}  // namespace foretile
