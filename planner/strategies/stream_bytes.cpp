// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/stream_bytes.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

/// The rows that a device holds of one block, numbered over all ranks, rows of devices and blocks.
std::size_t row_group(const Blocking& blocking, std::int32_t i) {
  return (static_cast<std::size_t>(blocking.x(i)) * blocking.grid.p + i % blocking.grid.p) *
             blocking.device_rows +
         blocking.device_row(i);
}

/// The columns that a device holds of one block, numbered over all ranks, columns of devices and blocks.
std::size_t column_group(const Blocking& blocking, std::int32_t j) {
  return (static_cast<std::size_t>(blocking.y(j)) * blocking.grid.q + j % blocking.grid.q) *
             blocking.device_columns() +
         blocking.device_column(j);
}

std::size_t row_groups(const Contraction& p, const Blocking& blocking) {
  return (static_cast<std::size_t>(blocking.x(p.m.tiles() - 1)) + 1) * blocking.grid.p * blocking.device_rows;
}

std::size_t column_groups(const Contraction& p, const Blocking& blocking) {
  return (static_cast<std::size_t>(blocking.y(p.n.tiles() - 1)) + 1) * blocking.grid.q *
         blocking.device_columns();
}

/// Turns bytes at k into bytes before k; `length` entries per group, the last one 0.
void sum_up(std::vector<std::int64_t>& bytes, std::size_t length) {
  for (std::size_t start = 0; start < bytes.size(); start += length) {
    std::int64_t sum = 0;
    for (std::size_t k = start; k < start + length; ++k) sum += std::exchange(bytes[k], sum);
  }
}

std::vector<std::int64_t> most_per_chunk(const std::vector<std::int64_t>& before, std::int32_t depth,
                                         std::int32_t d) {
  std::vector<std::int64_t> most(std::max(1, most_owned(depth, d)), 0);
  for (std::size_t start = 0; start < before.size(); start += depth + 1) {
    for (std::size_t z = 0; z < most.size(); ++z) {
      const auto first = static_cast<std::int64_t>(z) * d;
      const auto end = std::min<std::int64_t>(first + d, depth);
      most[z] = std::max(most[z], before[start + end] - before[start + first]);
    }
  }
  return most;
}

}  // namespace

int best_device_rows(std::int32_t rows, std::int32_t columns, int devices) {
  int best = 1;
  for (int count = 2; count <= devices; ++count) {
    if (devices % count != 0) continue;
    if (100 * most_on_device(rows, columns, devices, count) <=
        99 * most_on_device(rows, columns, devices, best)) {
      best = count;
    }
  }
  return best;
}

namespace {

/// Of the columns that a device holds of a block: the layer with most.
std::vector<std::int64_t> bytes_of_b(const Contraction& p, const Blocking& blocking) {
  std::vector<std::int64_t> most(column_groups(p, blocking), 0);
  std::vector<std::int64_t> of_layer(most.size());
  for (int layer = 0; layer < blocking.layers(); ++layer) {
    std::fill(of_layer.begin(), of_layer.end(), 0);
    for (std::int32_t k = layer; k < p.k.tiles(); k += blocking.layers()) {
      for (const std::int32_t j : p.b.row(k))
        of_layer[column_group(blocking, j)] += p.element_bytes() * p.k.size(k) * p.n.size(j);
    }
    std::transform(most.begin(), most.end(), of_layer.begin(), most.begin(),
                   [](std::int64_t l, std::int64_t r) { return std::max(l, r); });
  }
  return most;
}

}  // namespace

std::int64_t block_bytes(const Contraction& p, const Blocking& blocking, bool b_stays) {
  std::vector<std::int64_t> before(column_groups(p, blocking) * blocking.device_rows, 0);
  if (b_stays) before = bytes_of_b(p, blocking);
  std::vector<std::int64_t> bytes;
  std::int64_t most = 0;
  for (int u = 0; u < blocking.grid.p; ++u) {
    for (std::int32_t first = u; first < p.m.tiles(); first += blocking.b * blocking.grid.p) {
      bytes = before;
      for (std::int32_t il = 0; il < blocking.b; ++il) {
        const std::int32_t i = first + il * blocking.grid.p;
        if (i >= p.m.tiles()) break;
        for (const std::int32_t j : p.c.row(i))
          bytes[column_group(blocking, j) * blocking.device_rows + blocking.device_row(i)] +=
              p.element_bytes() * p.m.size(i) * p.n.size(j);
      }
      most = std::max(most, *std::max_element(bytes.begin(), bytes.end()));
    }
  }
  return most;
}

StreamBytes::StreamBytes(const Contraction& p, const Blocking& blocking, bool b_stays)
    : depth_(most_owned(p.k.tiles(), blocking.grid.r)),
      a_(row_groups(p, blocking) * blocking.layers() * (depth_ + 1), 0),
      b_(column_groups(p, blocking) * blocking.layers() * (depth_ + 1), 0) {
  const std::size_t length = static_cast<std::size_t>(depth_) + 1;
  const auto place = [&](std::size_t group, std::int32_t k) {
    return (group * blocking.layers() + k % blocking.layers()) * length + k / blocking.grid.r;
  };
  for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
    const std::size_t group = row_group(blocking, i);
    for (const std::int32_t k : p.a.row(i))
      a_[place(group, k)] += p.element_bytes() * p.m.size(i) * p.k.size(k);
  }
  for (std::int32_t j = 0; j < (b_stays ? 0 : p.n.tiles()); ++j) {
    const std::size_t group = column_group(blocking, j);
    for (const std::int32_t k : p.b.column(j))
      b_[place(group, k)] += p.element_bytes() * p.k.size(k) * p.n.size(j);
  }
  sum_up(a_, length);
  sum_up(b_, length);
}

std::vector<std::int64_t> StreamBytes::chunks(std::int32_t d) const {
  std::vector<std::int64_t> most = most_per_chunk(a_, depth_, d);
  const std::vector<std::int64_t> of_b = most_per_chunk(b_, depth_, d);
  for (std::size_t z = 0; z < most.size(); ++z) most[z] += of_b[z];
  return most;
}

}  // namespace foretile
