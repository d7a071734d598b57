// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/program_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/tensor/exchange_symmetry.hpp"
#include "planner/tensor/program_tensors.hpp"
#include "planner/tensor/tensor_blocks.hpp"
#include "planner/tensor/term_order.hpp"
#include "planner/tensor/term_text.hpp"

namespace foretile {

namespace {

constexpr std::size_t kMostTerms = 2000;  // each may wait for all others
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct NamedSpace {
  SpaceKind kind;
  std::string_view name;
};

constexpr std::array kRoles{TensorRole::given, TensorRole::intermediate, TensorRole::result};

/// The word with which a tensor is declared.
std::string_view statement_of(TensorRole role) {
  return role == TensorRole::given ? "tensor" : name_of(role);
}

constexpr std::array<NamedSpace, 3> kSpaceKinds{{{SpaceKind::occupied, "occupied"},
                                                 {SpaceKind::virtuals, "virtual"},
                                                 {SpaceKind::auxiliary, "auxiliary"}}};

/// So that a place in it still fits a message.
std::string short_name(const std::string& path) {
  constexpr std::size_t kMost = 120;
  return path.size() <= kMost ? path : "..." + path.substr(path.size() - kMost + 3);
}

/// By position, the letters of the spaces that its index has been seen with.
struct Seen {
  std::vector<std::string> spaces;
  int line = 0;
  bool declared = false;
};

class Parser {
 public:
  explicit Parser(const std::string& source) : source_(short_name(source)) {}

  Program parse(std::string_view text) {
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      read({line.substr(0, line.find('#')), fmt::format("{}, line {}", source_, number), number});
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    finish();
    return std::move(program_);
  }

 private:
  void read(TextLine line) {
    if (line.at_end()) return;
    const int column = line.column();
    const std::string word =
        line.name("orbitals, space, tensor, intermediate, result, or the name of a term");
    if (!line.next_is(":")) {
      if (word == "orbitals") return read_orbitals(line, column);
      if (word == "space") return read_space(line);
      for (const TensorRole role : kRoles) {
        if (word == statement_of(role)) return read_declaration(line, role);
      }
      throw line.error(column, quote(word),
                       "orbitals, space, tensor, intermediate, result, or the name of a term and \":\"");
    }
    read_term(line, word, column);
  }

  void read_orbitals(TextLine& line, int column) {
    if (orbitals_line_ > 0)
      throw line.error(column, "orbitals again", fmt::format("once, as in line {}", orbitals_line_));
    if (!program_.spaces.empty()) throw line.error(column, "orbitals behind a space", "it before all others");
    orbitals_line_ = line.number();
    line.expect("=");
    program_.spatial = line.take("spatial");
    if (!program_.spatial && !line.take("spin")) throw line.wrong("spatial or spin");
    require_end(line);
  }

  void read_space(TextLine& line) {
    const int column = line.column();
    const std::string letter = line.name("a letter");
    if (letter.size() != 1) throw line.error(column, quote(letter), "one letter");
    if (space_of(letter[0])) throw line.error(column, quote(letter), "a letter that no other space has");
    line.expect("=");
    const int kind_column = line.column();
    const auto kind =
        std::ranges::find_if(kSpaceKinds, [&](const auto& known) { return line.take(known.name); });
    if (kind == kSpaceKinds.end()) throw line.wrong("occupied, virtual or auxiliary");
    if (kind->kind == SpaceKind::auxiliary && !program_.spatial)
      throw line.error(kind_column, "an auxiliary space beside spin orbitals",
                       "orbitals = spatial before all spaces");
    require_end(line);
    program_.spaces.push_back({letter[0], kind->kind});
  }

  void read_declaration(TextLine& line, TensorRole role) {
    const int column = line.column();
    TensorDeclaration declaration{line.name("the name of a tensor"), {}, role};
    line.expect("[");
    if (!line.take("]")) read_all_positions(line, declaration.spaces);
    read_symmetry(line, declaration);
    read_on_demand(line, declaration);
    require_end(line);
    if (declaration.spaces.size() > kMostTensorIndices)
      throw line.error(column, fmt::format("{} indices of {}", declaration.spaces.size(), declaration.name),
                       fmt::format("at most {}", kMostTensorIndices));
    if (const auto seen = seen_.find(declaration.name); seen != seen_.end()) {
      const int first = seen->second.line;
      throw seen->second.declared
          ? line.error(column, quote(declaration.name),
                       fmt::format("a name that is not declared in line {}", first))
          : line.error(column, quote(declaration.name),
                       fmt::format("its declaration before line {}, which uses it", first));
    }
    seen_[declaration.name] = {declaration.spaces, line.number(), true};
    program_.tensors.push_back(std::move(declaration));
  }

  /// Behind "[" to "]". Programs of spatial orbitals have no halves where their first tensor has none.
  void read_all_positions(TextLine& line, std::vector<std::string>& spaces) {
    const std::size_t upper = read_positions(line, spaces);
    if (!halves_line_ && program_.spatial) program_.halves = !line.next_is("]");
    if (!halves_line_) halves_line_ = line.number();
    if (!program_.halves && !line.next_is("]"))
      throw line.wrong(fmt::format("\"]\": tensors have no halves here, as in line {}", *halves_line_));
    if (program_.halves) {
      line.expect("|");
      const int lower_column = line.column();
      const std::size_t lower = read_positions(line, spaces);
      if (lower != upper)
        throw line.error(lower_column, fmt::format("{} lower indices", lower),
                         fmt::format("{}, as there are upper ones", upper));
    }
    line.expect("]");
  }

  /// pair, or symmetric and two positions from 1.
  void read_symmetry(TextLine& line, TensorDeclaration& declaration) {
    const int column = line.column();
    const std::size_t positions = declaration.spaces.size();
    const bool pair = line.take("pair");
    if (!pair && !line.take("symmetric")) return;
    if (declaration.role == TensorRole::intermediate)
      throw line.error(column, pair ? "pair" : "symmetric", "a tensor or a result before it",
                       "leave it out: the symmetry of an intermediate follows from its terms");
    if (program_.halves)
      throw line.error(column, pair ? "pair" : "symmetric", "a tensor of spatial orbitals without halves",
                       "its symmetry follows from its halves");
    std::vector<std::size_t> mirror(positions);
    std::iota(mirror.begin(), mirror.end(), std::size_t{0});
    if (pair) {
      if (positions == 0 || positions % 2 != 0)
        throw line.error(column, fmt::format("pair with {} indices", positions), "an even number of them");
      for (std::size_t p = 0; p < positions; p += 2) std::swap(mirror[p], mirror[p + 1]);
    } else {
      const std::size_t first = read_position(line, positions), second = read_position(line, positions);
      if (first == second) throw line.error(column, "one position twice", "two positions");
      std::swap(mirror[first], mirror[second]);
    }
    for (std::size_t p = 0; p < positions; ++p) {
      if (declaration.spaces[p] != declaration.spaces[mirror[p]])
        throw line.error(column,
                         fmt::format("indices of {} and of {} exchanged", declaration.spaces[p],
                                     declaration.spaces[mirror[p]]),
                         "indices of the same space");
    }
    declaration.mirror = std::move(mirror);
  }

  static void read_on_demand(TextLine& line, TensorDeclaration& declaration) {
    const int column = line.column();
    declaration.on_demand = line.take("on-demand");
    if (declaration.on_demand && declaration.role != TensorRole::intermediate)
      throw line.error(column, fmt::format("on-demand behind a {}", statement_of(declaration.role)),
                       "it behind an intermediate",
                       declaration.role == TensorRole::given ? "use the option --on-demand" : "leave it out");
  }

  /// Of an index, from 0; the text counts from 1.
  static std::size_t read_position(TextLine& line, std::size_t positions) {
    const int column = line.column();
    const double number = line.next_is_number() ? line.real() : 0;
    if (number >= 1 && number <= static_cast<double>(positions) && number == std::floor(number))
      return static_cast<std::size_t>(number) - 1;
    throw line.error(column, "no position of an index", fmt::format("a number from 1 to {}", positions));
  }

  /// hp,h: returns how many.
  std::size_t read_positions(TextLine& line, std::vector<std::string>& spaces) {
    std::size_t count = 0;
    do {
      const int column = line.column();
      std::string letters = line.name("letters of spaces");
      for (const char letter : letters) {
        if (!space_of(letter)) throw line.error(column, quote(letters), known_letters());
        if (std::ranges::count(letters, letter) > 1)
          throw line.error(column, quote(letters), "each letter once");
      }
      spaces.push_back(std::move(letters));
      ++count;
    } while (line.take(","));
    return count;
  }

  void read_term(TextLine& line, const std::string& name, int column) {
    if (program_.terms.size() == kMostTerms)
      throw line.error(column, "one term more", fmt::format("at most {}", kMostTerms));
    if (const auto [where, fresh] = term_lines_.emplace(name, line.number()); !fresh)
      throw line.error(column, quote(name),
                       fmt::format("a name that no term has; line {} has it", where->second));
    line.expect(":");
    ProgramTerm term{name, read_use(line), 1, {}, line.number()};
    line.expect("+=");
    if (line.next_is_number()) term.factor = line.real();
    do {
      term.operands.push_back(read_use(line));
    } while (!line.at_end() && term.operands.size() < 2);
    if (!line.at_end())
      throw line.wrong("the end of the line: two operands at most; others go through an intermediate");
    check_indices(line, term);
    check_result(line, term.result);
    for (const TensorUse& use : term.operands) check_operand(line, use);
    program_.terms.push_back(std::move(term));
  }

  TensorUse read_use(TextLine& line) {
    const TextTensor text = read_tensor(line, IndexNames::words);
    TensorUse use{text.name, {}, text.column, program_.spatial, program_.halves};
    for (const TextIndex& index : text.indices) {
      const auto space = space_of(index.name[0]);
      if (!space)
        throw line.error(index.column, quote(index.name), "an index that begins with " + known_letters());
      use.indices.push_back({index.name, *space, index.column});
    }
    if (!use.halves && text.upper)
      throw line.error(use.column, fmt::format("\"|\" in {}", use.tensor),
                       "a tensor without halves, as declared");
    if (use.halves && (use.indices.size() % 2 != 0 || text.upper.value_or(use.upper()) != use.upper()))
      throw line.error(use.column, fmt::format("{} indices of {}", use.indices.size(), use.tensor),
                       "as many upper indices as lower ones");
    return use;
  }

  static bool has(const TensorUse& use, const TermIndex& index) {
    return std::ranges::find(use.indices, index) != use.indices.end();
  }

  static bool is_upper(const TensorUse& use, const TermIndex& index) {
    return std::ranges::find(use.indices, index) - use.indices.begin() <
           static_cast<std::ptrdiff_t>(use.upper());
  }

  static const char* half_name(const TensorUse& use, const TermIndex& index) {
    return is_upper(use, index) ? "an upper" : "a lower";
  }

  /// Each index of the result is in the same half of one operand, any other in different halves of both.
  /// Where there are no halves, in one operand or in both.
  static void check_indices(TextLine& line, const ProgramTerm& term) {
    for (const TermIndex& index : term.result.indices) {
      const auto count =
          std::ranges::count_if(term.operands, [&](const TensorUse& use) { return has(use, index); });
      if (count != 1)
        throw line.error(index.column, fmt::format("{} in the result and in {} operands", index.name, count),
                         "it in one operand", "sum over it, or name it otherwise in one of them");
      for (const TensorUse& use : term.operands) {
        if (use.halves && has(use, index) && is_upper(use, index) != is_upper(term.result, index))
          throw line.error(index.column,
                           fmt::format("{} as {} index", index.name, half_name(term.result, index)),
                           fmt::format("{} one, as in {}", half_name(use, index), use.tensor));
      }
    }
    for (const TensorUse& use : term.operands) {
      for (const TermIndex& index : use.indices) {
        const auto others = std::ranges::count_if(
            term.operands, [&](const TensorUse& other) { return &other != &use && has(other, index); });
        if (use.halves && !has(term.result, index) && others > 0 &&
            is_upper(term.operands[0], index) == is_upper(term.operands[1], index))
          throw line.error(index.column,
                           fmt::format("{} as {} index of both operands", index.name, half_name(use, index)),
                           "a sum over an upper and a lower index");
        if (!has(term.result, index) && others == 0)
          throw line.error(index.column, fmt::format("{} in {} alone", index.name, use.tensor),
                           "it in the result or in the other operand");
      }
    }
  }

  void check_result(TextLine& line, const TensorUse& use) {
    if (has_role(use.tensor, TensorRole::given))
      throw line.error(use.column, fmt::format("{}, which is given", use.tensor),
                       "the program's result or a tensor of another name");
    written_.insert(use.tensor);
    check_positions(line, use);
  }

  void check_operand(TextLine& line, const TensorUse& use) {
    if (has_role(use.tensor, TensorRole::result))
      throw line.error(use.column, fmt::format("{}, the program's result, as an operand", use.tensor),
                       "a tensor that is given, or an intermediate");
    read_at_.try_emplace(use.tensor, std::pair(line.number(), use.column));
    check_positions(line, use);
  }

  /// As declared, or as where it was first used.
  void check_positions(TextLine& line, const TensorUse& use) {
    const auto [found, fresh] = seen_.try_emplace(use.tensor, Seen{{}, line.number(), false});
    Seen& seen = found->second;
    if (fresh) {
      for (const TermIndex& index : use.indices)
        seen.spaces.emplace_back(1, program_.spaces[index.space].letter);
    }
    if (use.indices.size() != seen.spaces.size())
      throw line.error(use.column, fmt::format("{} indices of {}", use.indices.size(), use.tensor),
                       fmt::format("{}, as in line {}", seen.spaces.size(), seen.line));
    for (std::size_t i = 0; i < use.indices.size(); ++i) {
      const char letter = program_.spaces[use.indices[i].space].letter;
      if (seen.spaces[i].find(letter) == std::string::npos)
        throw line.error(
            use.indices[i].column, use.indices[i].name,
            fmt::format("an index of {} there, as in line {}", fmt::join(seen.spaces[i], " or "), seen.line));
    }
  }

  void finish() const {
    const auto missing = [&](const char* what) {
      return input_error(source_, std::string("no ") + what, "a program", "see docs/programs.md");
    };
    if (program_.terms.empty()) throw missing("term");
    if (std::ranges::find(program_.tensors, TensorRole::result, &TensorDeclaration::role) ==
        program_.tensors.end())
      throw missing("result");
    for (const TensorDeclaration& tensor : program_.tensors) {
      if (tensor.role == TensorRole::given || written_.contains(tensor.name)) continue;
      throw input_error(fmt::format("{}, line {}", source_, seen_.at(tensor.name).line),
                        fmt::format("the {} {}, which no term writes", name_of(tensor.role), tensor.name),
                        "a term that adds to it");
    }
    check_on_demand();
    for (const auto& [tensor, place] : read_at_) {
      if (written_.contains(tensor) || seen_.at(tensor).declared) continue;
      throw input_error(fmt::format("{}, line {}, column {}", source_, place.first, place.second), tensor,
                        "a tensor that is given or that a term writes",
                        fmt::format("declare it: tensor {}[...]", tensor));
    }
    order_of_terms(program_, source_);
    const bool has_symmetric_result =
        std::ranges::any_of(program_.tensors, [](const TensorDeclaration& tensor) {
          return tensor.role == TensorRole::result && !tensor.mirror.empty();
        });
    if (has_symmetric_result) require_symmetry(program_, tensors_of(program_), source_);
  }

  /// One product writes each, from tensors that are stored.
  void check_on_demand() const {
    std::map<std::string, int> lines;  // of the terms that write them
    for (const ProgramTerm& term : program_.terms) {
      if (!program_.is_on_demand(term.result.tensor)) continue;
      const auto wrong = [&](const std::string& found) {
        return input_error(fmt::format("{}, line {}", source_, term.line), found,
                           fmt::format("one product of stored tensors that writes {}", term.result.tensor),
                           "leave its on-demand out");
      };
      const auto [first, fresh] = lines.try_emplace(term.result.tensor, term.line);
      if (!fresh)
        throw wrong(
            fmt::format("{}, which is on-demand and written in line {}", term.result.tensor, first->second));
      if (!term.is_product())
        throw wrong(fmt::format("a copy to {}, which is on-demand", term.result.tensor));
      for (const TensorUse& use : term.operands) {
        if (program_.is_on_demand(use.tensor))
          throw wrong(fmt::format("{} made from {}, both on-demand", term.result.tensor, use.tensor));
      }
    }
  }

  bool has_role(const std::string& tensor, TensorRole role) const {
    const TensorDeclaration* const declared = program_.declared(tensor);
    return declared && declared->role == role;
  }

  static void require_end(TextLine& line) {
    if (!line.at_end()) throw line.wrong("the end of the line");
  }

  std::optional<std::size_t> space_of(char letter) const {
    const auto found = std::ranges::find(program_.spaces, letter, &IndexSpace::letter);
    if (found == program_.spaces.end()) return std::nullopt;
    return static_cast<std::size_t>(found - program_.spaces.begin());
  }

  std::string known_letters() const {
    std::vector<std::string> letters;
    for (const IndexSpace& space : program_.spaces) letters.emplace_back(1, space.letter);
    return letters.empty() ? "a letter of a space, which must be declared before"
                           : fmt::format("{}", fmt::join(letters, " or "));
  }

  std::string source_;
  Program program_;
  int orbitals_line_ = 0;
  std::optional<int> halves_line_;                      // of the first tensor with indices
  std::map<std::string, Seen> seen_;                    // by tensor
  std::map<std::string, int> term_lines_;               // by name
  std::set<std::string> written_;                       // tensors
  std::map<std::string, std::pair<int, int>> read_at_;  // by tensor: where it is first read
};

}  // namespace

Program parse_program(std::string_view text, const std::string& source) {
  return Parser(source).parse(text);
}

Program load_program(const std::filesystem::path& path) {
  return parse_program(read_text(path), path.string());
}

namespace {

std::string use_text(const TensorUse& use) {
  std::vector<std::string> names;
  for (const TermIndex& index : use.indices) names.push_back(index.name);
  return fmt::format("{}[{}]", use.tensor, fmt::join(names, ","));
}

std::string positions_text(const std::vector<std::string>& spaces, bool halves) {
  if (spaces.empty()) return {};
  if (!halves) return fmt::format("{}", fmt::join(spaces, ","));
  const auto half = spaces.begin() + static_cast<std::ptrdiff_t>(spaces.size() / 2);
  return fmt::format("{}|{}", fmt::join(spaces.begin(), half, ","), fmt::join(half, spaces.end(), ","));
}

std::string symmetry_text(const std::vector<std::size_t>& mirror) {
  std::vector<std::size_t> exchanged;  // positions from 1
  for (std::size_t p = 0; p < mirror.size(); ++p) {
    if (mirror[p] != p) exchanged.push_back(p + 1);
  }
  if (exchanged.empty()) return {};
  const bool is_pair = mirror.size() % 2 == 0 && exchanged.size() == mirror.size() && mirror[0] == 1;
  return is_pair ? " pair" : fmt::format(" symmetric {}", fmt::join(exchanged, " "));
}

}  // namespace

std::string written(const Program& program) {
  std::string text = program.spatial ? "orbitals = spatial\n" : "";
  for (const IndexSpace& space : program.spaces)
    text += fmt::format("space {} = {}\n", space.letter,
                        std::ranges::find(kSpaceKinds, space.kind, &NamedSpace::kind)->name);
  for (const TensorDeclaration& tensor : program.tensors)
    text += fmt::format("{} {}[{}]{}{}\n", statement_of(tensor.role), tensor.name,
                        positions_text(tensor.spaces, program.halves), symmetry_text(tensor.mirror),
                        tensor.on_demand ? " on-demand" : "");
  for (const ProgramTerm& term : program.terms) {
    text += fmt::format("{}: {} += {}", term.name, use_text(term.result), term.factor);
    for (const TensorUse& use : term.operands) text += fmt::format(" {}", use_text(use));
    text += "\n";
  }
  return text;
}

}  // namespace foretile
