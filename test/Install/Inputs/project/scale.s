# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
	.data
	.globl scale
	.p2align 2
scale:
	.long 3
