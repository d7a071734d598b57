# SPDX-License-Identifier: BSD-3-Clause
# Man pages, made from the reference in docs/ where pandoc is installed; `cmake --install` installs them.
find_program(FORETILE_PANDOC pandoc)
if(NOT FORETILE_PANDOC)
  message(STATUS "no pandoc: no man pages are made")
  return()
endif()

set(man_folder ${PROJECT_BINARY_DIR}/man)
file(MAKE_DIRECTORY ${man_folder})

function(add_man_page name section source summary)
  set(page ${man_folder}/${name}.${section})
  add_custom_command(OUTPUT ${page}
    COMMAND ${FORETILE_PANDOC} --standalone --from gfm --to man --lua-filter ${PROJECT_SOURCE_DIR}/cmake/man.lua
      --variable title=${name} --variable section=${section} "--variable=footer:foretile ${PROJECT_VERSION}"
      --metadata name=${name} "--metadata=summary:${summary}" --output ${page} ${PROJECT_SOURCE_DIR}/docs/${source}
    DEPENDS ${PROJECT_SOURCE_DIR}/docs/${source} ${PROJECT_SOURCE_DIR}/cmake/man.lua VERBATIM)
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} COMPONENT man)
  set_property(GLOBAL APPEND PROPERTY foretile_man_pages ${page})
endfunction()

add_man_page(foretile 1 commands.md "plans, simulates, tunes and runs large matrix products and coupled-cluster programs")
add_man_page(foretile-run 1 foretile-run.md "executes plans with MPI, on CPU cores or GPUs, and verifies the product")
add_man_page(foretile-problems 5 problems.md "problem files of foretile")
add_man_page(foretile-programs 5 programs.md "programs of contractions of foretile")
add_man_page(foretile-platforms 5 platforms.md "descriptions of machines of foretile")
add_man_page(foretile-files 5 files.md "matrices in files of foretile")
get_property(pages GLOBAL PROPERTY foretile_man_pages)
add_custom_target(foretile_man ALL DEPENDS ${pages})
