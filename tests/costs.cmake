# Read by ctest after the lists of tests: what takes long starts first, so that no core waits at the end for the last of them.
foreach(test IN LISTS test_conformance_TESTS test_conformance_slow_TESTS test_host_TESTS)
  if(test MATCHES "RandomModels|Fused|NvrtcPrograms|NvrtcModels|Property|Slow|Golden|Docs|Compilers")
    set_tests_properties("${test}" PROPERTIES COST 100)
  elseif(test MATCHES "Views|Threads|Tun|Tried|IsThatOfAStraightLoop|OfEveryPairOfAxes")
    set_tests_properties("${test}" PROPERTIES COST 20)
  endif()
endforeach()
