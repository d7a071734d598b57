// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/arrivals.hpp"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <tuple>

#include "platforms/cost/message.hpp"

namespace foretile {

namespace {

constexpr int kSendSlots = 4;  // SchedulerOptions::send_slots

/// A transfer on its way to a position in its tree.
struct Parcel {
  const Transfer* transfer = nullptr;
  int number = 0;  // in its owner's list
  int position = 0;
  std::int64_t bytes = 0;
};

struct Waiting {
  Parcel parcel;
  std::uint64_t order = 0;

  /// std::priority_queue has the largest first.
  bool operator<(const Waiting& o) const {
    return std::tuple(parcel.number, order) > std::tuple(o.parcel.number, o.order);
  }
};

struct Messenger {
  double free_s = 0;
  int in_flight = 0;
  std::priority_queue<Waiting> waiting;
};

struct Event {
  enum class What { leaves, arrives, received };

  double time_s = 0;
  What what = What::leaves;
  int from = 0, to = 0;
  Parcel parcel;
  std::uint64_t order = 0;

  bool operator<(const Event& o) const { return std::tuple(time_s, order) > std::tuple(o.time_s, o.order); }
};

class Model {
 public:
  Model(const std::vector<std::vector<Transfer>>& transfers, const Contraction& contraction,
        const Machine& machine)
      : transfers_(transfers),
        problem_(contraction),
        machine_(machine),
        ranks_(transfers.size()),
        arrivals_(transfers.size()) {}

  std::vector<Arrivals> run() {
    const int ranks = static_cast<int>(ranks_.size());
    for (int rank = 0; rank < ranks; ++rank) enter_own(rank);
    for (int rank = 0; rank < ranks; ++rank) send(rank, 0);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      happen(event);
    }
    for (Arrivals& list : arrivals_) std::sort(list.begin(), list.end());
    return std::move(arrivals_);
  }

 private:
  void enter_own(int rank) {
    int number = 0;
    for (const Transfer& transfer : transfers_[rank]) {
      std::int64_t bytes = 0;
      for (const TileId tile : transfer.tiles) bytes += bytes_of(problem_, {transfer.matrix, tile});
      forward(rank, {&transfer, number++, 0, bytes});
    }
  }

  void forward(int rank, Parcel parcel) {
    const Transfer& transfer = *parcel.transfer;
    const int size = static_cast<int>(transfer.others.size()) + 1;
    for (const int child : tree_children(transfer.tree, parcel.position, size)) {
      parcel.position = child;
      ranks_[rank].waiting.push({parcel, order_++});
    }
  }

  void send(int rank, double now_s) {
    Messenger& messenger = ranks_[rank];
    for (; messenger.in_flight < kSendSlots && !messenger.waiting.empty(); ++messenger.in_flight) {
      const Parcel parcel = messenger.waiting.top().parcel;
      messenger.waiting.pop();
      const int to = parcel.transfer->others[parcel.position - 1];
      post(busy_until(messenger, parcel, now_s), Event::What::leaves, rank, to, parcel);
    }
  }

  double busy_until(Messenger& messenger, const Parcel& parcel, double now_s) const {
    messenger.free_s = std::max(messenger.free_s, now_s) +
                       message_software_s(machine_.platform, parcel.transfer->tiles.size());
    return messenger.free_s;
  }

  void post(double time_s, Event::What what, int from, int to, const Parcel& parcel) {
    events_.push({time_s, what, from, to, parcel, order_++});
  }

  void happen(const Event& e) {
    switch (e.what) {
      case Event::What::leaves:
        post(e.time_s + travel_s(e), Event::What::arrives, e.from, e.to, e.parcel);
        break;
      case Event::What::arrives:
        --ranks_[e.from].in_flight;
        send(e.from, e.time_s);
        post(busy_until(ranks_[e.to], e.parcel, e.time_s), Event::What::received, e.from, e.to, e.parcel);
        break;
      case Event::What::received:
        for (const TileId tile : e.parcel.transfer->tiles) arrivals_[e.to].emplace_back(tile, e.time_s);
        forward(e.to, e.parcel);
        send(e.to, e.time_s);
        break;
    }
  }

  double travel_s(const Event& e) const {
    return link_seconds(message_link(machine_, Rank::of(e.from), Rank::of(e.to)),
                        static_cast<double>(e.parcel.bytes));
  }

  const std::vector<std::vector<Transfer>>& transfers_;
  const Contraction& problem_;
  const Machine& machine_;
  std::vector<Messenger> ranks_;
  std::vector<Arrivals> arrivals_;
  std::priority_queue<Event> events_;
  std::uint64_t order_ = 0;
};

}  // namespace

std::vector<Arrivals> expected_arrivals(const std::vector<std::vector<Transfer>>& transfers,
                                        const Contraction& contraction, const Machine& machine) {
  return Model(transfers, contraction, machine).run();
}

}  // namespace foretile
