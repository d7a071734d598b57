#include "executor/mpi/messenger.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>
#include <thread>
#include <type_traits>

#include "base/error.hpp"

namespace foretile {

namespace {

// Tags of what travels.
constexpr int kTiles = 0;
constexpr int kSignal = 1;

static_assert(std::is_trivially_copyable_v<Signal>);

bool ended(MPI_Request& request, const char* what) {
  int done = 0;
  require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
  return done != 0;
}

/// The pieces, made of `element`s of `bytes`, where they lie in memory; the caller frees it.
MPI_Datatype type_of(const std::vector<std::span<const std::byte>>& pieces, MPI_Datatype element,
                     std::size_t bytes) {
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

void require_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw WorkError(fmt::format("MPI, {}: {}", what, std::string_view(text.data(), length)));
}

Rank rank_in(MPI_Comm communicator) {
  int rank = 0;
  require_mpi(MPI_Comm_rank(communicator, &rank), "rank");
  return Rank::of(rank);
}

int size_of(MPI_Comm communicator) {
  int size = 1;
  require_mpi(MPI_Comm_size(communicator, &size), "size");
  return size;
}

void quiet_barrier(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Ibarrier(communicator, &request), "barrier");
  int done = 0;
  // Looks get rarer: those of several ranks at once take a tenth of a core from what the others still do.
  for (auto pause = std::chrono::microseconds(100);;
       pause = std::min(2 * pause, std::chrono::microseconds(2000))) {
    require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "barrier");
    if (done) return;
    std::this_thread::sleep_for(pause);
  }
}

Messenger::Messenger(MPI_Comm communicator, const Contraction& contraction, std::pmr::memory_resource* memory)
    : communicator_(communicator),
      problem_(contraction),
      memory_(memory),
      element_(contraction.precision == Precision::f64 ? MPI_INT64_T : MPI_INT32_T) {}

void Messenger::send(OperationId id, Rank to_rank, const std::vector<std::span<const std::byte>>& pieces,
                     const Path& path) {
  const auto element_bytes = static_cast<std::size_t>(problem_.element_bytes());
  auto sent_path = std::make_unique<Path>(path);
  std::vector<std::span<const std::byte>> all(pieces);
  all.push_back(std::as_bytes(std::span(sent_path.get(), 1)));
  std::size_t elements = 0;
  for (const auto piece : all) elements += piece.size() / element_bytes;
  if (elements > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw WorkError(fmt::format("a message of {} numbers to rank {}: MPI sends at most {} at once", elements,
                                to_rank, std::numeric_limits<int>::max()));
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype type = type_of(all, element_, element_bytes);
  require_mpi(MPI_Isend(MPI_BOTTOM, 1, type, to_rank, kTiles, communicator_, &request), "send");
  require_mpi(MPI_Type_free(&type), "send");  // MPI keeps it until the message has left
  sending_.push_back({request, id, std::move(sent_path)});
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
  require_mpi(MPI_Improbe(MPI_ANY_SOURCE, kTiles, communicator_, &found, &message, &status), "probe");
  if (!found) return false;
  int elements = 0;
  require_mpi(MPI_Get_count(&status, element_, &elements), "count");
  if (elements < 0) throw WorkError("a message that is no whole number of elements");
  receiving_.push_back(
      {MPI_REQUEST_NULL, std::make_shared<MessageBuffer>(elements * problem_.element_bytes(), memory_)});
  Receiving& receiving = receiving_.back();
  require_mpi(MPI_Imrecv(receiving.buffer->bytes().data(), elements, element_, &message, &receiving.request),
              "receive");
  return true;
}

bool Messenger::end_sends(const Listener& listener) {
  std::vector<OperationId> done;
  std::erase_if(sending_, [&](Sending& sending) {
    if (!ended(sending.request, "send")) return false;
    done.push_back(sending.id);
    return true;
  });
  for (const OperationId id : done) listener.sent(id);
  return !done.empty();
}

bool Messenger::end_receives(const Listener& listener) {
  std::vector<std::shared_ptr<MessageBuffer>> done;
  std::erase_if(receiving_, [&](Receiving& receiving) {
    if (!ended(receiving.request, "receive")) return false;
    done.push_back(std::move(receiving.buffer));
    return true;
  });
  for (auto& buffer : done) {
    buffer->parse(problem_);
    listener.received(std::move(buffer));
  }
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
  return look_while_pieces_move([&] { return look_once(listener); }, [this] { return moving(); });
}

bool Messenger::look_once(const Listener& listener) {
  bool any = false;
  while (start_receive()) any = true;
  any = end_sends(listener) || any;
  any = end_receives(listener) || any;
  while (receive_signal(listener)) any = true;
  return end_signals() || any;
}

}  // namespace foretile
