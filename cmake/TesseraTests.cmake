# What the test programs share: the named sets that `./test.sh --all` builds under a sanitizer, and their place in the archive.

# Targets that build a set of test programs: `unit_tests` runs under the address sanitizer, `concurrent_tests` under the thread sanitizer,
# whose build has the tests of what has threads alone, with the label `concurrent` (tests/CMakeLists.txt).
add_custom_target(unit_tests)
add_custom_target(concurrent_tests)

# Ships a test program in libexec/tessera/tests, where `run_tests` finds it by its name `test_*`.
function(tessera_install_test target)
  set_property(GLOBAL APPEND PROPERTY TESSERA_INSTALLED_TESTS ${target})
endfunction()
