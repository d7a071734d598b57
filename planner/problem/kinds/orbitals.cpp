#include "planner/problem/kinds/orbitals.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <cctype>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr std::array<std::string_view, 4> basis_names{"def2-SVP", "def2-TZVP", "cc-pVDZ", "aug-cc-pVDZ"};

/// Shells of one element: how many s, p, d and f; a shell of angular momentum l has 2 l + 1 functions.
struct Shells {
  int s, p, d, f;
  constexpr std::int64_t functions() const { return s + 3 * p + 5 * d + 7 * f; }
};

/// For H and for C, N, O alike. def2: Weigend and Ahlrichs, Phys. Chem. Chem. Phys. 7 (2005) 3297; cc:
/// Dunning, J. Chem. Phys. 90 (1989) 1007; aug: Kendall, Dunning, Harrison, J. Chem. Phys. 96 (1992) 6796,
/// one more shell of each kind.
struct BasisShells {
  Shells hydrogen, heavy;
};
constexpr std::array<BasisShells, 4> basis_shells{{
    {{2, 1, 0, 0}, {3, 2, 1, 0}},  // def2-SVP: 2 + 3 = 5; 3 + 6 + 5 = 14
    {{3, 1, 0, 0}, {5, 3, 2, 1}},  // def2-TZVP: 3 + 3 = 6; 5 + 9 + 10 + 7 = 31
    {{2, 1, 0, 0}, {3, 2, 1, 0}},  // cc-pVDZ: 2 + 3 = 5; 3 + 6 + 5 = 14
    {{3, 2, 0, 0}, {4, 3, 2, 0}},  // aug-cc-pVDZ: 3 + 6 = 9; 4 + 9 + 10 = 23
}};
static_assert(basis_shells[0].hydrogen.functions() == 5 && basis_shells[0].heavy.functions() == 14);
static_assert(basis_shells[1].hydrogen.functions() == 6 && basis_shells[1].heavy.functions() == 31);
static_assert(basis_shells[2].hydrogen.functions() == 5 && basis_shells[2].heavy.functions() == 14);
static_assert(basis_shells[3].hydrogen.functions() == 9 && basis_shells[3].heavy.functions() == 23);

constexpr double bond_stretch = 1.25;  // C-H up to 1.34, C-C up to 1.90 angstrom
constexpr std::array<double, 4> covalent_radius{0.31, 0.76, 0.71, 0.66};
constexpr std::array<std::int32_t, 4> valence{1, 4, 3, 2};
constexpr std::array<std::int32_t, 4> lone_pairs{0, 0, 1, 2};

std::size_t at(Element element) {
  return static_cast<std::size_t>(element);
}

bool same_in_any_case(std::string_view l, std::string_view r) {
  return std::equal(l.begin(), l.end(), r.begin(), r.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
}

std::vector<Bond> single_bonds(const std::vector<Atom>& atoms) {
  std::vector<Bond> found;
  for (std::int32_t j = 0; j < std::ssize(atoms); ++j) {
    for (std::int32_t i = 0; i < j; ++i) {
      const double reach =
          bond_stretch * (covalent_radius[at(atoms[i].element)] + covalent_radius[at(atoms[j].element)]);
      if (distance(atoms[i].position, atoms[j].position) <= reach) found.push_back({i, j, 1});
    }
  }
  return found;
}

/// Valences not used by single bonds. Throws when one is used twice.
std::vector<std::int32_t> free_valences(const std::vector<Atom>& atoms, const std::vector<Bond>& all,
                                        const std::string& where) {
  std::vector<std::int32_t> left;
  for (const Atom& atom : atoms) left.push_back(valence[at(atom.element)]);
  for (const Bond& bond : all) --left[bond.first], --left[bond.second];
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (left[i] < 0) {
      const std::int32_t most = valence[at(atoms[i].element)];
      throw input_error(
          where, fmt::format("atom {} ({}) with {} bonds", i + 1, symbol(atoms[i].element), most - left[i]),
          fmt::format("at most {}", most), "check the coordinates; they are in angstrom");
    }
  }
  return left;
}

/// Pairs up as many free valences of bonded atoms as can be: a largest matching of a graph with one vertex
/// for each free valence, so that rings and chains of double bonds come out whole whatever the atoms' order.
void raise_orders(std::vector<Bond>& all, std::vector<std::int32_t>& left) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
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
      ++bond.order, --left[bond.first], --left[bond.second];
    }
  }
}

}  // namespace

Basis basis_named(std::string_view given, const std::string& where) {
  for (std::size_t b = 0; b < basis_names.size(); ++b) {
    if (same_in_any_case(given, basis_names[b])) return static_cast<Basis>(b);
  }
  throw input_error(where, fmt::format("\"{}\"", given),
                    fmt::format("one of {}", fmt::join(basis_names, ", ")));
}

std::string_view name(Basis basis) {
  return basis_names[static_cast<std::size_t>(basis)];
}

std::int64_t functions(Basis basis, Element element) {
  const BasisShells& shells = basis_shells[static_cast<std::size_t>(basis)];
  return (element == Element::H ? shells.hydrogen : shells.heavy).functions();
}

std::vector<Bond> bonds(const std::vector<Atom>& atoms, const std::string& where) {
  std::vector<Bond> all = single_bonds(atoms);
  std::vector<std::int32_t> left = free_valences(atoms, all, where);
  raise_orders(all, left);
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    if (left[i] == 0) continue;
    throw input_error(where,
                      fmt::format("atom {} ({}) with {} unpaired valence electrons", i + 1,
                                  symbol(atoms[i].element), left[i]),
                      "a neutral molecule of electron pairs",
                      "check that no atom is missing and that coordinates are in angstrom");
  }
  return all;
}

std::vector<Point> occupied_centres(const std::vector<Atom>& atoms, const std::string& where) {
  std::vector<Point> centres;
  for (const Bond& bond : bonds(atoms, where)) {
    const Point middle = 0.5 * (atoms[bond.first].position + atoms[bond.second].position);
    centres.insert(centres.end(), bond.order, middle);
  }
  for (const Atom& atom : atoms) centres.insert(centres.end(), lone_pairs[at(atom.element)], atom.position);
  return centres;
}

}  // namespace foretile
