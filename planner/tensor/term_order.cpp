// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"

namespace foretile {

namespace {

/// An intermediate, or a result.
struct Written {
  std::vector<std::size_t> by, read_by;  // terms
  std::size_t open = 0;                  // of `by`: not in order yet
  int level = 0;
};

class Ordering {
 public:
  explicit Ordering(const Program& program)
      : program_(program), order_(program.terms.size()), waits_(order_.size(), 0), behind_(order_.size()) {
    for (std::size_t t = 0; t < order_.size(); ++t) {
      Written& written = written_[program.terms[t].result.tensor];
      written.by.push_back(t);
      ++written.open;
    }
    for (std::size_t t = 0; t < order_.size(); ++t) {
      for (Written* const read : reads(t)) {
        read->read_by.push_back(t);
        ++waits_[t];
        order_[t].depends_on.insert(order_[t].depends_on.end(), read->by.begin(), read->by.end());
      }
      for (const std::size_t before : program.terms[t].after) {
        behind_[before].push_back(t);
        ++waits_[t];
        order_[t].depends_on.push_back(before);
      }
      std::ranges::sort(order_[t].depends_on);
    }
  }

  std::vector<TermOrder> ordered(const std::string& source) {
    std::vector<std::size_t> ready;
    for (std::size_t t = 0; t < order_.size(); ++t) {
      if (waits_[t] == 0) ready.push_back(t);
    }
    for (std::size_t done = 0; done < ready.size(); ++done) end(ready[done], ready);
    if (ready.size() < order_.size()) refuse(source);
    return std::move(order_);
  }

 private:
  /// What terms write of the operands, each once.
  std::vector<Written*> reads(std::size_t term) {
    std::vector<Written*> found;
    for (const TensorUse& use : program_.terms[term].operands) {
      const auto written = written_.find(use.tensor);
      if (written != written_.end() && std::ranges::find(found, &written->second) == found.end())
        found.push_back(&written->second);
    }
    return found;
  }

  void end(std::size_t term, std::vector<std::size_t>& ready) {
    int& level = order_[term].level;
    for (const Written* const read : reads(term)) level = std::max(level, read->level + 1);
    for (const std::size_t before : program_.terms[term].after)
      level = std::max(level, order_[before].level + 1);
    for (const std::size_t next : behind_[term]) {
      if (--waits_[next] == 0) ready.push_back(next);
    }
    Written& written = written_.at(program_.terms[term].result.tensor);
    written.level = std::max(written.level, level);
    if (--written.open > 0) return;
    for (const std::size_t reader : written.read_by) {
      if (--waits_[reader] == 0) ready.push_back(reader);
    }
  }

  /// Going from each term to one that it waits for, one comes again.
  [[noreturn]] void refuse(const std::string& source) {
    const auto waiting_for = [&](std::size_t term) {
      return *std::ranges::find_if(order_[term].depends_on,
                                   [&](std::size_t other) { return waits_[other] > 0; });
    };
    std::size_t at = static_cast<std::size_t>(
        std::ranges::find_if(waits_, [](int waits) { return waits > 0; }) - waits_.begin());
    std::vector<std::size_t> path;
    for (; std::ranges::find(path, at) == path.end(); at = waiting_for(at)) path.push_back(at);
    std::string text = program_.terms[at].name;
    for (auto next = std::ranges::find(path, at) + 1; next < path.end() && text.size() < 100; ++next)
      text += fmt::format(", which waits for {}", program_.terms[*next].name);
    text += fmt::format(", which waits for {}", program_.terms[at].name);
    throw input_error(fmt::format("{}, line {}", source, program_.terms[at].line), text,
                      "terms that can be computed one after the other",
                      "let one of them write another tensor");
  }

  const Program& program_;
  std::vector<TermOrder> order_;
  std::vector<int> waits_;                        // of each term: operands that are not written yet
  std::vector<std::vector<std::size_t>> behind_;  // of each term: those that are after it
  std::map<std::string, Written> written_;
};

}  // namespace

std::vector<TermOrder> order_of_terms(const Program& program, const std::string& source) {
  return Ordering(program).ordered(source);
}

}  // namespace foretile
