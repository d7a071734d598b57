# SPDX-License-Identifier: BSD-3-Clause
# `cmake --install`: the programs, and the package that find_package(foretile) reads. Targets are
# foretile::planner, foretile::simulator, foretile::simgrid, foretile::tuner, foretile::executor and what they need, for
# the libraries this build made.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/foretile)
foreach(part base matrix_files platforms planner scheduler simulator simgrid tuner cpu executor)
  if(NOT TARGET foretile_${part})
    continue()
  endif()
  set_target_properties(foretile_${part} PROPERTIES EXPORT_NAME ${part})
  install(TARGETS foretile_${part} EXPORT foretileTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
if(NOT FORETILE_HAS_SimGrid)
  set(without_simgrid REGEX "/simgrid/(machine_model|start)[.]hpp$" EXCLUDE)  # they include its headers
endif()
foreach(folder base platforms planner scheduler simulator tuner executor)
  if(TARGET foretile_${folder})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foretile
      FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" ${without_simgrid})
  endif()
endforeach()
install(EXPORT foretileTargets NAMESPACE foretile:: DESTINATION ${package_folder})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/foretileConfig.cmake.in
  ${PROJECT_BINARY_DIR}/foretileConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/foretileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foretileConfig.cmake ${PROJECT_BINARY_DIR}/foretileConfigVersion.cmake
  DESTINATION ${package_folder})
if(FORETILE_HAS_SimGrid)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/FindSimGrid.cmake DESTINATION ${package_folder})
endif()

# What find_data() (base/files.hpp) looks for.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/foretile)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/platforms DESTINATION ${CMAKE_INSTALL_DATADIR}/foretile
  FILES_MATCHING PATTERN "*.toml")
# The pages that errors name: docs/how-to/...
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DATADIR}/foretile
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.csv")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  ${PROJECT_SOURCE_DIR}/CITATION.cff ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/foretile)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
