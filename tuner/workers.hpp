// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Evaluations in processes of their own, several at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <vector>

#include "tuner/outcome.hpp"

namespace foretile {

/// What evaluations may use.
struct WorkerLimits {
  int workers = 0;                 ///< at a time; 0: the cores this process may use
  double evaluation_s = 600;       ///< one evaluation; longer ones are killed and recorded as failed
  std::uint64_t memory_bytes = 0;  ///< data one evaluation may hold, what it inherits included; 0: no limit
};

/// Forks one child per evaluation: SimGrid has one engine per process, and a crash, a hang or a leak of the
/// cost model stays in the child. The child sends its outcome through a pipe; its stdin, stdout and stderr
/// are not the parent's (the last line of its stderr becomes part of the message when it crashes). Children
/// die with their parent. The parent must run no other threads and have loaded what the cost model needs.
/// POSIX; the death with the parent and the memory limit need Linux.
class Workers {
 public:
  /// Throws InputError for negative limits.
  Workers(CostFunction cost, const WorkerLimits& limits);

  /// Ends all children.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// What is being evaluated.
  std::vector<Candidate> running() const;
  /// Number of evaluations under way.
  int count() const { return static_cast<int>(children_.size()); }
  /// Whether another evaluation may start.
  bool has_room() const { return count() < limits_.workers; }

  /// Requires has_room(). Throws WorkError when no process can be started.
  void start(const Candidate& candidate);

  /// Waits until an evaluation has finished or `wait_s` seconds have passed; returns the finished ones.
  /// Whatever a child does, each start() ends in one evaluation within the time limit.
  std::vector<Evaluation> wait(double wait_s);

  /// Kills a child without an outcome. Does nothing when the candidate is not running.
  void end(const Candidate& candidate);
  /// Kills all children without an outcome.
  void end_all();

 private:
  using Clock = std::chrono::steady_clock;
  struct Child {
    int pid = 0;
    int result = -1;  ///< read ends of the child's pipes; -1 once closed by it
    int diagnostics = -1;
    std::string result_text;
    std::string diagnostics_text;
    Candidate candidate;
    Clock::time_point start;
    std::string killed_because;  ///< empty unless we killed it
  };

  [[noreturn]] void run_child(const Candidate& candidate, int result, int diagnostics, int parent) const;
  void read_pipes(double wait_s);
  void check_limits();
  bool finish_if_ended(Child& child, std::vector<Evaluation>& finished);
  double seconds_to_next_deadline() const;

  CostFunction cost_;
  WorkerLimits limits_;
  std::list<Child> children_;
};

}  // namespace foretile
