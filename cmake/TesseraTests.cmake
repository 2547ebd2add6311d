# What the test programs share: the set that `./test.sh --all` builds under the thread sanitizer, and their place in the archive.

# In a build with the thread sanitizer: the tests of what has threads, with the label `concurrent` (tests/CMakeLists.txt).
add_custom_target(concurrent_tests)

# Ships a test program in libexec/tessera/tests, where `run_tests` finds it by its name `test_*`.
function(tessera_install_test target)
  set_property(GLOBAL APPEND PROPERTY TESSERA_INSTALLED_TESTS ${target})
endfunction()
