// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/exchange_symmetry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.hpp"

namespace foretile {

namespace {

using Exchange = std::vector<std::size_t>;  // position p has the index of exchange[p]
using Symmetry = std::vector<Exchange>;  // of a tensor: all that leave it the same, the first one leaves all
using Form = std::pair<double, std::vector<std::size_t>>;  // factor; tensors and indices

Exchange unchanged(std::size_t positions) {
  Exchange none(positions);
  std::iota(none.begin(), none.end(), std::size_t{0});
  return none;
}

/// All ways to exchange some positions of like spaces in pairs, but for none.
std::vector<Exchange> exchanges_of(const IndexList& spaces) {
  std::vector<Exchange> all{unchanged(spaces.size())};
  for (std::size_t p = 0; p < spaces.size(); ++p) {
    for (std::size_t listed = all.size(); listed-- > 0;) {
      if (all[listed][p] != p) continue;
      for (std::size_t q = p + 1; q < spaces.size(); ++q) {
        if (spaces[q] != spaces[p] || all[listed][q] != q) continue;
        all.push_back(all[listed]);
        std::swap(all.back()[p], all.back()[q]);
      }
    }
  }
  all.erase(all.begin());
  return all;
}

/// With all that follow by doing one behind the other. More than kMost are cut off: then fewer terms are
/// known to be the same.
Symmetry group_of(const std::vector<Exchange>& exchanges, std::size_t positions) {
  constexpr std::size_t kMost = 64;
  Symmetry group{unchanged(positions)};
  for (std::size_t done = 0; done < group.size(); ++done) {
    for (const Exchange& exchange : exchanges) {
      Exchange both(positions);
      for (std::size_t p = 0; p < positions; ++p) both[p] = group[done][exchange[p]];
      if (group.size() < kMost && std::ranges::find(group, both) == group.end()) group.push_back(both);
    }
  }
  return group;
}

/// A term that adds to a tensor, in a form that is the same for equal terms: operands by number, indices of
/// the result by their positions, summed ones as they come, and the least of all ways to write it so.
class TermForms {
 public:
  TermForms(const ProgramTerm& term, const std::vector<ProgramTensor>& tensors) : term_(term) {
    std::vector<std::string> names;
    for (const TermIndex& index : term.result.indices) names.push_back(index.name);
    for (const TensorUse& use : term.operands) {
      operands_.push_back({number_of(use, tensors)});
      Operand& operand = operands_.back();
      for (const TermIndex& index : use.indices) {
        if (std::ranges::find(names, index.name) == names.end()) names.push_back(index.name);
        operand.indices.push_back(
            static_cast<std::size_t>(std::ranges::find(names, index.name) - names.begin()));
      }
    }
    all_ = names.size();
    std::ranges::stable_sort(operands_, {}, &Operand::tensor);
  }

  /// Of the term with the indices of its result exchanged.
  Form form(const Exchange& exchange, const std::vector<Symmetry>& symmetries) const {
    Form least = least_of(0, exchange, symmetries);
    if (term_.is_product() && operands_[0].tensor == operands_[1].tensor)
      least = std::min(least, least_of(1, exchange, symmetries));
    return least;
  }
  Form form(const std::vector<Symmetry>& symmetries) const {
    return form(unchanged(term_.result.indices.size()), symmetries);
  }
  const ProgramTerm& term() const { return term_; }

 private:
  struct Operand {
    std::size_t tensor;
    std::vector<std::size_t> indices = {};
  };
  struct Written {
    std::vector<std::size_t> numbers;  ///< of operands and indices
    std::vector<std::size_t> as;       ///< by index: its number; all_: none yet
    std::size_t next = 0;
  };

  Form least_of(std::size_t first, const Exchange& exchange, const std::vector<Symmetry>& symmetries) const {
    Written none{{}, std::vector<std::size_t>(all_, all_), exchange.size()};
    for (std::size_t p = 0; p < exchange.size(); ++p) none.as[exchange[p]] = p;
    std::vector<Written> least{none};
    for (std::size_t n = 0; n < operands_.size(); ++n) {
      const Operand& operand = operands_[(first + n) % operands_.size()];
      std::vector<Written> longer;
      for (const Written& begun : least) {
        for (const Exchange& way : symmetries[operand.tensor]) keep_least(longer, with(begun, operand, way));
      }
      least = std::move(longer);
    }
    return {term_.factor, least.front().numbers};
  }

  static void keep_least(std::vector<Written>& least, Written one) {
    if (!least.empty() && one.numbers > least.front().numbers) return;
    if (!least.empty() && one.numbers < least.front().numbers) least.clear();
    least.push_back(std::move(one));
  }

  Written with(Written written, const Operand& operand, const Exchange& way) const {
    written.numbers.push_back(operand.tensor);
    for (const std::size_t position : way) {
      std::size_t& as = written.as[operand.indices[position]];
      if (as == all_) as = written.next++;
      written.numbers.push_back(as);
    }
    return written;
  }

  const ProgramTerm& term_;
  std::vector<Operand> operands_;
  std::size_t all_ = 0;  // indices of the term
};

using Writers = std::vector<TermForms>;  // of one tensor

/// By tensor the terms that write it.
std::vector<Writers> writers_of(const Program& program, const std::vector<ProgramTensor>& tensors) {
  std::vector<Writers> writers(tensors.size());
  for (const ProgramTerm& term : program.terms)
    writers[number_of(term.result, tensors)].emplace_back(term, tensors);
  return writers;
}

std::vector<Form> forms_of(const Writers& writers, const Exchange& exchange,
                           const std::vector<Symmetry>& symmetries) {
  std::vector<Form> forms;
  for (const TermForms& writer : writers) forms.push_back(writer.form(exchange, symmetries));
  std::ranges::sort(forms);
  return forms;
}

/// The exchanges under which these terms stay the same together.
std::vector<Exchange> exchanges_of(const ProgramTensor& tensor, const Writers& writers,
                                   const std::vector<Symmetry>& symmetries) {
  std::vector<Exchange> found = exchanges_of(tensor.rules.spaces);
  if (found.empty()) return found;
  const std::vector<Form> forms = forms_of(writers, unchanged(tensor.rules.spaces.size()), symmetries);
  std::erase_if(found, [&](const Exchange& one) { return forms_of(writers, one, symmetries) != forms; });
  return found;
}

/// Of all tensors: as they are declared, and of intermediates as their terms show.
std::vector<Symmetry> symmetries_of(const std::vector<ProgramTensor>& tensors,
                                    const std::vector<Writers>& writers) {
  std::vector<Symmetry> symmetries;
  for (const ProgramTensor& tensor : tensors) {
    const Exchange& mirror = tensor.rules.mirror;
    symmetries.push_back(
        group_of(std::vector<Exchange>(mirror.empty() ? 0 : 1, mirror), tensor.rules.spaces.size()));
  }
  for (bool found = true; found;) {  // one that is found may show another
    found = false;
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      if (tensors[t].role != TensorRole::intermediate) continue;
      Symmetry symmetry =
          group_of(exchanges_of(tensors[t], writers[t], symmetries), tensors[t].rules.spaces.size());
      found = found || symmetry.size() > symmetries[t].size();
      symmetries[t] = std::move(symmetry);
    }
  }
  return symmetries;
}

/// "a1 with a2 and i1 with i2"
std::string exchanged_names(const TensorUse& use, const Exchange& exchange) {
  std::vector<std::string> pairs;
  for (std::size_t p = 0; p < exchange.size(); ++p) {
    if (exchange[p] > p)
      pairs.push_back(fmt::format("{} with {}", use.indices[p].name, use.indices[exchange[p]].name));
  }
  return fmt::format("{}", fmt::join(pairs, " and "));
}

}  // namespace

void derive_mirrors(const Program& program, std::vector<ProgramTensor>& tensors) {
  if (program.halves) return;
  const std::vector<Writers> writers = writers_of(program, tensors);
  const std::vector<Symmetry> symmetries = symmetries_of(tensors, writers);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].role != TensorRole::intermediate) continue;
    const std::vector<Exchange> found = exchanges_of(tensors[t], writers[t], symmetries);
    if (!found.empty()) tensors[t].rules.mirror = found.front();
  }
}

void require_symmetry(const Program& program, const std::vector<ProgramTensor>& tensors,
                      const std::string& source) {
  if (program.halves) return;
  const std::vector<Writers> writers = writers_of(program, tensors);
  const std::vector<Symmetry> symmetries = symmetries_of(tensors, writers);
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const Exchange& mirror = tensors[t].rules.mirror;
    if (tensors[t].role != TensorRole::result || mirror.empty()) continue;
    const std::vector<Form> forms = forms_of(writers[t], unchanged(mirror.size()), symmetries);
    const auto count = [&](const Form& form) { return std::ranges::count(forms, form); };
    for (const TermForms& writer : writers[t]) {
      if (count(writer.form(mirror, symmetries)) == count(writer.form(symmetries))) continue;
      const ProgramTerm& term = writer.term();
      throw input_error(
          fmt::format("{}, line {}", source, term.line),
          fmt::format("{}, which changes with {} exchanged", term.name, exchanged_names(term.result, mirror)),
          fmt::format("terms that stay the same together, as {} is declared", text_of(tensors[t], program)),
          fmt::format("add the term with these indices exchanged, or leave the symmetry of {} out",
                      tensors[t].name));
    }
  }
}

}  // namespace foretile
