# Finds LLVM 22 and describes how code that becomes part of a pass plugin is
# compiled. LLVM's package file accepts only an exact major.minor version, so
# the major version is checked here.

if(NOT LLVM_DIR AND EXISTS /usr/lib/llvm-22/lib/cmake/llvm)
  set(LLVM_DIR /usr/lib/llvm-22/lib/cmake/llvm CACHE PATH "Folder of LLVMConfig.cmake")
endif()
find_package(LLVM REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR
    "Tilesmith needs LLVM 22, but found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}.\n"
    "Install llvm-22-dev, or point to it: -DLLVM_DIR=/usr/lib/llvm-22/lib/cmake/llvm")
endif()
message(STATUS "Tilesmith: LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

# tilesmith_target(<target>): compile flags of all code that lives inside the
# plugin. No RTTI and no exceptions, so that the plugin also loads into tools
# whose libLLVM lacks type information; no link to libLLVM, since the host tool
# (clang, opt, flang, lld) already has it.
function(tilesmith_target target)
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/include")
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PUBLIC ${definitions})
  target_compile_options(${target} PRIVATE -fno-rtti -fno-exceptions -Wall -Wextra -Wno-unused-parameter)
  if(TILESMITH_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(TILESMITH_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${TILESMITH_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${TILESMITH_SANITIZE})
  endif()
endfunction()
