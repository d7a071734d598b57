// SPDX-License-Identifier: BSD-3-Clause
// Keys of problem files that say how C = alpha op(A) op(B) + beta C is to be understood, whatever the kind.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>

#include "planner/problem/contraction.hpp"

namespace foretile {

class TableReader;

struct ProductKeys {
  ElementType element = {};
  std::optional<Source> a_source, b_source;  ///< none: the kind's own
  Op a_op = Op::none, b_op = Op::none;
  std::complex<double> alpha = 1;
  std::optional<std::complex<double>> beta;  ///< none: the kind's own, 0 or 1
};

/// "N", "T" or "C", as in BLAS.
std::string_view name_of(Op op);

/// Keys: precision, complex, a_source, b_source, a_op, b_op, alpha, beta. Throws InputError, also for an
/// alpha or beta with an imaginary part in a problem of real numbers.
ProductKeys read_product_keys(TableReader& table);

/// The keys that differ from their defaults, a line each.
std::string product_keys_toml(const ProductKeys& keys);

/// Throws InputError where the keys contradict what the kind has read (`accumulate` and another beta).
void apply_product_keys(const TableReader& table, const ProductKeys& keys, Contraction& contraction);

/// "RE" or "RE,IM" of a command line. Throws InputError that names `option`.
std::complex<double> complex_number(std::string_view option, std::string_view text);

}  // namespace foretile
