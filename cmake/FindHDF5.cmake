# SPDX-License-Identifier: BSD-3-Clause
# The serial HDF5 library (https://www.hdfgroup.org) through pkg-config: target PkgConfig::HDF5. CMake's own module asks compiler
# wrappers, which may be those of a parallel HDF5 that brings MPI along.
pkg_search_module(HDF5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HDF5 REQUIRED_VARS HDF5_LINK_LIBRARIES VERSION_VAR HDF5_VERSION)
