// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/device_types.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace foretile {

namespace {

/// One die of an MI250 [RB], all but large cubes: percent of the best rate, without the time of a launch.
constexpr auto kForm = std::to_array<CurvePoint>(
    {{128, 128, 128, 4.377},      {36000, 16, 16, 7.2646},     {256, 256, 256, 10.6},
     {36000, 32, 32, 13.04},      {384, 384, 384, 21.614},     {512, 512, 512, 28.173},
     {36000, 64, 64, 23.724},     {768, 768, 384, 41.358},     {768, 768, 768, 50.796},
     {36000, 128, 128, 32.037},   {3072, 512, 512, 37.471},    {1536, 1536, 384, 53.607},
     {1024, 1024, 1024, 51.522},  {6144, 512, 512, 59.227},    {1280, 1280, 1280, 69.321},
     {36000, 256, 256, 57.26},    {10240, 512, 512, 68.337},   {3072, 3072, 384, 72.787},
     {36000, 384, 384, 67.541},   {20480, 512, 512, 79.016},   {512, 32000, 512, 90.023},
     {36000, 512, 512, 86.721},   {6144, 6144, 384, 84.871},   {36000, 768, 768, 94.215},
     {2049, 26000, 512, 81.382},  {16000, 16000, 128, 46.159}, {4097, 26000, 512, 87.166},
     {16000, 16000, 256, 70.867}, {16000, 16000, 384, 76.628}, {16000, 16000, 512, 93.653},
     {16000, 16000, 768, 97.494}});

/// Percents of the best rate of an MI300 [RB] times 54 Tflop/s, and cubes of 1600 to 16000 [RFM].
constexpr auto kMi300a = std::to_array<CurvePoint>(
    {{77000, 1, 512, 417.1},      {512, 512, 512, 7209},     {1030, 1030, 1030, 20350},
     {1600, 1600, 1600, 25700},   {2048, 2048, 2048, 37720}, {33000, 512, 512, 45720},
     {44000, 512, 512, 43800},    {44000, 576, 576, 37680},  {3200, 3200, 3200, 52670},
     {78336, 1024, 512, 49790},   {27000, 4096, 512, 49770}, {80384, 1536, 512, 50110},
     {29000, 5120, 512, 49190},   {81000, 2048, 512, 50680}, {34000, 6144, 512, 50860},
     {82000, 2560, 512, 51060},   {82944, 3072, 512, 50950}, {20000, 18000, 576, 52330},
     {24000, 18000, 512, 52030},  {6400, 6400, 6400, 60870}, {16384, 16384, 4096, 53890},
     {16000, 16000, 16000, 53910}});

/// An H100 [DB]; the last fills it alone [RFM].
constexpr auto kHopperSmall = std::to_array<CurvePoint>(
    {{4, 4, 4, 374.3},    {4, 4, 16, 1018},    {4, 4, 45, 1414},         {4, 8, 8, 1029},
     {4, 22, 22, 3189},   {6, 6, 6, 1011},     {8, 8, 8, 2044},          {10, 10, 10, 2787},
     {13, 13, 13, 4038},  {16, 16, 16, 6791},  {20, 20, 20, 7437},       {22, 4, 22, 2790},
     {22, 5, 5, 1897},    {23, 23, 5, 5422},   {24, 24, 24, 10240},      {25, 5, 5, 2115},
     {25, 9, 25, 4758},   {28, 28, 28, 10950}, {32, 5, 5, 2421},         {32, 13, 13, 6115},
     {32, 32, 4, 6791},   {32, 32, 16, 10780}, {32, 32, 32, 12340},      {40, 40, 40, 13960},
     {45, 5, 5, 2683},    {45, 13, 13, 5691},  {45, 22, 22, 11010},      {45, 45, 4, 6185},
     {45, 45, 16, 11640}, {45, 45, 45, 13820}, {55, 55, 32, 14580},      {64, 64, 64, 15690},
     {76, 76, 30, 15330}, {76, 76, 76, 15790}, {1600, 1600, 1600, 42360}});

/// An A100 [DB]; the last fills it alone.
constexpr auto kA100Small = std::to_array<CurvePoint>(
    {{4, 4, 4, 300.3},   {4, 4, 32, 912.4},        {4, 5, 5, 446.1},   {4, 9, 9, 834.9},   {4, 22, 22, 1586},
     {23, 23, 4, 3275},  {23, 23, 23, 4306},       {24, 13, 13, 3092}, {25, 5, 5, 1361},   {25, 9, 25, 2500},
     {32, 5, 5, 1544},   {32, 13, 13, 3190},       {32, 20, 20, 4242}, {32, 32, 4, 3960},  {32, 32, 7, 4452},
     {32, 32, 16, 5547}, {32, 32, 32, 5527},       {32, 32, 45, 5477}, {45, 45, 45, 6256}, {55, 55, 32, 6700},
     {64, 64, 64, 7714}, {2048, 2048, 2048, 12730}});

/// A B200 [DB]; the last fills it alone.
constexpr auto kB200Small = std::to_array<CurvePoint>(
    {{4, 4, 4, 471.8},    {4, 4, 16, 1339},    {4, 4, 45, 1775},    {4, 8, 8, 1570},
     {17, 13, 13, 6012},  {17, 23, 23, 9290},  {20, 20, 20, 9280},  {22, 4, 22, 3748},
     {22, 5, 5, 2576},    {32, 32, 4, 8233},   {32, 32, 16, 12510}, {32, 32, 32, 13440},
     {40, 40, 40, 14970}, {45, 5, 5, 3617},    {45, 13, 13, 8822},  {45, 22, 22, 12230},
     {45, 45, 4, 7509},   {45, 45, 16, 12300}, {45, 45, 45, 14980}, {55, 55, 32, 16090},
     {64, 64, 64, 18360}, {72, 72, 72, 18640}, {76, 76, 30, 17490}, {2048, 2048, 2048, 34130}});

/// A die of an MI250 [DB]; the last two are 91 products of 512 in one launch [RB], and one that fills it
/// alone.
constexpr auto kMi250xSmall = std::to_array<CurvePoint>(
    {{3, 3, 3, 48.61},         {4, 4, 4, 123.1},   {4, 4, 8, 226.4},   {4, 9, 9, 449.6},
     {5, 5, 5, 222.3},         {5, 23, 23, 1228},  {6, 6, 6, 369.7},   {8, 8, 8, 839.6},
     {10, 10, 10, 1116},       {12, 12, 12, 1485}, {13, 13, 13, 1671}, {16, 16, 16, 2300},
     {20, 20, 20, 2398},       {23, 23, 5, 1697},  {23, 23, 13, 2404}, {24, 24, 24, 3080},
     {29, 29, 29, 3269},       {32, 32, 32, 4180}, {72, 72, 72, 8145}, {512, 512, 512, 20650},
     {1600, 1600, 1600, 19100}});

/// Launches of 16 to 1000 products on an MI300 [RB], percents times 54 Tflop/s; the last fills it alone
/// [RFM].
constexpr auto kMi300aSmall = std::to_array<CurvePoint>({{32, 32, 32, 2173},
                                                         {48, 48, 48, 4137},
                                                         {64, 64, 64, 3254},
                                                         {80, 80, 80, 3824},
                                                         {96, 96, 96, 4418},
                                                         {128, 128, 128, 7873},
                                                         {256, 256, 256, 11940},
                                                         {510, 510, 510, 19930},
                                                         {3200, 3200, 3200, 52670}});

constexpr auto kHopperCubes = std::to_array<CurvePoint>({{1600, 1600, 1600, 42360},
                                                         {3200, 3200, 3200, 40700},
                                                         {6400, 6400, 6400, 39840},
                                                         {16000, 16000, 16000, 51720}});

constexpr auto kMi250xCubes = std::to_array<CurvePoint>({{1600, 1600, 1600, 19100},
                                                         {2048, 2048, 2048, 19670},
                                                         {3200, 3200, 3200, 23180},
                                                         {6400, 6400, 6400, 26740},
                                                         {16000, 16000, 16000, 23870}});

/// As kForm, at the plateau.
constexpr auto kA100Cubes = std::to_array<CurvePoint>(
    {{2048, 2048, 2048, 12910}, {6144, 6144, 6144, 16270}, {16384, 16384, 16384, 15440}});
/// DGEMM without its launch [GE].
constexpr auto kB200Cubes = std::to_array<CurvePoint>({{1024, 1024, 1024, 25010},
                                                       {2048, 2048, 2048, 34300},
                                                       {4096, 4096, 4096, 35090},
                                                       {8192, 8192, 8192, 35750},
                                                       {16384, 16384, 16384, 35990}});
/// As kForm, at the plateau.
constexpr auto kPvcCubes = std::to_array<CurvePoint>(
    {{2048, 2048, 2048, 8086}, {6144, 6144, 6144, 10400}, {16384, 16384, 16384, 10400}});

std::vector<CurvePoint> list(std::span<const CurvePoint> points) {
  return {points.begin(), points.end()};
}

/// kForm at this plateau, and cubes, which take the place of kForm's where they begin.
std::vector<CurvePoint> formed(double plateau_gflops, std::span<const CurvePoint> cubes) {
  std::vector<CurvePoint> points;
  for (const auto& [m, n, k, percent] : kForm) {
    const bool replaced = m == n && n == k && m >= cubes.front().m;
    if (!replaced) points.push_back({m, n, k, percent / 100 * plateau_gflops});
  }
  points.insert(points.end(), cubes.begin(), cubes.end());
  return points;
}

constexpr double kGB = 1e9, kUs = 1e-6;

constexpr std::string_view kSmall =
    "Launches of many small products: DBCSR's tuned kernels [DB]. The last: one product that fills the "
    "device.\n";

constexpr SourcedFigure kNvidiaCopy{11 * kUs, "guess: as Summit's V100 (platforms/summit.toml)"};
constexpr SourcedFigure kPcie5{55.4 * kGB, "guess: PCIe 5, measured on an H200, eight alike [ML]"};
constexpr SourcedFigure kPcie5Back{55.1 * kGB, "guess: PCIe 5, measured on an H200, eight alike [ML]"};
constexpr SourcedFigure kNvlink4{396 * kGB, "guess: NVLink4, measured on an H200 [ML]; 450 nominal"};
constexpr SourcedFigure kH200Launch{2.5 * kUs, "derived: H200, launches back to back [GB]"};

DeviceCurve hopper() {
  return {
      .about =
          "A GH200, all four of a node at once, 45 s each: cubes of 1600 to 16000 with 42.4, 40.7, 39.8 and "
          "51.7 Tflop/s [RFM].\nSmaller and thin shapes have the form of a die of an MI250 [RB], the percent "
          "of "
          "the best rate, times 42.7 Tflop/s.\n",
      .points = formed(42'700, kHopperCubes),
      .comment = "guess: from 1600 on measured on a GH200, below the form of another GPU"};
}

DeviceCurve hopper_small() {
  return {.about = kSmall, .points = list(kHopperSmall), .comment = "measured: H100 [DB], the last [RFM]"};
}

DeviceType a100() {
  DeviceType t{.name = "A100"};
  t.memory = {80 * kGB, "nominal; others have 40 or 64 GB"};
  t.kernel = {.about =
                  "A100s have 13.7 to 19.5 Tflop/s [RFM], of which this is the middle, 16.6. Rates against "
                  "shape have the "
                  "form of a die of an MI250 [RB].\n",
              .points = formed(16'600, kA100Cubes),
              .comment = "guess: the form of another GPU, scaled"};
  t.batched = {.about = kSmall, .points = list(kA100Small), .comment = "measured: [DB]; the last from above"};
  t.launch = {2.7 * kUs, "measured: queued launches [RFM]"};
  t.to_device = {25.5 * kGB, "guess: PCIe 4, measured on Perlmutter [RFM]"};
  t.to_host = {26.2 * kGB, "guess: PCIe 4, measured on Perlmutter [RFM]"};
  t.port = {282 * kGB, "guess: 12 links of NVLink3, measured [RFM]; 300 nominal"};
  t.copy = kNvidiaCopy;
  t.idle = {50, "guess: of no A100 known; an eighth of nominal, as an H200"};
  t.busy = {310, "guess: of 400 W nominal"};
  return t;
}

DeviceType h100() {
  DeviceType t{.name = "H100-SXM"};
  t.memory = {80 * kGB, "nominal"};
  t.kernel = hopper();
  t.batched = hopper_small();
  t.launch = kH200Launch;
  t.to_device = kPcie5;
  t.to_host = kPcie5Back;
  t.port = kNvlink4;
  t.copy = kNvidiaCopy;
  t.idle = {80, "guess: of an idle H200 [AB]"};
  t.busy = {660, "guess: of an H200 that multiplies [AB]; 700 nominal"};
  return t;
}

DeviceType h200() {
  DeviceType t = h100();
  t.name = "H200";
  t.memory = {141 * kGB, "nominal"};
  t.idle = {80, "measured: [AB]"};
  t.busy = {660, "measured: [AB]; 700 nominal"};
  return t;
}

DeviceType b200() {
  DeviceType t{.name = "B200"};
  t.memory = {180 * kGB, "nominal"};
  t.kernel = {
      .about =
          "Cubes of 1,024 to 16,384: DGEMM [GE]. Other shapes have the form of a die of an MI250 [RB].\n",
      .points = formed(36'000, kB200Cubes),
      .comment = "guess: the form of another GPU, but for cubes"};
  t.batched = {.about = kSmall, .points = list(kB200Small), .comment = "measured: [DB]; the last from above"};
  t.launch = {2.5 * kUs, "guess: as an H200"};
  t.to_device = kPcie5;
  t.to_host = kPcie5Back;
  t.port = {790 * kGB, "guess: 88% of 900 nominal, as measured on an H200 [ML]"};
  t.copy = kNvidiaCopy;
  t.idle = {137, "measured: air-cooled [RL]"};
  t.busy = {1000, "nominal"};
  return t;
}

DeviceType mi250x_die() {
  DeviceType t{.name = "MI250X-die", .carries_cards = true};
  t.memory = {64 * kGB, "nominal, of one die"};
  t.kernel = {.about =
                  "Percent of the best rate of one die [RB] times 25.3 Tflop/s. Cubes of 1600 to 16000: all "
                  "dies of a node at "
                  "once [RFM].\n",
              .points = formed(25'300, kMi250xCubes),
              .comment = "derived: percents of [RB] scaled to the cubes of [RFM], which are measured"};
  t.batched = {.about = kSmall,
               .points = list(kMi250xSmall),
               .comment = "measured: [DB]; the last two [RB] and [RFM]"};
  t.launch = {2.1 * kUs, "derived: MI210, launches back to back [GB]"};
  t.to_device = {28.3 * kGB, "guess: measured on Frontier, pinned memory [CW]"};
  t.to_host = {25.2 * kGB, "guess: measured on Frontier, pinned memory [CW]"};
  t.link = "xgmi";
  t.pair = {38 * kGB, "guess: one link on Frontier, measured [CW]; pairs with more links have 77 and 152"};
  t.copy = {13 * kUs, "measured: pinned memory [CW]"};
  t.peer_copy = {12.4 * kUs, "measured: 12 to 12.7 [CW]"};
  t.idle = {45, "guess: of no MI250X known; about a sixth of busy"};
  t.busy = {250, "nominal: half of an MI250X, 500 to 560 W"};
  return t;
}

DeviceType mi300a() {
  DeviceType t{.name = "MI300A", .in_host_memory = true};
  t.memory = {128 * kGB, "nominal, shared with its CPU"};
  t.kernel = {.about =
                  "Percent of the best rate of an MI300 [RB] times 54 Tflop/s. Cubes of 1600 to 16000: all "
                  "four of a node "
                  "at once [RFM].\n",
              .points = list(kMi300a),
              .comment = "derived: percents of [RB] scaled to the cubes of [RFM], which are measured"};
  t.batched = {
      .about =
          "Launches of 1000 (32) to 16 (512) products on an MI300 [RB]; the last fills it alone [RFM].\n",
      .points = list(kMi300aSmall),
      .comment = "derived: percents of [RB] times 54 Tflop/s"};
  t.launch = {2.1 * kUs, "guess: as an MI210"};
  t.pair = {128 * kGB, "guess: two links of each pair, nominal [LLNL]"};
  t.copy = {0, "derived: nothing is copied"};
  t.memory_bandwidth = {5300 * kGB, "nominal: [LLNL]"};
  t.idle = {140, "guess: as an idle MI325X, 137 to 148 W"};
  t.busy = {600, "guess: of 550 to 760 W nominal"};
  return t;
}

DeviceType pvc_tile() {
  DeviceType t{.name = "PVC-tile"};
  t.memory = {64 * kGB, "nominal, of one tile"};
  t.kernel = {.about =
                  "10.4 Tflop/s, all twelve tiles of a node at once [ALCF]. Rates against shape have the "
                  "form of a die of "
                  "an MI250 [RB].\n",
              .points = formed(10'400, kPvcCubes),
              .comment = "guess: the form of another GPU, scaled"};
  t.launch = {5 * kUs, "guess: not known; about twice that of other GPUs"};
  t.to_device = {54 * kGB, "guess: one tile alone on Aurora, measured [ALCF]; all twelve together have 318"};
  t.to_host = {55 * kGB, "guess: one tile alone on Aurora, measured [ALCF]; all twelve together have 257"};
  t.link = "xelink";
  t.pair = {18.9 * kGB,
            "guess: tiles of different GPUs on Aurora, measured [ALCF]; those of one GPU have 185"};
  t.copy = kNvidiaCopy;
  t.idle = {45, "guess: of no PVC known; about a sixth of busy"};
  t.busy = {280, "guess: 278 to 287 W at 1.6 GHz [ALCF]"};
  return t;
}

DeviceType gh200() {
  DeviceType t{.name = "GH200"};
  t.memory = {96 * kGB, "nominal"};
  t.kernel = hopper();
  t.kernel.comment = "guess: below 1600 the form of another GPU, scaled; from 1600 on measured [RFM]";
  t.batched = hopper_small();
  t.launch = kH200Launch;
  t.to_device = {375 * kGB, "guess: C2C, measured on Alps [RFM]; 450 nominal"};
  t.to_host = {297 * kGB, "guess: C2C, measured on Alps [RFM]"};
  t.port = {399 * kGB, "guess: 133 for each of three others, measured 115 to 150 [CSCS]"};
  t.copy = kNvidiaCopy;
  t.memory_bandwidth = {430 * kGB, "measured: a Grace of Alps [RFM]; 512 nominal"};
  t.hosts = {100 * kGB, "guess: nominal of JUPITER [JSC]"};
  t.idle = {85, "guess: 80 W of an idle H200 [AB]"};
  t.busy = {550, "guess: of 680 W nominal with the CPU [JSC]"};
  return t;
}

/// In lower case, without what does not matter.
std::string plain(std::string_view name) {
  std::string found;
  for (const char c : name) {
    if (c != ' ' && c != '-' && c != '_')
      found += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return found;
}

constexpr auto kSources = std::to_array<DeviceSource>(
    {{"RFM", "eth-cscs/cscs-reframe-tests, reference values (10% either way)"},
     {"RB", "ROCm/rocBLAS, library/src/blas3/Tensile/Logic/asm_full: the tuner's rates against shape"},
     {"GE", "UCHINO-Yuki/GEMMul8_numerical_results, results_04: times of DGEMM and of its emulation"},
     {"GB", "te42kyfo/gpu-benches, gpu-small-kernels (64 kB per kernel)"},
     {"DB", "cp2k/dbcsr, src/acc/libsmm_acc/parameters: rates of tuned kernels for small blocks"},
     {"ML", "stas00/ml-engineering, network"},
     {"AB", "alice-benchmark page, a third party"},
     {"CW", "cwpearson/frontier-gpu-bandwidth, results"},
     {"ALCF", "argonne-lcf/user-guides, docs/aurora"},
     {"LLNL", "https://hpc.llnl.gov, MI300A node pages"},
     {"CSCS", "eth-cscs/cscs-docs, docs/alps/hardware.md"},
     {"JSC", "https://apps.fz-juelich.de/jsc/hps/jupiter/configuration.html"},
     {"RL", "ROCm/legacy-rocm-build, issue 5219"}});

}  // namespace

std::span<const DeviceType> device_types() {
  static const std::array types = {a100(),       h100(),   h200(),     b200(),
                                   mi250x_die(), mi300a(), pvc_tile(), gh200()};
  return types;
}

const DeviceType* find_device_type(std::string_view name) {
  const auto types = device_types();
  const auto found =
      std::ranges::find(types, plain(name), [](const DeviceType& type) { return plain(type.name); });
  return found == types.end() ? nullptr : &*found;
}

std::string device_type_names() {
  std::vector<std::string_view> names;
  for (const DeviceType& type : device_types()) names.push_back(type.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::span<const DeviceSource> device_sources() {
  return kSources;
}

}  // namespace foretile
