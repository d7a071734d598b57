// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/collective_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "base/error.hpp"
#include "base/near.hpp"

namespace foretile {

namespace {

constexpr int kMostRanks = 4096;

/// A plan that grows message by message.
class Steps {
 public:
  Steps(int ranks, std::int64_t bytes) : bytes_(bytes), plan_(static_cast<std::size_t>(ranks)) {}

  int ranks() const { return static_cast<int>(plan_.size()); }
  /// Of the whole buffer, and of each rank's part.
  std::int64_t bytes() const { return bytes_; }
  std::int64_t part() const { return bytes_ / ranks() / 4 * 4; }

  /// All ranks begin a step, or one does.
  void next() {
    for (auto& steps : plan_) steps.emplace_back();
  }
  void next(int rank) { plan_[static_cast<std::size_t>(rank)].emplace_back(); }
  CollectiveStep& of(int rank) { return plan_[static_cast<std::size_t>(rank)].back(); }
  void send(int from, int to, std::int64_t bytes) {
    of(from).sends.push_back({to, bytes});
    of(to).receives.push_back({from, bytes});
  }
  int modulo(int rank) const { return (rank % ranks() + ranks()) % ranks(); }
  CollectivePlan take() { return std::move(plan_); }

 private:
  std::int64_t bytes_;
  CollectivePlan plan_;
};

void for_each_rank(const Steps& s, const std::function<void(int)>& work) {
  for (int rank = 0; rank < s.ranks(); ++rank) work(rank);
}

/// Each rank to the next one, `steps` times.
void ring(Steps& s, int steps, bool adds) {
  for (int step = 0; step < steps; ++step) {
    s.next();
    for_each_rank(s, [&](int rank) {
      s.send(rank, s.modulo(rank + 1), s.part());
      if (adds) s.of(rank).added_bytes += s.part();
    });
  }
}

void ring_allgather(Steps& s) {
  ring(s, s.ranks() - 1, false);
}

void neighbor(Steps& s) {
  if (s.ranks() % 2 != 0)
    throw input_error("ranks", fmt::format("{}", s.ranks()), "an even number for the algorithm neighbor");
  for (int step = 0; step < s.ranks() / 2; ++step) {
    s.next();
    const std::int64_t bytes = step == 0 ? s.part() : 2 * s.part();
    for_each_rank(s, [&](int rank) {
      const bool up = (rank % 2 == 0) == (step % 2 == 0);
      s.send(rank, s.modulo(up ? rank + 1 : rank - 1), bytes);
    });
  }
}

/// Ranks that take part in steps by powers of two, and those folded into them.
class Folded {
 public:
  explicit Folded(int ranks)
      : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))), extra_(ranks - size_) {}

  int size() const { return size_; }  ///< a power of two
  int extra() const { return extra_; }
  /// Of the n-th that takes part: of the first pairs the odd one.
  int rank(int n) const { return n < extra_ ? 2 * n + 1 : n + extra_; }
  /// Who holds data of how many ranks.
  int holds(int n) const { return n < extra_ ? 2 : 1; }

 private:
  int size_, extra_;
};

/// The even ranks of the first pairs send `bytes` to the odd ones, or get it back.
void fold(Steps& s, const Folded& f, std::int64_t bytes, bool back, bool adds) {
  if (f.extra() == 0) return;
  s.next();
  for (int n = 0; n < f.extra(); ++n) {
    const int even = 2 * n, odd = even + 1;
    if (back) {
      s.send(odd, even, bytes);
    } else {
      s.send(even, odd, bytes);
      if (adds) s.of(odd).added_bytes += bytes;
    }
  }
}

/// Parts that the group of `size` participants around n hold together.
std::int64_t parts_of_group(const Folded& f, int n, int size) {
  std::int64_t parts = 0;
  const int first = n / size * size;
  for (int member = first; member < first + size; ++member) parts += f.holds(member);
  return parts;
}

void doubling_steps(Steps& s, const Folded& f, std::int64_t part) {
  for (int distance = 1; distance < f.size(); distance *= 2) {
    s.next();
    for (int n = 0; n < f.size(); ++n)
      s.send(f.rank(n), f.rank(n ^ distance), part * parts_of_group(f, n, distance));
  }
}

void halving_steps(Steps& s, const Folded& f, std::int64_t part) {
  for (int distance = f.size() / 2; distance >= 1; distance /= 2) {
    s.next();
    for (int n = 0; n < f.size(); ++n) {
      s.send(f.rank(n), f.rank(n ^ distance), part * parts_of_group(f, n ^ distance, distance));
      s.of(f.rank(n)).added_bytes += part * parts_of_group(f, n, distance);
    }
  }
}

void doubling_allgather(Steps& s) {
  const Folded f(s.ranks());
  fold(s, f, s.part(), false, false);
  doubling_steps(s, f, s.part());
  fold(s, f, s.bytes(), true, false);
}

void doubling_allreduce(Steps& s) {
  const Folded f(s.ranks());
  fold(s, f, s.bytes(), false, true);
  for (int distance = 1; distance < f.size(); distance *= 2) {
    s.next();
    for (int n = 0; n < f.size(); ++n) {
      s.send(f.rank(n), f.rank(n ^ distance), s.bytes());
      s.of(f.rank(n)).added_bytes += s.bytes();
    }
  }
  fold(s, f, s.bytes(), true, false);
}

/// Parts of the buffer among those that take part, as if each had one.
std::int64_t even_part(const Steps& s, const Folded& f) {
  return s.bytes() / (f.size() + f.extra());
}

void rabenseifner_allreduce(Steps& s) {
  const Folded f(s.ranks());
  fold(s, f, s.bytes(), false, true);
  halving_steps(s, f, even_part(s, f));
  doubling_steps(s, f, even_part(s, f));
  fold(s, f, s.bytes(), true, false);
}

void halving_reduce_scatter(Steps& s) {
  const Folded f(s.ranks());
  fold(s, f, s.bytes(), false, true);
  halving_steps(s, f, s.part());
  fold(s, f, s.part(), true, false);
}

void ring_reduce_scatter(Steps& s) {
  ring(s, s.ranks() - 1, true);
}

void ring_allreduce(Steps& s) {
  ring(s, s.ranks() - 1, true);
  ring(s, s.ranks() - 1, false);
}

void pairwise_reduce_scatter(Steps& s) {
  for (int step = 1; step < s.ranks(); ++step) {
    s.next();
    for_each_rank(s, [&](int rank) {
      s.send(rank, s.modulo(rank + step), s.part());
      s.of(rank).added_bytes += s.part();
    });
  }
}

/// Step i to rank - 2^i, of all parts so far; then they are rotated to their places.
void bruck_allgather(Steps& s) {
  for (int distance = 1; distance < s.ranks(); distance *= 2) {
    s.next();
    const std::int64_t bytes = std::min(distance, s.ranks() - distance) * s.part();
    for_each_rank(s, [&](int rank) { s.send(rank, s.modulo(rank - distance), bytes); });
  }
  for_each_rank(s, [&](int rank) { s.of(rank).copied_bytes = s.ranks() * s.part(); });
}

/// Step i with all parts whose number has bit i; they are packed before and unpacked after.
void bruck_alltoall(Steps& s) {
  for (int distance = 1; distance < s.ranks(); distance *= 2) {
    s.next();
    std::int64_t parts = 0;
    for (int number = 0; number < s.ranks(); ++number) parts += (number & distance) != 0 ? 1 : 0;
    for_each_rank(s, [&](int rank) {
      s.send(rank, s.modulo(rank + distance), parts * s.part());
      s.of(rank).copied_bytes = 2 * parts * s.part();
    });
  }
}

void all_at_once(Steps& s) {
  s.next();
  for_each_rank(s, [&](int rank) {
    for (int other = 1; other < s.ranks(); ++other)
      s.of(rank).sends.push_back({s.modulo(rank + other), s.part()});
    for (int other = 1; other < s.ranks(); ++other)
      s.of(rank).receives.push_back({s.modulo(rank - other), s.part()});
  });
}

void pairwise_alltoall(Steps& s) {
  for (int step = 1; step < s.ranks(); ++step) {
    s.next();
    for_each_rank(s, [&](int rank) { s.send(rank, s.modulo(rank + step), s.part()); });
  }
}

// ---- trees from rank 0 ----

/// An edge down a tree, in the order in which parents use them.
struct Edge {
  int parent = 0, child = 0, ranks = 0;  ///< in the child's subtree
};

/// Radix r: rank with lowest digit d r^i is a child of rank - d r^i. Largest subtrees first.
std::vector<Edge> knomial_edges(int ranks, int radix) {
  std::vector<Edge> edges;
  int top = 1;
  while (top < ranks) top *= radix;
  for (int place = top / radix; place >= 1; place /= radix) {
    for (int parent = 0; parent < ranks; parent += place * radix) {
      for (int digit = 1; digit < radix && parent + digit * place < ranks; ++digit) {
        const int child = parent + digit * place;
        edges.push_back({parent, child, std::min(place, ranks - child)});
      }
    }
  }
  return edges;
}

/// Children of rank r are 2 r + 1 and 2 r + 2.
std::vector<Edge> binary_edges(int ranks) {
  std::vector<Edge> edges;
  for (int child = 1; child < ranks; ++child) edges.push_back({(child - 1) / 2, child, 1});
  return edges;
}

/// Each edge is a step of its own for its two ranks: a parent sends to one child after another.
void down(Steps& s, const std::vector<Edge>& edges, const std::function<std::int64_t(const Edge&)>& bytes) {
  for (const Edge& edge : edges) {
    s.next(edge.parent);
    s.next(edge.child);
    s.send(edge.parent, edge.child, bytes(edge));
  }
}

void up(Steps& s, std::vector<Edge> edges, bool adds, const std::function<std::int64_t(const Edge&)>& bytes) {
  std::ranges::reverse(edges);
  for (const Edge& edge : edges) {
    s.next(edge.parent);
    s.next(edge.child);
    s.send(edge.child, edge.parent, bytes(edge));
    if (adds) s.of(edge.parent).added_bytes += bytes(edge);
  }
}

std::function<std::int64_t(const Edge&)> whole(const Steps& s) {
  return [bytes = s.bytes()](const Edge&) { return bytes; };
}

std::function<std::int64_t(const Edge&)> parts(const Steps& s) {
  return [part = s.part()](const Edge& edge) { return edge.ranks * part; };
}

void binomial_bcast(Steps& s) {
  down(s, knomial_edges(s.ranks(), 2), whole(s));
}
void knomial_bcast(Steps& s) {
  down(s, knomial_edges(s.ranks(), 4), whole(s));
}
void binary_bcast(Steps& s) {
  down(s, binary_edges(s.ranks()), whole(s));
}
void binomial_scatter(Steps& s) {
  down(s, knomial_edges(s.ranks(), 2), parts(s));
}
void binomial_gather(Steps& s) {
  up(s, knomial_edges(s.ranks(), 2), false, parts(s));
}
void binomial_reduce(Steps& s) {
  up(s, knomial_edges(s.ranks(), 2), true, whole(s));
}
void knomial_reduce(Steps& s) {
  up(s, knomial_edges(s.ranks(), 4), true, whole(s));
}

void scatter_doubling_bcast(Steps& s) {
  binomial_scatter(s);
  doubling_allgather(s);
}
void scatter_ring_bcast(Steps& s) {
  binomial_scatter(s);
  ring_allgather(s);
}

void rabenseifner_reduce(Steps& s) {
  const Folded f(s.ranks());
  fold(s, f, s.bytes(), false, true);
  halving_steps(s, f, even_part(s, f));
  for (int distance = 1; distance < f.size(); distance *= 2) {
    s.next();
    for (int n = 0; n < f.size(); n += 2 * distance)
      s.send(f.rank(n + distance), f.rank(n), even_part(s, f) * parts_of_group(f, n + distance, distance));
  }
  if (f.extra() == 0) return;
  s.next();
  s.send(f.rank(0), 0, s.bytes());
}

// ---- the root and all others ----

void root_one_by_one(Steps& s, bool receives, bool adds, std::int64_t bytes) {
  for (int rank = 1; rank < s.ranks(); ++rank) {
    s.next(0);
    s.next(rank);
    s.send(receives ? rank : 0, receives ? 0 : rank, bytes);
    if (adds) s.of(0).added_bytes += bytes;
  }
}

void root_at_once(Steps& s, bool receives, std::int64_t bytes) {
  s.next();
  for (int rank = 1; rank < s.ranks(); ++rank) s.send(receives ? rank : 0, receives ? 0 : rank, bytes);
}

using Algorithm = std::function<void(Steps&)>;
struct Named {
  const char* collective;
  const char* algorithm;
  Algorithm make;
};

const std::vector<Named>& algorithms() {
  static const std::vector<Named> all{
      {"allgather", "ring", ring_allgather},
      {"allgather", "neighbor", neighbor},
      {"allgather", "recursive_doubling", doubling_allgather},
      {"allgather", "bruck", bruck_allgather},
      {"allgather", "linear", all_at_once},
      {"allreduce", "recursive_doubling", doubling_allreduce},
      {"allreduce", "ring", ring_allreduce},
      {"allreduce", "rabenseifner", rabenseifner_allreduce},
      {"alltoall", "pairwise", pairwise_alltoall},
      {"alltoall", "linear", all_at_once},
      {"alltoall", "bruck", bruck_alltoall},
      {"bcast", "binomial", binomial_bcast},
      {"bcast", "knomial", knomial_bcast},
      {"bcast", "binary", binary_bcast},
      {"bcast", "scatter_allgather", scatter_doubling_bcast},
      {"bcast", "scatter_ring_allgather", scatter_ring_bcast},
      {"bcast", "linear", [](Steps& s) { root_one_by_one(s, false, false, s.bytes()); }},
      {"gather", "binomial", binomial_gather},
      {"gather", "linear", [](Steps& s) { root_one_by_one(s, true, false, s.part()); }},
      {"gather", "linear_nb", [](Steps& s) { root_at_once(s, true, s.part()); }},
      {"reduce", "binomial", binomial_reduce},
      {"reduce", "knomial", knomial_reduce},
      {"reduce", "rabenseifner", rabenseifner_reduce},
      {"reduce", "linear", [](Steps& s) { root_one_by_one(s, true, true, s.bytes()); }},
      {"reduce_scatter", "recursive_halving", halving_reduce_scatter},
      {"reduce_scatter", "ring", ring_reduce_scatter},
      {"reduce_scatter", "pairwise", pairwise_reduce_scatter},
      {"scatter", "binomial", binomial_scatter},
      {"scatter", "linear", [](Steps& s) { root_one_by_one(s, false, false, s.part()); }},
      {"scatter", "linear_nb", [](Steps& s) { root_at_once(s, false, s.part()); }}};
  return all;
}

const std::vector<std::string>& algorithms_of(std::string_view collective) {
  std::vector<std::string> names;
  for (const CollectiveKind& kind : collective_kinds()) {
    if (kind.name == collective) return kind.algorithms;
    names.push_back(kind.name);
  }
  throw input_error("collective", fmt::format("\"{}\"", collective),
                    fmt::format("{}", fmt::join(names, ", ")), did_you_mean(std::string(collective), names));
}

}  // namespace

const std::vector<CollectiveKind>& collective_kinds() {
  static const std::vector<CollectiveKind> kinds = [] {
    std::vector<CollectiveKind> found;
    for (const Named& named : algorithms()) {
      if (found.empty() || found.back().name != named.collective) found.push_back({named.collective, {}});
      found.back().algorithms.emplace_back(named.algorithm);
    }
    return found;
  }();
  return kinds;
}

CollectivePlan collective_plan(std::string_view collective, std::string_view algorithm, int ranks,
                               std::int64_t bytes) {
  const std::vector<std::string>& known = algorithms_of(collective);
  if (ranks > kMostRanks)
    throw input_error("ranks", fmt::format("{}", ranks), fmt::format("at most {}", kMostRanks),
                      "take fewer nodes or ranks per node: some algorithms have ranks^2 messages");
  if (ranks < 2)
    throw input_error("ranks", fmt::format("{}", ranks), "at least 2 for a collective operation");
  for (const Named& named : algorithms()) {
    if (named.collective != collective || named.algorithm != algorithm) continue;
    Steps steps(ranks, bytes);
    named.make(steps);
    return steps.take();
  }
  throw input_error("algorithm", fmt::format("\"{}\"", algorithm),
                    fmt::format("one of {}: {}", collective, fmt::join(known, ", ")),
                    did_you_mean(std::string(algorithm), known));
}

}  // namespace foretile
