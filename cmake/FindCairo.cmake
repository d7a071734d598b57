# SPDX-License-Identifier: BSD-3-Clause
# Cairo (https://www.cairographics.org) through pkg-config: target PkgConfig::Cairo.
pkg_check_modules(Cairo QUIET IMPORTED_TARGET cairo)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cairo REQUIRED_VARS Cairo_LINK_LIBRARIES VERSION_VAR Cairo_VERSION)
