// foretile problem KIND: writes a problem file.
#include <fmt/format.h>

#include <functional>
#include <memory>

#include "apps/foretile/commands.hpp"
#include "apps/foretile/traits_view.hpp"
#include "apps/options.hpp"
#include "base/files.hpp"
#include "planner/problem.hpp"
#include "planner/problems/dense.hpp"
#include "planner/problems/random.hpp"

namespace foretile {

namespace {

struct Output {
  std::string file;
  Options options;
};

// Building first means that no file is left behind that `show` would refuse.
void write_problem(const std::string& toml, const Output& output, const std::string& kind) {
  const std::string name = output.file.empty() ? kind : std::filesystem::path(output.file).stem().string();
  if (output.file.empty() && !output.options.json) {
    build_contraction({name, toml, "options"});
    fmt::print("{}", toml);
    return;
  }
  const Contraction contraction = build_contraction({name, toml, "options"});
  if (!output.file.empty()) write_atomically(output.file, [&](std::ostream& out) { out << toml; });
  if (output.options.json) {
    nlohmann::ordered_json json = traits_json(contraction);
    if (!output.file.empty()) json["file"] = output.file;
    print_json(json);
  } else {
    fmt::print("{}\nWritten to {}\n", traits_text(contraction), output.file);
  }
}

/// One kind of problem: its options fill `Parameters`, which `to_toml` turns into the file's text.
template <class Parameters>
std::shared_ptr<Parameters> add_kind(CLI::App& command, std::string (*to_toml)(const Parameters&)) {
  const auto parameters = std::make_shared<Parameters>();
  const auto output = std::make_shared<Output>();
  command.add_option("-o,--output", output->file, "The problem file; without it the text goes to stdout")
      ->type_name("FILE.toml");
  add_json_option(command, output->options);
  command.callback([parameters, output, to_toml, kind = command.get_name()] {
    write_problem(to_toml(*parameters), *output, kind);
  });
  return parameters;
}

template <class Parameters>
void add_extents(CLI::App& command, Parameters& p) {
  command.add_option("--m", p.m, "Rows of A and C")->required()->check(CLI::PositiveNumber);
  command.add_option("--n", p.n, "Columns of B and C")->required()->check(CLI::PositiveNumber);
  command.add_option("--k", p.k, "Columns of A, rows of B")->required()->check(CLI::PositiveNumber);
}

template <class Parameters>
void add_seed(CLI::App& command, Parameters& p) {
  command.add_option("--seed", p.seed, "The same seed gives the same problem everywhere")
      ->capture_default_str();
}

void add_dense(CLI::App& group) {
  CLI::App& command = *group.add_subcommand("dense", "Every tile is nonzero");
  const auto p = add_kind<DenseParameters>(command, dense_problem_toml);
  add_extents(command, *p);
  command.add_option("--tile", p->tile, "Rows and columns of a tile")->check(CLI::PositiveNumber);
  command.add_option("--m-tiles", p->m_tiles, "Sizes that add up to M, instead of --tile")->delimiter(',');
  command.add_option("--n-tiles", p->n_tiles, "The same for N")->delimiter(',');
  command.add_option("--k-tiles", p->k_tiles, "The same for K")->delimiter(',');
  add_seed(command, *p);
}

void add_random(CLI::App& group) {
  CLI::App& command =
      *group.add_subcommand("random", "Tiles of random sizes, removed at random (RR-9365, section 5.1)");
  const auto p = add_kind<RandomParameters>(command, random_problem_toml);
  add_extents(command, *p);
  command.add_option("--tile-min", p->tile_min, "Smallest tile")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--tile-max", p->tile_max, "Largest tile")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--a-density", p->a_density, "Nonzero elements of A over all, in (0, 1]")
      ->capture_default_str();
  command.add_option("--b-density", p->b_density, "Nonzero elements of B over all, in (0, 1]")
      ->capture_default_str();
  command
      .add_option_function<double>(
          "--density", [p](double density) { p->a_density = p->b_density = density; }, "Both densities")
      ->excludes("--a-density")
      ->excludes("--b-density");
  add_seed(command, *p);
}

}  // namespace

void add_problem_command(CLI::App& app) {
  CLI::App& group = *app.add_subcommand("problem", "Write a problem file");
  group.require_subcommand(1);
  add_dense(group);
  add_random(group);
}

}  // namespace foretile
