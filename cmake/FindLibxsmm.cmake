# SPDX-License-Identifier: BSD-3-Clause
# libxsmm (https://github.com/libxsmm/libxsmm) through pkg-config: target PkgConfig::Libxsmm. Version 2 has another interface.
pkg_check_modules(Libxsmm QUIET IMPORTED_TARGET libxsmm)
if(Libxsmm_VERSION VERSION_GREATER_EQUAL 2)
  unset(Libxsmm_LINK_LIBRARIES)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libxsmm REQUIRED_VARS Libxsmm_LINK_LIBRARIES VERSION_VAR Libxsmm_VERSION)
