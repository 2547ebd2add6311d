# find_package(tessera_sdk) gives the target tessera::sdk: the include folder and the language level that a model is compiled with.
#
#   find_package(tessera_sdk REQUIRED)
#   add_library(my_model MODULE my_model.cu)
#   set_source_files_properties(my_model.cu PROPERTIES LANGUAGE CXX)
#   target_link_libraries(my_model PRIVATE tessera::sdk)
#
# Works from an installed tree (lib/cmake/tessera_sdk) and from a copy of the folder `sdk` alone (sdk/cmake).
if(TARGET tessera::sdk)
  return()
endif()

find_path(TESSERA_SDK_INCLUDE_DIR tessera/model.hpp
  PATHS ${CMAKE_CURRENT_LIST_DIR}/../include ${CMAKE_CURRENT_LIST_DIR}/../../../include
  NO_DEFAULT_PATH)
mark_as_advanced(TESSERA_SDK_INCLUDE_DIR)
if(NOT TESSERA_SDK_INCLUDE_DIR)
  set(tessera_sdk_FOUND FALSE)
  set(tessera_sdk_NOT_FOUND_MESSAGE
      "tessera/model.hpp is not where the SDK's CMake package looks for it (beside ${CMAKE_CURRENT_LIST_DIR})")
  return()
endif()

add_library(tessera::sdk INTERFACE IMPORTED)
set_target_properties(tessera::sdk PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES ${TESSERA_SDK_INCLUDE_DIR}
  INTERFACE_COMPILE_FEATURES cxx_std_20
  INTERFACE_COMPILE_OPTIONS -ffp-contract=off)
