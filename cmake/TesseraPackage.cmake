# Install rules that belong to no single folder, and the relocatable archives: `cpack` makes that of everything, `cpack --config
# CPackSdk.cmake` that of the SDK, which is what an author of models needs: all below but the tests and what is measured against.
#
#   bin/tessera                  the program
#   lib/tessera/                 the shared libraries that it needs beyond the C library's own; a folder of their own, so that an install
#                                into /usr/local never puts another libstdc++ before the system's
#   lib/cmake/tessera_sdk/       find_package(tessera_sdk)
#   include/tessera/             the SDK
#   share/tessera/plugins/       the models, as source
#   share/tessera/examples/      run files and their data
#   share/tessera/run.schema.json  what editors know of run files
#   share/tessera/templates/     what `tessera new` makes models of
#   share/tessera/reference/     kernels and programs written by hand, which `tessera bench` and share/tessera/bench measure against
#   share/tessera/bench/         scripts that make tables of several devices
#   libexec/tessera/tests/       test programs, their data, and `run_tests`
include(CMakePackageConfigHelpers)

# The build folder has the plugins, examples, templates, references, scripts and the SDK where an installed tree has them, so that the program looks in one place:
# ../share/tessera.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/tessera)
foreach(folder IN ITEMS plugins examples sdk/templates bench/reference bench)
  cmake_path(GET folder FILENAME name)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/share/tessera/${name} SYMBOLIC)
endforeach()
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/sdk/include ${CMAKE_BINARY_DIR}/include SYMBOLIC)

# Installs a program that finds its shared libraries relative to itself. An RPATH and not a RUNPATH: it holds for the libraries' own
# dependencies too (libspdlog needs libfmt, libpng needs libz).
function(tessera_install_program target path_to_prefix)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${path_to_prefix}/lib/tessera")
  target_link_options(${target} PRIVATE LINKER:--disable-new-dtags)
  install(TARGETS ${target} ${ARGN})
endfunction()

# The test programs need no shared library that the program does not need, and are left out where they were not built.
if(TARGET tessera)
  tessera_install_program(tessera .. RUNTIME_DEPENDENCY_SET tessera_shared_libraries RUNTIME DESTINATION bin COMPONENT sdk)
endif()

# By which editors complete run files: the program wrote it when it was linked (host/CMakeLists.txt).
if(TARGET tessera)
  install(FILES ${CMAKE_BINARY_DIR}/share/tessera/run.schema.json DESTINATION share/tessera COMPONENT sdk)
endif()

get_property(test_programs GLOBAL PROPERTY TESSERA_INSTALLED_TESTS)
foreach(program IN LISTS test_programs)
  if(TARGET ${program})
    tessera_install_program(${program} ../../.. RUNTIME DESTINATION libexec/tessera/tests COMPONENT tests OPTIONAL)
  endif()
endforeach()
if(TESSERA_TESTS)
  install(PROGRAMS ${CMAKE_CURRENT_LIST_DIR}/run_tests DESTINATION libexec/tessera/tests)
  install(DIRECTORY tests/ DESTINATION libexec/tessera/tests/data USE_SOURCE_PERMISSIONS # tests/quick_c++ is a program
    REGEX "/tests/(unit|conformance|support|bench|[^/]*\\.(txt|cmake|[ch]pp))$" EXCLUDE)
endif()

if(TARGET tessera)
  install(RUNTIME_DEPENDENCY_SET tessera_shared_libraries
    PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|resolv)\\.so"
    LIBRARY DESTINATION lib/tessera COMPONENT sdk)
endif()

install(DIRECTORY sdk/include/ DESTINATION include COMPONENT sdk)
install(FILES sdk/cmake/tessera_sdk-config.cmake DESTINATION lib/cmake/tessera_sdk COMPONENT sdk)
write_basic_package_version_file(tessera_sdk-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tessera_sdk-config-version.cmake DESTINATION lib/cmake/tessera_sdk COMPONENT sdk)

install(DIRECTORY plugins/ DESTINATION share/tessera/plugins COMPONENT sdk PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY examples/ DESTINATION share/tessera/examples COMPONENT sdk PATTERN CMakeLists.txt EXCLUDE)
install(DIRECTORY sdk/templates DESTINATION share/tessera COMPONENT sdk USE_SOURCE_PERMISSIONS)
install(DIRECTORY bench/reference DESTINATION share/tessera)
install(DIRECTORY bench DESTINATION share/tessera USE_SOURCE_PERMISSIONS PATTERN reference EXCLUDE)
install(FILES LICENSE CITATION.cff README.md CHANGELOG.md SECURITY.md DESTINATION share/doc/tessera COMPONENT sdk)
install(DIRECTORY docs/ DESTINATION share/doc/tessera/docs COMPONENT sdk)

string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VENDOR "Tessera")
set(CPACK_PACKAGE_FILE_NAME tessera-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

file(WRITE ${CMAKE_BINARY_DIR}/CPackSdk.cmake "include(${CMAKE_BINARY_DIR}/CPackConfig.cmake)
set(CPACK_INSTALL_CMAKE_PROJECTS \"${CMAKE_BINARY_DIR};tessera;sdk;/\")
set(CPACK_PACKAGE_FILE_NAME tessera-sdk-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
")
