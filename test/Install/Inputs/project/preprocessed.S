// Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define NAME scale
	.data
	.globl NAME
	.p2align 2
NAME:
	.long 3
