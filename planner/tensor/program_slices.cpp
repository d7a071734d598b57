// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/program_slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace foretile {

namespace {

std::string sliced_name(const std::string& name, std::size_t slice) {
  return fmt::format("{}~{}", name, slice + 1);
}

bool has_index(const TensorUse& use, const std::string& name) {
  return std::ranges::find(use.indices, name, &TermIndex::name) != use.indices.end();
}

std::size_t uses_of(const ProgramTerm& term, const std::string& tensor) {
  return static_cast<std::size_t>(std::ranges::count(term.operands, tensor, &TensorUse::tensor));
}

class Slicer {
 public:
  Slicer(Program& program, std::size_t slices) : program_(program), slices_(slices) {}

  void cut(const std::string& tensor) {
    tensor_ = tensor;
    const auto most =
        std::ranges::max(program_.terms, {}, [&](const ProgramTerm& term) { return uses_of(term, tensor); });
    if (uses_of(most, tensor) != 1) return;
    const std::vector<std::size_t> positions = positions_to_cut();
    if (positions.empty()) return;
    declare(positions);
    cut_terms();
  }

 private:
  /// Those of which no reader sums the index; all where every one is summed by some reader.
  std::vector<std::size_t> positions_to_cut() const {
    const std::size_t indices = program_.declared(tensor_)->spaces.size();
    std::vector<std::size_t> free, all;
    for (std::size_t p = 0; p < indices; ++p) {
      all.push_back(p);
      const bool is_free = std::ranges::all_of(program_.terms, [&](const ProgramTerm& term) {
        return std::ranges::all_of(term.operands, [&](const TensorUse& use) {
          return use.tensor != tensor_ || has_index(term.result, use.indices[p].name);
        });
      });
      if (is_free) free.push_back(p);
    }
    return free.empty() ? all : free;
  }

  void declare(const std::vector<std::size_t>& positions) {
    const TensorDeclaration whole = *program_.declared(tensor_);
    std::erase_if(program_.tensors, [&](const TensorDeclaration& one) { return one.name == tensor_; });
    for (std::size_t slice = 0; slice < slices_; ++slice) {
      TensorDeclaration& one = program_.tensors.emplace_back(whole);
      one.name = sliced_name(tensor_, slice);
      one.slice = {positions, slice, slices_};
    }
  }

  /// Terms that have to do with it stand for their first slice; those of others follow behind all terms, so
  /// that numbers of terms stay.
  void cut_terms() {
    std::vector<std::size_t> writers, readers;
    for (std::size_t t = 0; t < program_.terms.size(); ++t) {
      if (program_.terms[t].result.tensor == tensor_) writers.push_back(t);
      if (uses_of(program_.terms[t], tensor_) > 0) readers.push_back(t);
    }
    const std::vector<ProgramTerm> whole = program_.terms;
    std::vector<std::vector<std::size_t>> written_by, read_by;  // by slice
    for (std::size_t slice = 0; slice < slices_; ++slice) {
      const auto add = [&](std::size_t term) {
        const std::size_t number = slice == 0 ? term : program_.terms.size();
        if (slice > 0) program_.terms.emplace_back();
        program_.terms[number] = sliced(whole[term], slice);
        return number;
      };
      written_by.emplace_back();
      for (const std::size_t term : writers) {
        const std::size_t number = add(term);
        written_by.back().push_back(number);
        std::vector<std::size_t>& after = program_.terms[number].after;
        if (slice > 0) after = written_by[slice - 1];
        if (slice > 1) after.insert(after.end(), read_by[slice - 2].begin(), read_by[slice - 2].end());
      }
      read_by.emplace_back();
      for (const std::size_t term : readers) read_by.back().push_back(add(term));
    }
  }

  ProgramTerm sliced(ProgramTerm term, std::size_t slice) const {
    term.name = sliced_name(term.name, slice);
    const auto rename = [&](TensorUse& use) {
      if (use.tensor == tensor_) use.tensor = sliced_name(tensor_, slice);
    };
    rename(term.result);
    for (TensorUse& use : term.operands) rename(use);
    return term;
  }

  Program& program_;
  std::size_t slices_;
  std::string tensor_;
};

}  // namespace

Program in_slices(Program program, int slices) {
  if (slices <= 1) return program;
  std::vector<std::string> names;
  for (const TensorDeclaration& tensor : program.tensors) {
    if (tensor.on_demand) names.push_back(tensor.name);
  }
  if (names.empty())
    throw input_error("--slices", "a program without on-demand intermediates", "one that has some",
                      "leave --slices out, or declare one: intermediate X[a,a,a,a] on-demand");
  Slicer slicer(program, static_cast<std::size_t>(slices));
  for (const std::string& name : names) slicer.cut(name);
  return program;
}

}  // namespace foretile
