// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/molecule_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/options.hpp"
#include "apps/quantities.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/problem/kinds/geometry.hpp"
#include "planner/tensor/program_text.hpp"

namespace foretile {

namespace {

constexpr const char* kCcsd = "ccsd";
constexpr std::int64_t kMostCharge = 1000;

bool is_conventional(const MoleculeArguments& arguments) {
  return arguments.integrals == "conventional";
}

void name_program(const MoleculeArguments& arguments, std::string& problem) {
  if (problem != kCcsd) {
    if (!arguments.integrals.empty())
      throw input_error("--integrals", quote(problem), "the program ccsd",
                        "a program's file says which integrals it has: leave --integrals out");
    return;
  }
  const char* const file = is_conventional(arguments) ? "examples/ccsd.txt"
                           : arguments.as_exachem     ? "examples/cholesky_ccsd.txt"
                                                      : "examples/cholesky_ccsd_lean.txt";
  problem = find_data(file).string();
  if (problem.empty())
    throw input_error("ccsd", fmt::format("no {}", file), "it beside the program, in share/foretile",
                      "install foretile again, or set FORETILE_DATA to the folder that has it");
}

void check_together(const MoleculeArguments& arguments, const std::string& problem, const ProgramSizes& sizes,
                    const OutputFiles& outputs) {
  if (arguments.xyz.empty()) {
    for (const auto& [option, given] : {std::pair("--basis", !arguments.basis.empty()),
                                        {"--charge", arguments.charge != 0},
                                        {"--freeze-core", arguments.freeze_core}}) {
      if (given) throw input_error(option, "no --xyz", "a molecule beside it", "add --xyz FILE.xyz");
    }
    return;
  }
  if (!problem.ends_with(".txt"))
    throw input_error("--xyz", quote(problem), "ccsd, or a program, PROGRAM.txt",
                      "a problem's file names its molecule itself: leave --xyz out");
  for (const auto& [option, file] : outputs) require_different(option, file, "--xyz", arguments.xyz);
  if (arguments.basis.empty())
    throw input_error("--xyz", "no --basis", "a basis set beside it", "add --basis def2-TZVP");
  for (const auto& [option, value] : {std::pair("--o", sizes.occupied), {"--v", sizes.virtuals}}) {
    if (value > 0)
      throw input_error(option, "it beside --xyz", "one of the two",
                        fmt::format("leave {} out: it follows from the molecule", option));
  }
}

bool has_auxiliary_space(const std::string& problem) {
  const Program program = load_program(problem);
  return std::ranges::any_of(program.spaces,
                             [](const IndexSpace& space) { return space.kind == SpaceKind::auxiliary; });
}

std::int64_t assumed_vectors(const MoleculeCase& molecule) {
  const std::int64_t functions = molecule.shell.functions;
  const std::int64_t rounded = std::llround(molecule.vectors_per_function * static_cast<double>(functions));
  const std::int64_t vectors = std::min(rounded, functions * (functions + 1) / 2);
  if (vectors <= kMostExtent) return vectors;
  throw input_error(molecule.file, fmt::format("{} functions, so about {} vectors", functions, vectors),
                    fmt::format("at most {} vectors", kMostExtent), "take a smaller molecule or basis set");
}

}  // namespace

double vectors_per_function(Basis basis) {
  return basis == Basis::pople_6_31g || basis == Basis::pople_6_31pg_dp ? 5.5 : 6.3;
}

void add_molecule_options(CLI::App& command, MoleculeArguments& arguments) {
  command
      .add_option("--xyz", arguments.xyz,
                  "Of a program: take its orbitals from this molecule, a closed shell, instead of --o and "
                  "--v")
      ->check(not_empty_check())
      ->type_name("FILE.xyz");
  command
      .add_option("--basis", arguments.basis,
                  "With --xyz: the basis set, such as def2-TZVP, cc-pVDZ, aug-cc-pVTZ or 6-31G**")
      ->check(not_empty_check())
      ->type_name("NAME");
  command.add_option("--charge", arguments.charge, "With --xyz: the molecule's charge. Default: 0")
      ->check(CLI::Range(-kMostCharge, kMostCharge))
      ->type_name("N");
  command.add_flag("--freeze-core", arguments.freeze_core,
                   "With --xyz: leave the orbitals of inner shells out");
  command
      .add_option("--integrals", arguments.integrals,
                  "Of the program ccsd: cholesky (vectors b[p,q,x], spatial orbitals) or conventional (four "
                  "indices, spin orbitals). Default: cholesky")
      ->check(CLI::IsMember({"cholesky", "conventional"}));
}

std::optional<MoleculeCase> take_molecule(const MoleculeArguments& arguments, std::string& problem,
                                          ProgramSizes& sizes, const OutputFiles& outputs) {
  name_program(arguments, problem);
  check_together(arguments, problem, sizes, outputs);
  if (arguments.xyz.empty()) return std::nullopt;
  const std::vector<Atom> atoms = parse_xyz(read_text(arguments.xyz), arguments.xyz);
  MoleculeCase molecule{arguments.xyz, std::ssize(atoms), basis_named(arguments.basis, "--basis"),
                        arguments.charge};
  molecule.shell =
      orbital_counts(atoms, molecule.basis, arguments.charge, arguments.freeze_core, arguments.xyz);
  sizes.occupied = molecule.shell.occupied;
  sizes.virtuals = molecule.shell.virtuals;
  if (sizes.vectors == 0 && has_auxiliary_space(problem)) {
    molecule.vectors_per_function = vectors_per_function(molecule.basis);
    sizes.vectors = assumed_vectors(molecule);
  }
  molecule.vectors = sizes.vectors;
  return molecule;
}

std::string molecule_text(const MoleculeCase& molecule) {
  const ClosedShell& shell = molecule.shell;
  std::string text = fmt::format("{}: {} {}{}, {} electrons, {} functions in {}\n", one_line(molecule.file),
                                 grouped(molecule.atoms), molecule.atoms == 1 ? "atom" : "atoms",
                                 molecule.charge == 0 ? "" : fmt::format(", charge {:+}", molecule.charge),
                                 grouped(shell.electrons), grouped(shell.functions), name(molecule.basis));
  text += fmt::format("orbitals           {} occupied, {} virtual, {} frozen\n", grouped(shell.occupied),
                      grouped(shell.virtuals), shell.frozen == 0 ? "none" : grouped(shell.frozen));
  if (molecule.vectors == 0) return text;
  return text + fmt::format("vectors            {}{}\n", grouped(molecule.vectors),
                            molecule.vectors_per_function > 0
                                ? fmt::format(", assumed: {} for each function; give yours by --vectors",
                                              molecule.vectors_per_function)
                                : "");
}

nlohmann::ordered_json molecule_json(const MoleculeCase& molecule) {
  const ClosedShell& shell = molecule.shell;
  nlohmann::ordered_json json{
      {"file", molecule.file},     {"atoms", molecule.atoms},      {"basis", name(molecule.basis)},
      {"charge", molecule.charge}, {"functions", shell.functions}, {"electrons", shell.electrons},
      {"frozen", shell.frozen},    {"occupied", shell.occupied},   {"virtual", shell.virtuals}};
  if (molecule.vectors > 0) json["vectors"] = molecule.vectors;
  if (molecule.vectors_per_function > 0) json["vectors_per_function"] = molecule.vectors_per_function;
  return json;
}

}  // namespace foretile
