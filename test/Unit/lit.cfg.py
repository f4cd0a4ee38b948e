# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import lit.formats

config.name = "Tilesmith-Unit"
config.suffixes = []
config.test_source_root = config.test_exec_root = config.unittest_root
# Every executable <Room>Tests in the folder.
config.test_format = lit.formats.GoogleTest(".", "Tests")
