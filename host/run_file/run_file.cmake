# The run file: from TOML text and overrides to a checked `RunFile`, and the expressions in it.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_library(TOMLPLUSPLUS tomlplusplus REQUIRED)

add_library(tessera_run_file STATIC
  run_file/checks.cpp
  run_file/document.cpp
  run_file/bytes.cpp
  run_file/duration.cpp
  run_file/expression_evaluate.cpp
  run_file/expression_partial.cpp
  run_file/expression_parse.cpp
  run_file/expression_program.cpp
  run_file/file_name.cpp
  run_file/given.cpp
  run_file/key_types.cpp
  run_file/keys.cpp
  run_file/keys_of_tables.cpp
  run_file/layers.cpp
  run_file/nearest.cpp
  run_file/nesting.cpp
  run_file/old_keys.cpp
  run_file/read_agents.cpp
  run_file/read_init.cpp
  run_file/read_links.cpp
  run_file/read_outputs.cpp
  run_file/read_phases.cpp
  run_file/read_devices.cpp
  run_file/read_places.cpp
  run_file/read_run.cpp
  run_file/resolved.cpp
  run_file/run_file.cpp
  run_file/schema.cpp
  run_file/toml_text.cpp
  run_file/where.cpp)
tessera_compile_together(tessera_run_file)
target_compile_definitions(tessera_run_file PRIVATE TOML_HEADER_ONLY=0)
target_link_libraries(tessera_run_file PUBLIC tessera_device_runtime PRIVATE fmt::fmt nlohmann_json::nlohmann_json ${TOMLPLUSPLUS})
