// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/lewis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <numeric>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr double bond_stretch = 1.25;  // C-H up to 1.34, C-C up to 1.90 angstrom

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

struct Nature {
  std::int32_t electrons = 0;  // of valence
  std::int32_t valence = 0;    // usual number of bonds
  double radius = 0;           // covalent, angstrom: Cordero et al. (carbon: sp3)
};
constexpr Nature transition_metal{};
// clang-format off
constexpr std::array<Nature, 36> natures{{
    {1, 1, 0.31}, {2, 0, 0.28},
    {1, 1, 1.28}, {2, 2, 0.96},
    {3, 3, 0.84}, {4, 4, 0.76}, {5, 3, 0.71}, {6, 2, 0.66}, {7, 1, 0.57}, {8, 0, 0.58},
    {1, 1, 1.66}, {2, 2, 1.41},
    {3, 3, 1.21}, {4, 4, 1.11}, {5, 3, 1.07}, {6, 2, 1.05}, {7, 1, 1.02}, {8, 0, 1.06},
    {1, 1, 2.03}, {2, 2, 1.76},
    transition_metal, transition_metal, transition_metal, transition_metal, transition_metal,  // Sc to Mn
    transition_metal, transition_metal, transition_metal, transition_metal, transition_metal,  // Fe to Zn
    {3, 3, 1.22}, {4, 4, 1.20}, {5, 3, 1.19}, {6, 2, 1.20}, {7, 1, 1.20}, {8, 0, 1.16}
}};
// clang-format on
constexpr std::int32_t most_bonds_of_second_row = 4, most_bonds_of_later_rows = 6;
constexpr std::int32_t most_order = 3;

const Nature& nature(const Atom& atom) {
  return natures[static_cast<std::size_t>(atom.element)];
}

bool is_transition_metal(const Atom& atom) {
  return Element::Sc <= atom.element && atom.element <= Element::Zn;
}

bool expands(const Atom& atom) {
  return (Element::P <= atom.element && atom.element <= Element::Cl) ||
         (Element::As <= atom.element && atom.element <= Element::Br);
}

/// Their bonds and oxidation states do not follow from the numbers of free valences.
void refuse_transition_metals(const std::vector<Atom>& atoms, const std::string& where) {
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (!is_transition_metal(atoms[i])) continue;
    throw input_error(where, fmt::format("atom {} ({}), a transition metal", i + 1, symbol(atoms[i].element)),
                      "main-group elements, which have Lewis structures",
                      "plan coupled cluster of it instead: foretile tune ccsd --xyz FILE.xyz --basis NAME");
  }
}

std::vector<Bond> single_bonds(const std::vector<Atom>& atoms) {
  std::vector<Bond> found;
  for (std::int32_t j = 0; j < std::ssize(atoms); ++j) {
    for (std::int32_t i = 0; i < j; ++i) {
      const double reach = bond_stretch * (nature(atoms[i]).radius + nature(atoms[j]).radius);
      if (distance(atoms[i].position, atoms[j].position) <= reach) found.push_back({i, j, 1});
    }
  }
  return found;
}

/// Pairs up as many free valences of bonded atoms as can be: a largest matching of a graph with one vertex
/// for each free valence, so that rings and chains of double bonds come out whole whatever the atoms' order.
void raise_orders(std::vector<Bond>& all, std::vector<std::int32_t>& left) {
  std::vector<std::int32_t> first_vertex{0};
  for (const std::int32_t free : left) first_vertex.push_back(first_vertex.back() + free);
  Graph graph(first_vertex.back());
  for (const Bond& bond : all) {
    for (std::int32_t v = first_vertex[bond.first]; v < first_vertex[bond.first + 1]; ++v) {
      for (std::int32_t w = first_vertex[bond.second]; w < first_vertex[bond.second + 1]; ++w) {
        boost::add_edge(v, w, graph);
      }
    }
  }
  std::vector<Graph::vertex_descriptor> mate(first_vertex.back());
  boost::edmonds_maximum_cardinality_matching(graph, mate.data());
  for (Bond& bond : all) {
    const auto low = static_cast<Graph::vertex_descriptor>(first_vertex[bond.second]);
    const auto high = static_cast<Graph::vertex_descriptor>(first_vertex[bond.second + 1]);
    for (std::int32_t v = first_vertex[bond.first]; v < first_vertex[bond.first + 1]; ++v) {
      if (mate[v] < low || mate[v] >= high) continue;
      if (bond.order < most_order) ++bond.order, --left[bond.first], --left[bond.second];
    }
  }
}

class Structure {
 public:
  Structure(const std::vector<Atom>& atoms, const Electrons& electrons, const std::string& where)
      : atoms_(atoms),
        electrons_(electrons),
        where_(where),
        strict_(electrons.charge == 0 && !electrons.pairs_rest),
        single_(single_bonds(atoms)),
        single_of_(atoms.size(), 0) {
    for (const Bond& bond : single_) ++single_of_[bond.first], ++single_of_[bond.second];
  }

  LewisStructure found() {
    for (std::size_t i = 0; i < atoms_.size(); ++i) valence_.push_back(valence_of(i));
    match();
    expand_where_that_pairs_more();
    if (strict_) {
      refuse_unpaired();
      refuse_triplet_oxygen();
      return {std::move(bonds_), std::move(lone_pairs_)};
    }
    settle_rest();
    return {std::move(bonds_), std::move(lone_pairs_)};
  }

 private:
  /// Enough for the single bonds.
  std::int32_t valence_of(std::size_t i) const {
    const auto [electrons, usual, radius] = nature(atoms_[i]);
    std::int32_t valence = usual;
    while (expands(atoms_[i]) && valence < single_of_[i] && valence + 2 <= electrons) valence += 2;
    if (single_of_[i] <= valence) return valence;
    const std::int32_t of_row =
        atoms_[i].element < Element::Na ? most_bonds_of_second_row : most_bonds_of_later_rows;
    const std::int32_t most =
        strict_ || atoms_[i].element == Element::H ? valence : std::max(valence, of_row);
    if (single_of_[i] <= most) return single_of_[i];
    throw input_error(
        where_, fmt::format("atom {} ({}) with {} bonds", i + 1, symbol(atoms_[i].element), single_of_[i]),
        fmt::format("at most {}", most),
        "check the coordinates; they are in angstrom; for an ion give its charge, for inner salts "
        "and adducts set unpaired = \"pair\"");
  }

  /// Of these valences: bonds, what is left unpaired, and lone pairs.
  void match() {
    bonds_ = single_;
    left_.clear();
    lone_pairs_.clear();
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      left_.push_back(valence_[i] - single_of_[i]);
      lone_pairs_.push_back(std::max(0, (nature(atoms_[i]).electrons - valence_[i]) / 2));
    }
    raise_orders(bonds_, left_);
  }

  std::int64_t unpaired() const { return std::accumulate(left_.begin(), left_.end(), std::int64_t{0}); }

  /// Sulfur in SO2: its two electrons of a lone pair make double bonds with both oxygen atoms.
  void expand_where_that_pairs_more() {
    for (std::size_t i = 0; i < atoms_.size() && unpaired() > 0; ++i) {
      while (expands(atoms_[i]) && valence_[i] + 2 <= nature(atoms_[i]).electrons &&
             has_unpaired_neighbour(i)) {
        const std::int64_t before = unpaired();
        valence_[i] += 2;
        match();
        if (unpaired() < before) continue;
        valence_[i] -= 2;
        match();
        break;
      }
    }
  }

  bool has_unpaired_neighbour(std::size_t i) const {
    return std::ranges::any_of(single_, [&](const Bond& bond) {
      const auto first = static_cast<std::size_t>(bond.first), second = static_cast<std::size_t>(bond.second);
      return (first == i && left_[second] > 0) || (second == i && left_[first] > 0);
    });
  }

  std::int64_t valence_electrons() const {
    std::int64_t electrons = -electrons_.charge;
    for (const Atom& atom : atoms_) electrons += nature(atom).electrons;
    return electrons;
  }

  void refuse_unpaired() const {
    // No choice of pairs serves a radical.
    const char* const advice = valence_electrons() % 2 != 0
                                   ? "or give the charge of an ion: open shells are not planned"
                                   : "or set unpaired = \"pair\" (CO, nitro groups) or the charge";
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      if (left_[i] == 0) continue;
      throw input_error(
          where_,
          fmt::format("atom {} ({}) with {} unpaired valence electrons", i + 1, symbol(atoms_[i].element),
                      left_[i]),
          "a neutral molecule of electron pairs",
          fmt::format("check that no atom is missing and that coordinates are in angstrom, {}", advice));
    }
  }

  /// The ground state of O2 is a triplet, though its electrons can be drawn as pairs.
  void refuse_triplet_oxygen() const {
    for (const Bond& bond : bonds_) {
      const auto is_end = [&](std::int32_t i) {
        return atoms_[i].element == Element::O && single_of_[i] == 1;
      };
      if (!is_end(bond.first) || !is_end(bond.second) || bond.order != 2) continue;
      throw input_error(where_,
                        fmt::format("O2, atoms {} and {}, a triplet", bond.first + 1, bond.second + 1),
                        "molecules of closed shells", "for singlet oxygen set unpaired = \"pair\"");
    }
  }

  /// As many pairs as there are electrons for.
  void settle_rest() {
    const std::int64_t electrons = valence_electrons();
    if (electrons < 0 || electrons % 2 != 0)
      throw input_error(where_,
                        fmt::format("{} valence electrons with charge {}", electrons, electrons_.charge),
                        "an even number: closed shells", "change the charge");
    std::int64_t rest = electrons / 2;
    for (const Bond& bond : bonds_) rest -= bond.order;
    for (const std::int32_t pairs : lone_pairs_) rest -= pairs;
    for (; rest > 0; --rest) add_lone_pair();
    for (; rest < 0; ++rest) take_lone_pair();
  }

  /// Groups to the right, then smaller atoms, attract electrons more.
  auto attraction(std::size_t i) const {
    return std::pair(nature(atoms_[i]).electrons, -static_cast<int>(atoms_[i].element));
  }

  /// One for each free valence; then a pair of a multiple bond becomes one of each of its atoms.
  void add_lone_pair() {
    std::size_t best = atoms_.size();
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      if (left_[i] <= 0) continue;
      if (best == atoms_.size() ||
          std::pair(attraction(i), left_[i]) > std::pair(attraction(best), left_[best]))
        best = i;
    }
    if (best < atoms_.size()) {
      ++lone_pairs_[best];
      --left_[best];
      return;
    }
    Bond& bond = multiple_bond("no more electrons than bonds and lone pairs hold", "raise the charge");
    --bond.order;
    ++lone_pairs_[static_cast<std::size_t>(bond.first)];
    ++lone_pairs_[static_cast<std::size_t>(bond.second)];
  }

  void take_lone_pair() {
    std::size_t best = atoms_.size();
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
      if (lone_pairs_[i] > 0 && (best == atoms_.size() || attraction(i) < attraction(best))) best = i;
    }
    if (best < atoms_.size()) {
      --lone_pairs_[best];
    } else {
      --multiple_bond("as many electrons as the bonds need", "lower the charge").order;
    }
  }

  Bond& multiple_bond(const char* expected, const char* change) {
    const auto bond = std::ranges::find_if(bonds_, [](const Bond& each) { return each.order > 1; });
    if (bond == bonds_.end())
      throw input_error(where_, fmt::format("charge {}", electrons_.charge), expected, change);
    return *bond;
  }

  const std::vector<Atom>& atoms_;
  Electrons electrons_;
  const std::string& where_;
  bool strict_;
  std::vector<Bond> single_;
  std::vector<std::int32_t> single_of_, valence_, left_, lone_pairs_;  // by atom
  std::vector<Bond> bonds_;
};

}  // namespace

LewisStructure lewis_structure(const std::vector<Atom>& atoms, const Electrons& electrons,
                               const std::string& where) {
  refuse_transition_metals(atoms, where);
  return Structure(atoms, electrons, where).found();
}

std::vector<std::int32_t> fragment_of(std::size_t atoms, const std::vector<Bond>& bonds) {
  Graph graph(atoms);
  for (const Bond& bond : bonds) boost::add_edge(bond.first, bond.second, graph);
  std::vector<std::int32_t> fragments(atoms);
  boost::connected_components(graph, fragments.data());
  return fragments;
}

}  // namespace foretile
