#===- spellings.py - the kin of the matrix product, spelled -*- python -*-===//
#
# Part of Tilesmith, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===//
"""The forms of the second end-to-end matrix: rank-k updates, triangular
factors, products in larger frames, contractions, and loops tuned by hand.

A form is a spelling and a variation; spelling_source.py has the language of the one
and the choices of the other. The list is the same on every run.
"""

import itertools
import re
from collections import namedtuple

from forms import cover, pairs, random_numbers
from pair_spellings import all_epilogues, all_pairs
from spelling_source import (DIMENSIONS, PLAIN, Form, indent, is_small, may_be_mixed, nest, possible, some,
                             source, spelling, translation_unit)
from vector_spellings import all_triangles, all_vectors

DRIVER = "spellings-driver.c"
# Every file of forms is tested in the first configuration and in one of each
# following group, in turn.
GROUPS = [["O3"], ["O2-small", "O2-off", "O2-fast"], ["O3-off", "O3-fast", "O3-small"]]

# Reason -> names, as regular expressions; with the configurations, if not all.
MISSED = {
    "SumTile: partial sums": r"""
        unrolled_k[48]_ijk_apart_.*""",
    "BoundVaries, or at -O2 only: in place, from the last row or column to the first": r"""
        trmm_unit_down_struct_uint_i16i32_le1
        trmm_in_Rlt_ijk_N_row_mem_vla_int_i8i32_down@O2""",
    "Branch: the products, not the elements, are chosen by a condition": r"""
        symm_both_halves_flat_long_f64_lt""",
    "VaryingScalar or EmptySum: a second matrix is stored, too, from the last element on": r"""
        trmm_other_matrix_rows_long_f32_down""",
    "BoundVaries: bounds in a struct that are read behind a test for zero": r"""
        guard_hoisted_struct_long_i16i32_le1""",
    "no remark: a window of constant size is unrolled by clang": r"""
        filter_.*_const_.*
        depthwise_.*_const_.*""",
    "no remark: a symmetric matrix, or a band of one, times a vector": r"""
        gemv_symmetric_.*
        gemv_band_(?!flat_long_f64_lt@).*""",
    "no remark: clang makes the last row, which has no steps, behind the loop": r"""
        triangle_gt_T_scalar_ik_bias_left_column_struct_size_f64_do
        symv_upper_vla_long_f64_do""",
    "IndexRoles at -O2 only: the length of a row's copy is computed in each iteration": r"""
        columns_of_transpose_flat_long_f64_lt@O2$""",
    "OtherStore: where a row is scaled, unsigned subscripts may have wrapped": r"""
        scaled_behind_rows_unless_one_flat_uint_bf16f32_do""",
    "Branch: bounds in a struct that are read behind a test for one": r"""
        scaled_behind_columns_unless_one_struct_size_f16f32_lt""",
    "OtherStore or UsedAfter: two triangles, counted down": r"""
        symm_right_lower_flat_size_f16f32_down""",
    "UnknownTripCount: storing an element may change a member of the struct, an integer too": r"""
        syrk_upper_ijk_N_none_zerorow_from_struct_uint_i16i32_le1
        byte_strides_scalar_KM_NK_struct_uint_i8i32_do
        syr2k_supper_jik_N_right_none_from_struct_size_i32i64_le1
        syr2k2_square_ijk_N_paren_row_from_struct_long_i32i64_le1
        batch_two_loops_struct_uint_i8i32_le1
        batch_lanes_transposed_struct_uint_i16i32_do
        abc_dca_bd_struct_uint_i8i32_do
        conv_line_last_struct_size_i32i64_lt
        conv_first_pnmqrk_struct_uint_i8i32_do
        filter_image_sum_struct_uint_i16i32_le1
        filter_image_qrpn_struct_uint_i8i32_do
        depthwise_last_mpnqr_struct_uint_i16i32_while
        depthwise_first_stride_struct_size_i32i64_lt
        tiled_IJ_k_min_mem_struct_uint_i32_do
        trmm_own_Lle_jki_T_none_mem_struct_uint_i16i32_le1
        pairs_kji_squares_TN_mem_far_whole_struct_uint_i32_lt
        pairs_jik_squares_NN_mem_far_whole_struct_size_i32i64_le1
        epilogue_threshold_ijk_NN_row_none_squares_struct_size_i32i64_le1
        epilogue_clamp_ijk_NN_zero_out_product_struct_uint_i16i32_le1
        epilogue_clamp_jik_TT_column_none_squares_struct_uint_i16i32_do""",
    "NotProduct: halves that are compared as such": r"""
        pairs_\w+_(differences|minmax)_\w+_b?f16f32_\w+""",
    "BoundVaries, NotAffine or UnknownTripCount: members of a struct that are read behind a test of a diagonal": r"""
        tested_.*_struct_.*""",
    "MixedFusion: the product and its addition are in blocks of their own": r"""
        tested_near_square_inside_restrict_size_f32_down@O.-fast
        tested_steps_ge_kij_flat_size_f16f32_down@O.-fast""",
    "no remark: a minimum that is stored to what may be a member of the struct": r"""
        pairs_kij_maxplus_NN_mem_c_lower_struct_uint_u8i32_do
        pairs_jki_minmax_NN_mem_zero_whole_struct_uint_i16i32_while
        pairs_kij_maxtimes_NT_mem_far_lower_struct_long_i32i64_while""",
    "MixedFusion: C walked backwards beside B by columns": r"""
        pairs_kij_squares_NN_mem_zero_whole_struct_uint_bf16f32_down@\w+-fast
        pairs_ikj_squares_TT_mem_c_lower_restrict_int_f32_down@\w+-fast
        pairs_kij_weighted_TT_mem_far_lower_vla_size_f32f64_down@\w+-fast""",
    "Branch, BoundVaries or NotAffine at -O2 only: clang makes no versions of loops there": r"""
        trmm_own_Rlt_kij_N_left_mem_const_long_f16f32_do@O2""",
    "Recurrence or Factorisation: rows that are finished are read again, so each depends on the ones before": r"""
        trmm_in_Lle_ijk_N_row_scalar_restrict_long_i32i64_do
        trmm_in_Llt_ijk_T_none_mem_rows_uint_f16f32_le1
        trmm_in_Rle_ijk_N_out_scalar_flat_uint_i32i64_while
        trmm_in_Llt_kji_T_left_mem_restrict_size_i16i32_do
        trmm_in_Llt_jki_T_left_mem_flat_uint_i8i32_le1
        trmm_in_Rlt_jki_T_left_mem_struct_long_f32f64_do
        trmm_in_Lgt_kij_N_left_mem_vla_long_f16f32_down
        trmm_polybench_restrict_int_u8i32_down
        trmm_right_polybench_struct_size_i32_down""",
    "MixedFusion: tiles of constant size, unrolled by clang": r"""
        tiled_k_and_rest_flat_long_f64_lt@\w+-fast
        tiled_KK_exact_hoist_rows_int_f32_lt@O3-fast
        complex_pairs_scalars_flat_long_f64_lt@\w+-fast
        tiled_KJI_exact_mem_restrict_size_f32_down@\w+-fast
        tiled_KKJJII_exact_mem_restrict_size_f32f64_down@O2-fast
        packed_blocks_flat_long_f64_lt@\w+-fast
        packed_blocks_flat_size_bf16f32_lt@\w+-fast
        packed_c_block_flat_long_f64_lt@\w+-fast
        packed_c_block_struct_size_f32_while@\w+-fast""",
    "BoundVaries: k goes down in tiles that go up, so it is not one index in order": r"""
        tiled_KI_in_min_mem_flat_size_i32_down
        tiled_KI_in_min_hoist_restrict_int_i8i32_down
        tiled_KK_min_mem_vla_long_i16_down""",
    "BoundVaries: tiles with bounds in a struct": r"""
        tiled_JI_exact_hoist_struct_uint_i8i32_do
        tiled_KK_min_hoist_struct_uint_f64_while@O2""",
    "InitMismatch, OtherStore, Branch or IndexRoles: a tile of constant size is unrolled by clang": r"""
        tiled_JJJ_exact_mem_vla_size_i8i32_lt@O3""",
    "MixedFusion: several widened products, or a vector that is walked backwards": r"""
        gesummv_rows_size_f32f64_down@\w+-fast
        symv_(upper|lower)_\w+_f32f64_down@\w+-fast""",
    "MixedFusion: several widened products, or C walked backwards beside B by columns": r"""
        complex_pairs_scalars_flat_int_f32_while@\w+-fast
        unrolled_k_ikj_held_flat_size_f32f64_do@O2-fast
        unrolled_k8_ijk_mem_whole_rows_int_f32f64_while@O2-fast
        trmm_own_Rge_kij_T_none_mem_flat_size_bf16f32_down@O3-fast
        syr2k2_upper_kij_T_none_none_mem_restrict_uint_f16f32_while@O3-fast
        syr2k2_slower_kij_T_left_zero_mem_struct_int_f16f32_le1@O2-fast
        guard_inside_flat_long_f16f32_down@\w+-fast
        syr2k2_slower_kji_T_none_none_mem_restrict_size_f32f64_down@O3-fast
        syr2k2_supper_kji_N_left_none_mem_rows_int_f32f64_down@\w+-fast
        gemmt_slower_ikj_N_right_before_mem_flat_size_f16f32_down@\w+-fast
        syr2k2_square_ikj_N_right_before_mem_restrict_uint_f16f32_down@O3-fast
        syr2k2_square_kji_N_none_zero_mem_flat_long_bf16f32_lt@O3-fast
        syr2k2_upper_ikj_N_paren_row_mem_flat_size_bf16f32_down@\w+-fast
        syr2k_lower_ikj_T_left_zero_mem_flat_size_f16f32_down@O2-fast
        syr2k_lower_jik_N_paren_row_from_restrict_size_f32f64_le1@O2-fast
        syr2k_supper_ikj_N_right_zerorow_mem_flat_int_f32f64_le1@\w+-fast
        syr2k_slower_jik_N_left_same_mem_restrict_int_f16f32_lt@O2-fast
        syr2k_square_ijk_T_none_before_from_flat_size_f16f32_while@O3-fast
        syr2k_square_jik_T_none_before_from_flat_long_bf16f32_lt@\w+-fast
        syr2k_upper_ijk_N_out_same_scalar_struct_long_f32f64_do@O3-fast
        syr2k_upper_kij_N_none_zero_mem_restrict_size_f32_down@\w+-fast
        syr2k_upper_kji_T_right_zero_mem_vla_int_f32f64_lt@O2-fast
        syrk_square_kij_N_none_before_mem_flat_uint_f64_down@\w+-fast
        distance_matrix_restrict_uint_f64_down@O3-fast
        tiled_IIIJJJKKK_exact_mem_restrict_long_f32f64_lt@O3-fast
        tiled_IJK_exact_mem_vla_int_f32f64_lt@\w+-fast
        tiled_IKJ_min_hoist_flat_int_bf16f32_down@O2-fast
        tiled_IKJ_min_mem_restrict_uint_f16f32_down@O3-fast
        tiled_JJJ_min_hoist_flat_size_f16f32_down@\w+-fast
        tiled_KJI_exact_scalar_rows_long_f16f32_do@O3-fast
        trmm_own_Rge_kij_T_none_mem_flat_size_bf16f32_down@O2-fast
        unrolled_k2_ijk_scalar_whole_vla_size_f32f64_do@O2-fast
        unrolled_k8_ijk_mem_whole_rows_int_f32f64_while@O3-fast
        unrolled_k8_ijk_one_rest_vla_int_bf16f32_while@O3-fast
        unrolled_k_ikj_one_rows_long_f16f32_down@O3-fast""",
    "SumTile, UsedAfter, Branch or OtherStore: rests beside tiles, with bounds in a struct that stores may change": r"""
        register_tile_2x2_array_set_rest_struct_size_i16_do
        register_tile_2x2_names_add_rest_struct_int_i16i32_down
        register_tile_4x4_names_add_rest_struct_int_i32i64_down
        register_tile_2x8_pointers_set_rest_struct_int_u8i32_lt
        register_tile_3x2_names_set_rest_struct_uint_f16f32_while
        register_tile_2x8_array_set_rest_struct_size_f32_while
        register_tile_1x4_names_set_rest_struct_size_u8i32_lt@O2""",
    "UnknownTripCount: pairs of numbers, with bounds in a struct that their stores may change": r"""
        complex_pairs_ikj_struct_uint_i16i32_lt""",
    "MixedFusion or OtherStore: pairs of numbers": r"""
        complex_pairs_restrict_long_f16f32_lt
        complex_pairs_flat_long_f64_lt@O3-fast""",
    "no remark: the loop over k is unrolled before the counter of rows and columns is split": r"""
        fused_rows_columns_const_(?!long_i32i64_down).*@O3-""",
    "no remark: no loop over k, and steps that are equally far apart only if nothing wraps": r"""
        unrolled_k_whole_6_ji_one_flat_uint_i32i64_while
        unrolled_k_whole_9_ji_down_struct_uint_i8i32_do
        unrolled_k_whole_9_ji_scalar_struct_int_i16i32_down""",
    "no remark at -O2 only: no loop over k, and pointers in a struct that are loaded again": r"""
        unrolled_k_whole_6_ji_mem_struct_size_f16f32_lt@O2
        unrolled_k_whole_16_ji_mem_struct_long_f32_while@O2""",
    "no remark: storing an element may change a member of the struct": r"""
        gemv_ki_N_column_mem_left_bias_column_minus_part_struct_uint_i32_le1
        gemv_ki_T_column_mem_left_y_column_plus_part_struct_uint_i8i32_le1""",
    "no remark: a sum of 16 bits that LLVM computes with 32, of a column that is not adjacent": r"""
        gemv_ik_T_unit_scalar_out_zero_column_plus_part_const_uint_i16_do""",
    "replaced as pairs of 32 bits, as LLVM cuts off the sum behind the choice": r"""
        epilogue_mask_ijk_TN_zero_out_product_const_uint_i16_do""",
    "no remark: columns from the last one on, with a multiplication that LLVM has moved": r"""
        gemv_ki_N_unit_mem_left_y_unit_plus_part_rows_size_f32_down@O3-fast""",
    "IndexRoles: 2x2 blocks in tiles of constant size": r"""
        tiled_unrolled_2x2_flat_long_f64_lt@O3(-small)?$""",
}

# Forms that are not replaced yet: regular expression -> reason. What it has to match
# is "<name of the form>@<configuration>". A form listed here that is replaced after
# all is a failure too.
EXPECTED_MISSED = {f"^{name}{'' if '@' in name else '@'}": reason
                   for reason, names in MISSED.items() for name in names.split()}

# In the same way, forms whose results are known to differ.
KNOWN_BUGS = {}

# --- SYRK and SYR2K ------------------------------------------------------------

RANK_K = [("shape", ["lower", "upper", "slower", "supper", "square"]),
          ("product", ["syrk", "syr2k", "syr2k2", "gemmt"]),
          ("order", ["".join(p) for p in itertools.permutations("ijk")]),
          ("trans", ["N", "T"]),
          ("alpha", ["none", "left", "right", "paren", "out"]),
          ("beta", ["none", "same", "row", "before", "zero", "zerorow"]),
          ("sum", ["mem", "scalar", "from"])]
RankK = namedtuple("RankK", [name for name, _ in RANK_K])
BOUNDS = {  # of j in a loop over i, and of i in a loop over j
    "lower": ("0..=i", "j..M"), "slower": ("0..i", "j + 1..M"), "upper": ("i..M", "0..=j"),
    "supper": ("i + 1..M", "0..j"), "square": ("0..M", "0..M")}


def possible_rank_k(f):
    if f.sum != "mem" or f.beta == "same":
        if f.order[2] != "k":
            return False
    if f.beta in ("row", "zerorow") and f.order[0] == "k":
        return False
    if f.beta == "same" and f.sum == "from":
        return False
    return f.alpha != "out" or f.sum == "scalar"


def rank_k(f):
    j_in_i, i_in_j = BOUNDS[f.shape]
    bounds = {"i": i_in_j, "j": j_in_i, "k": "0..K"}
    bounds["i" if f.order.index("i") < f.order.index("j") else "j"] = "0..M"
    loops = [f"{v} {bounds[v]}" for v in f.order]

    def term(x, y):
        x, y = (f"{x}(i,k)", f"{y}(j,k)") if f.trans == "N" else (f"{x}(k,i)", f"{y}(k,j)")
        return {"left": f"alpha * {x} * {y}", "right": f"{x} * {y} * alpha",
                "paren": f"alpha * ({x} * {y})"}.get(f.alpha, f"{x} * {y}")

    terms = {"syrk": [term("A", "A")], "gemmt": [term("A", "B")],
             "syr2k": [term("A", "B") + " + " + term("B", "A")],
             "syr2k2": [term("A", "B"), term("B", "A")]}[f.product]
    target = "C(i,j)" if f.sum == "mem" else "s"
    update = [f"{target} += {t};" for t in terms]
    scale = "C(i,j) = 0;" if f.beta.startswith("zero") else "C(i,j) *= beta;"
    if f.sum == "mem" and f.beta == "same":
        text = nest(loops[:2], scale, nest(loops[2:], *update))
    elif f.sum == "mem":
        text = nest(loops, *update)
    else:
        s = "alpha * s" if f.alpha == "out" else "s"
        store = f"C(i,j) += {s};"
        if f.sum == "from":
            store = "C(i,j) = s;"
        elif f.beta == "same":
            store = f"C(i,j) = {s} + beta * C(i,j);"
        text = nest(loops[:2], f"T s = {'C(i,j)' if f.sum == 'from' else '0'};",
                    nest(loops[2:], *update), store)
    two = [x for x in loops if x[0] != "k"]
    if f.beta in ("before", "zero"):
        text = nest(two, scale) + "\n" + text
    elif f.beta in ("row", "zerorow"):
        outer, inner = text.split("\n", 1)
        text = nest(two[:1], nest(two[1:], scale)) + "\n" + inner
    extents = "M,K" if f.trans == "N" else "K,M"
    arrays = f"C:M,M! A:{extents}" + (f" B:{extents}" if f.product != "syrk" else "")
    kind = {"syrk": "SYRK", "gemmt": "triangular GEMM"}.get(f.product, "SYR2K")
    if f.shape not in ("lower", "upper"):  # square, or without the diagonal
        kind = ""
    return spelling("_".join((f.product, f.shape) + f[2:]), arrays, text, kind=kind)


def all_rank_k():
    full = some(RANK_K, possible_rank_k, RankK, 7)
    return [rank_k(f) for f in cover(RANK_K, possible_rank_k, RankK, full)]


# --- Triangular factors --------------------------------------------------------

TRIANGULAR = [("order", ["".join(p) for p in itertools.permutations("ijk")]),
              ("side", ["L", "R"]),
              ("steps", ["le", "ge", "lt", "gt"]),  # k <= i, k >= i, ... (or j)
              ("trans", ["N", "T"]),
              ("place", ["own", "in"]),             # to C, or B in place
              ("alpha", ["none", "left", "out", "row"]),
              ("sum", ["mem", "scalar"])]
Triangular = namedtuple("Triangular", [name for name, _ in TRIANGULAR])


def possible_triangular(f):
    if f.order[2] != "k" and (f.sum == "scalar" or f.alpha == "out"):
        return False
    if f.alpha == "row" and f.order[0] != "i":
        return False
    # In place, the diagonal makes a sum of its own of each element.
    return f.place == "own" or (f.sum == "scalar") == (f.steps in ("le", "ge"))


def triangular(f):
    row, extent = ("i", "M") if f.side == "L" else ("j", "N")
    k_in_row = {"le": f"0..={row}", "lt": f"0..{row}", "ge": f"{row}..{extent}",
                "gt": f"{row} + 1..{extent}"}[f.steps]
    row_in_k = {"le": f"k..{extent}", "lt": f"k + 1..{extent}", "ge": "0..=k", "gt": "0..k"}[f.steps]
    k_first = f.order.index("k") < f.order.index(row)
    bounds = {"i": "0..M", "j": "0..N", "k": f"0..{extent}" if k_first else k_in_row}
    if k_first:
        bounds[row] = row_in_k
    loops = [f"{v} {bounds[v]}" for v in f.order]
    b = "B" if f.place == "own" else "C"
    if f.side == "L":
        product = f"{'A(i,k)' if f.trans == 'N' else 'A(k,i)'} * {b}(k,j)"
    else:
        product = f"{b}(i,k) * {'A(k,j)' if f.trans == 'N' else 'A(j,k)'}"
    if f.alpha == "left":
        product = f"alpha * {product}"
    if f.sum == "scalar":
        text = nest(loops[:2], "T s = 0;", nest(loops[2:], f"s += {product};"),
                    f"C(i,j) = {'alpha * ' if f.alpha == 'out' else ''}s;")
    elif f.alpha == "out":
        text = nest(loops[:2], nest(loops[2:], f"C(i,j) += {product};"), "C(i,j) = alpha * C(i,j);")
    else:
        text = nest(loops, f"C(i,j) += {product};")
    if f.alpha == "row":
        text = text.replace("\n", "\n" + nest(["  j 0..N"], "  C(i,j) *= beta;") + "\n", 1)
    arrays = f"C:M,N! A:{extent},{extent}" + (" B:M,N" if f.place == "own" else "")
    return spelling("_".join(("trmm", f.place, f.side + f.steps) + (f.order, f.trans, f.alpha, f.sum)),
                    arrays, text, tame=f.place == "in")


SYMM = [
    spelling("symm_left_lower", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..i
      C(k,j) += alpha * B(i,j) * A(i,k);
      s += B(k,j) * A(i,k);
    C(i,j) = beta * C(i,j) + alpha * B(i,j) * A(i,i) + alpha * s;""", 2, shared=True),
    spelling("symm_left_upper", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..i
      C(k,j) += alpha * B(i,j) * A(k,i);
      s += B(k,j) * A(k,i);
    C(i,j) = beta * C(i,j) + alpha * B(i,j) * A(i,i) + alpha * s;""", 2, shared=True),
    spelling("symm_left_down", "C:M,N! A:M,M B:M,N", """
i 0..M down
  j 0..N
    T s = 0;
    k i + 1..M
      C(k,j) += alpha * B(i,j) * A(k,i);
      s += B(k,j) * A(k,i);
    C(i,j) = beta * C(i,j) + alpha * B(i,j) * A(i,i) + alpha * s;""", 2, shared=True),
    spelling("symm_right_lower", "C:M,N! A:N,N B:M,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..j
      C(i,k) += alpha * B(i,j) * A(j,k);
      s += B(i,k) * A(j,k);
    C(i,j) = beta * C(i,j) + alpha * B(i,j) * A(j,j) + alpha * s;""", 2, shared=True),
    spelling("symm_right_upper", "C:M,N! A:N,N B:M,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..j
      C(i,k) += alpha * B(i,j) * A(k,j);
      s += B(i,k) * A(k,j);
    C(i,j) = beta * C(i,j) + alpha * B(i,j) * A(j,j) + alpha * s;""", 2, shared=True),
    spelling("symm_nests", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    k 0..=i
      C(i,j) += A(i,k) * B(k,j);
i 0..M
  j 0..N
    k i + 1..M
      C(i,j) += A(k,i) * B(k,j);""", 2),
    spelling("symm_rows", "C:M,N! A:M,M B:M,N", """
i 0..M
  k 0..=i
    j 0..N
      C(i,j) += alpha * A(i,k) * B(k,j);
  k i + 1..M
    j 0..N
      C(i,j) += alpha * A(k,i) * B(k,j);""", 2, shared=True),
    spelling("symm_select", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    k 0..M
      C(i,j) += (k <= i ? A(i,k) : A(k,i)) * B(k,j);"""),
    spelling("symm_by_columns", "C:M,N! A:M,M B:M,N", """
j 0..N
  i 0..M
    T x = alpha * B(i,j), s = 0;
    k 0..i
      C(k,j) += x * A(i,k);
      s += B(k,j) * A(i,k);
    C(i,j) = beta * C(i,j) + x * A(i,i) + alpha * s;""", 2, shared=True),
    spelling("trmm_polybench", "C:M,N! A:M,M", """
i 0..M
  j 0..N
    k i + 1..M
      C(i,j) += A(k,i) * C(k,j);
    C(i,j) = alpha * C(i,j);""", kind="TRMM", tame=True),
    spelling("trmm_right_polybench", "C:M,N! A:N,N", """
i 0..M
  j 0..N
    k j + 1..N
      C(i,j) += C(i,k) * A(k,j);
    C(i,j) = alpha * C(i,j);""", kind="TRMM", tame=True),
    spelling("trmm_by_rows", "C:M,N! A:M,M", """
i 0..M
  k i + 1..M
    j 0..N
      C(i,j) += A(k,i) * C(k,j);""", kind="TRMM", tame=True),
    spelling("trmm_unit_down", "C:M,N! A:M,M", """
i 0..M down
  k 0..i
    j 0..N
      C(i,j) += A(i,k) * C(k,j);""", tame=True),
    spelling("trmm_diagonal_first", "C:M,N! A:M,M", """
i 0..M
  j 0..N
    C(i,j) *= A(i,i);
  k i + 1..M
    j 0..N
      C(i,j) += A(i,k) * C(k,j);""", tame=True),
    spelling("trmm_transposed", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    C(i,j) = 0;
  k i..M
    T x = alpha * A(k,i);
    j 0..N
      C(i,j) += x * B(k,j);"""),
]


def all_triangular():
    full = some(TRIANGULAR, possible_triangular, Triangular, 11)
    return [triangular(f) for f in cover(TRIANGULAR, possible_triangular, Triangular, full)]


# --- Larger frames -------------------------------------------------------------

FRAMES = [
    spelling("gemm_polybench", "C:M,N! A:M,K B:K,N", """
i 0..M
  j 0..N
    C(i,j) *= beta;
  k 0..K
    j 0..N
      C(i,j) += alpha * A(i,k) * B(k,j);"""),
    spelling("bias_init", "C:M,N! A:M,K B:K,N X:N", """
i 0..M
  j 0..N
    C(i,j) = X(j);
    k 0..K
      C(i,j) += A(i,k) * B(k,j);"""),
    spelling("bias_scalar", "C:M,N! A:M,K B:K,N X:N", """
i 0..M
  j 0..N
    T s = X(j);
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;"""),
    spelling("bias_after", "C:M,N! A:M,K B:K,N X:N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s + X(j);"""),
    spelling("row_bias_after", "C:M,N! A:M,K B:K,N X:M", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s + X(i);"""),
    spelling("residual", "C:M,N! A:M,K B:K,N D:M,N", """
i 0..M
  j 0..N
    T s = D(i,j);
    k 0..K
      s -= A(i,k) * B(k,j);
    C(i,j) = s;"""),
    spelling("beta_other", "C:M,N! A:M,K B:K,N D:M,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = alpha * s + beta * D(i,j);"""),
    spelling("relu_in_place", "C:M,N! A:M,K B:K,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s > 0 ? s : 0;"""),
    spelling("relu_by_row", "C:M,N! A:M,K B:K,N D:M,N! X:N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;
  j 0..N
    D(i,j) = C(i,j) + X(j) > 0 ? C(i,j) + X(j) : 0;"""),
    spelling("scaled_copy", "C:M,N! A:M,K B:K,N D:M,K!", """
i 0..M
  k 0..K
    D(i,k) = alpha * A(i,k);
  k 0..K
    j 0..N
      C(i,j) += D(i,k) * B(k,j);"""),
    spelling("copied_back", "C:M,N! A:M,N! B:N,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..N
      s += A(i,k) * B(k,j);
    C(i,j) = s;
  j 0..N
    A(i,j) = C(i,j);"""),
    spelling("row_buffer", "A:M,N! B:N,N X:N!", """
i 0..M
  j 0..N
    X(j) = 0;
    k 0..N
      X(j) += A(i,k) * B(k,j);
  j 0..N
    A(i,j) = X(j);"""),
    spelling("doitgen", "A:P,M,N! B:N,N X:N!", """
p 0..P
  i 0..M
    j 0..N
      X(j) = 0;
      k 0..N
        X(j) += A(p,i,k) * B(k,j);
    j 0..N
      A(p,i,j) = X(j);"""),
    spelling("doitgen_3d_sum", "A:P,M,N! B:N,N C:P,M,N!", """
p 0..P
  i 0..M
    j 0..N
      C(p,i,j) = 0;
      k 0..N
        C(p,i,j) += A(p,i,k) * B(k,j);
    j 0..N
      A(p,i,j) = C(p,i,j);"""),
    spelling("chain_2mm", "D:M,P*8! T1:M,N! A:M,K B:K,N E:N,P*8", """
i 0..M
  j 0..N
    T1(i,j) = 0;
    k 0..K
      T1(i,j) += alpha * A(i,k) * B(k,j);
i 0..M
  j 0..P * 8
    D(i,j) *= beta;
    k 0..N
      D(i,j) += T1(i,k) * E(k,j);""", 2, tame=True),
    spelling("chain_3mm", "G:M,M! C:M,N! F:N,M! A:M,K B:K,N D:N,P*8 E:P*8,M", """
i 0..M
  j 0..N
    C(i,j) = 0;
    k 0..K
      C(i,j) += A(i,k) * B(k,j);
i 0..N
  j 0..M
    F(i,j) = 0;
    k 0..P * 8
      F(i,j) += D(i,k) * E(k,j);
i 0..M
  j 0..M
    G(i,j) = 0;
    k 0..N
      G(i,j) += C(i,k) * F(k,j);""", 3, tame=True),
    spelling("chain_by_rows", "C:M,N! D:M,K! A:M,K B:K,K E:K,N", """
i 0..M
  j 0..K
    D(i,j) = 0;
    k 0..K
      D(i,j) += A(i,k) * B(k,j);
  j 0..N
    k 0..K
      C(i,j) += D(i,k) * E(k,j);""", 2, shared=True, tame=True),
    spelling("two_products", "C:M,N! D:M,N! A:M,K B:K,N E:K,N", """
i 0..M
  k 0..K
    j 0..N
      C(i,j) += A(i,k) * B(k,j);
      D(i,j) += A(i,k) * E(k,j);""", 2, shared=True),
    spelling("two_products_scalars", "C:M,N! D:M,N! A:M,K B:K,N E:K,N", """
i 0..M
  j 0..N
    T s = 0, t = 0;
    k 0..K
      s += A(i,k) * B(k,j);
      t += A(i,k) * E(k,j);
    C(i,j) = s;
    D(i,j) = t;""", 2, shared=True),
    spelling("two_nests_in_row", "C:M,N! D:M,N! A:M,K B:K,N E:K,N", """
i 0..M
  k 0..K
    j 0..N
      C(i,j) += A(i,k) * B(k,j);
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * E(k,j);
    D(i,j) = s;""", 2, shared=True),
    spelling("batch", "C:P,M,N! A:P,M,K B:P,K,N", """
p 0..P
  i 0..M
    j 0..N
      k 0..K
        C(p,i,j) += A(p,i,k) * B(p,k,j);"""),
    spelling("batch_two_loops", "C:P,Q,M,N! A:P,Q,M,K B:P,Q,K,N", """
p 0..P
  q 0..Q
    i 0..M
      j 0..N
        T s = 0;
        k 0..K
          s += A(p,q,i,k) * B(p,q,k,j);
        C(p,q,i,j) = s;"""),
    spelling("batch_inside", "C:P,M,N! A:P,M,K B:P,K,N", """
i 0..M
  p 0..P
    j 0..N
      k 0..K
        C(p,i,j) += A(p,i,k) * B(p,k,j);"""),
    spelling("batch_lanes", "C:M,N,P! A:M,K,P B:K,N,P", """
i 0..M
  j 0..N
    k 0..K
      p 0..P
        C(i,j,p) += A(i,k,p) * B(k,j,p);"""),
    spelling("batch_lanes_outside", "C:M,N,P! A:M,K,P B:K,N,P", """
p 0..P
  i 0..M
    j 0..N
      T s = 0;
      k 0..K
        s += A(i,k,p) * B(k,j,p);
      C(i,j,p) = alpha * s;"""),
    spelling("batch_lanes_transposed", "C:N,M,P! A:K,M,P B:N,K,P", """
k 0..K
  p 0..P
    i 0..M
      j 0..N
        C(j,i,p) -= A(k,i,p) * B(j,k,p);"""),
    spelling("batch_lanes_blocked", "C:Q,M,N,P! A:Q,M,K,P B:Q,K,N,P", """
q 0..Q
  i 0..M
    j 0..N
      p 0..P
        T s = alpha * C(q,i,j,p);
        k 0..K
          s += A(q,i,k,p) * B(q,k,j,p);
        C(q,i,j,p) = s;"""),
    spelling("attention_scores", "C:P,M,N! A:M,P,K B:N,P,K", """
p 0..P
  i 0..M
    j 0..N
      T s = 0;
      k 0..K
        s += A(i,p,k) * B(j,p,k);
      C(p,i,j) = alpha * s;"""),
    spelling("time_loop", "C:M,N! A:M,K B:K,N", """
p 0..P
  i 0..M
    j 0..N
      k 0..K
        C(i,j) += A(i,k) * B(k,j);"""),
    spelling("power_iteration", "C:M,M! A:M,M! B:M,M", """
p 0..P
  i 0..M
    j 0..M
      T s = 0;
      k 0..M
        s += A(i,k) * B(k,j);
      C(i,j) = s;
  i 0..M
    j 0..M
      A(i,j) = C(i,j);""", tame=True),
    spelling("covariance", "C:M,M! A:K,M! X:M!", """
j 0..M
  X(j) = 0;
  i 0..K
    X(j) += A(i,j);
  X(j) /= 7;
i 0..K
  j 0..M
    A(i,j) -= X(j);
i 0..M
  j i..M
    C(i,j) = 0;
    k 0..K
      C(i,j) += A(k,i) * A(k,j);
    C(i,j) /= 7;
    C(j,i) = C(i,j);""", kind="SYRK", reals=True),
    spelling("correlation", "C:M,M! A:K,M", """
i 0..M
  C(i,i) = 1;
  j i + 1..M
    C(i,j) = 0;
    k 0..K
      C(i,j) += A(k,i) * A(k,j);
    C(j,i) = C(i,j);"""),
    spelling("correlation_whole", "C:M,M! A:K,M! X:M! Y:M!", """
j 0..M
  X(j) = 0;
  i 0..K
    X(j) += A(i,j);
  X(j) /= alpha * 9;
j 0..M
  Y(j) = 0;
  i 0..K
    Y(j) += (A(i,j) - X(j)) * (A(i,j) - X(j));
  Y(j) = sqrt(Y(j));
  Y(j) = Y(j) <= 0.1 ? 1 : Y(j);
i 0..K
  j 0..M
    A(i,j) -= X(j);
    A(i,j) /= 3 * Y(j);
i 0..M
  C(i,i) = 1;
  j i + 1..M
    C(i,j) = 0;
    k 0..K
      C(i,j) += A(k,i) * A(k,j);
    C(j,i) = C(i,j);""", reals=True),
    spelling("gram_mirrored", "C:M,M! A:M,K", """
i 0..M
  j 0..=i
    T s = 0;
    k 0..K
      s += A(i,k) * A(j,k);
    C(i,j) = s;
    C(j,i) = s;"""),
    spelling("gram_mirrored_after", "C:M,M! A:M,K", """
i 0..M
  j 0..=i
    T s = 0;
    k 0..K
      s += A(i,k) * A(j,k);
    C(i,j) = s;
i 0..M
  j i + 1..M
    C(i,j) = C(j,i);"""),
    spelling("gram_diagonal", "C:M,M! A:K,M", """
i 0..M
  j 0..M
    k 0..K
      C(i,j) += A(k,i) * A(k,j);
  C(i,i) += alpha;"""),
    spelling("distance_matrix", "C:M,N! A:M,K B:N,K X:M Y:N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(j,k);
    C(i,j) = X(i) - 2 * s + Y(j);"""),
    spelling("zero_rows_before", "C:M,N! A:M,K B:K,N", """
i 0..M
  j 0..N
    C(i,j) = 0;
i 0..M
  j 0..N
    k 0..K
      C(i,j) += A(i,k) * B(k,j);
i 0..M
  j 0..N
    C(i,j) = alpha * C(i,j) + beta;"""),
    spelling("row_sum_of_c", "C:M,N! A:M,K B:K,N X:M!", """
i 0..M
  k 0..K
    j 0..N
      C(i,j) += A(i,k) * B(k,j);
  X(i) = 0;
  j 0..N
    X(i) += C(i,j);"""),
    spelling("row_maximum", "C:M,N! A:M,K B:K,N X:M!", """
i 0..M
  T top = 0;
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;
    if (s > top)
      top = s;
  X(i) = top;"""),
    spelling("trace", "C:M,N! A:M,K B:K,N X:1!", """
T sum = 0;
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;
    sum += s;
X(0) = sum;""", loops=("lt", "while", "do", "down")),
    spelling("gemm_and_gemv", "C:M,N! A:M,K B:K,N X:M! Y:K", """
i 0..M
  X(i) = 0;
  k 0..K
    X(i) += A(i,k) * Y(k);
  k 0..K
    j 0..N
      C(i,j) += A(i,k) * B(k,j);"""),
    spelling("diagonal_scaled", "C:M,N! A:M,K B:K,N X:K", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * X(k) * B(k,j);
    C(i,j) = s;"""),
    spelling("weights_of_rows", "C:M,N! A:M,K B:K,N X:M", """
i 0..M
  k 0..K
    j 0..N
      C(i,j) += X(i) * A(i,k) * B(k,j);"""),
    spelling("last_row_apart", "C:M+1,N! A:M,K B:K,N", """
i 0..M
  k 0..K
    j 0..N
      C(i,j) += A(i,k) * B(k,j);
j 0..N
  C(M,j) = alpha;""", loops=("lt", "while", "do")),
    spelling("complex_pairs", "C:M,2*N! A:M,2*K B:K,2*N", """
i 0..M
  j 0..N
    k 0..K
      C(i,2*j) += A(i,2*k) * B(k,2*j) - A(i,2*k + 1) * B(k,2*j + 1);
      C(i,2*j + 1) += A(i,2*k) * B(k,2*j + 1) + A(i,2*k + 1) * B(k,2*j);""", 2, shared=True,
             loops=("lt", "while", "do", "down"), parts=True),
    spelling("complex_pairs_ikj", "C:M,2*N! A:M,2*K B:K,2*N", """
i 0..M
  k 0..K
    T re = A(i,2*k), im = A(i,2*k + 1);
    j 0..N
      C(i,2*j) += re * B(k,2*j) - im * B(k,2*j + 1);
      C(i,2*j + 1) += re * B(k,2*j + 1) + im * B(k,2*j);""", 2, shared=True,
             loops=("lt", "while", "do", "down"), parts=True),
    spelling("complex_pairs_scalars", "C:M,2*N! A:M,2*K B:K,2*N", """
i 0..M
  j 0..N
    T re = 0, im = 0;
    k 0..K
      re += A(i,2*k) * B(k,2*j) - A(i,2*k + 1) * B(k,2*j + 1);
      im += A(i,2*k) * B(k,2*j + 1) + A(i,2*k + 1) * B(k,2*j);
    C(i,2*j) = re;
    C(i,2*j + 1) = im;""", 2, shared=True, loops=("lt", "while", "do", "down"), parts=True),
    spelling("complex_planes", "C:M,N! D:M,N! A:M,K B:K,N E:M,K F:K,N", """
i 0..M
  j 0..N
    k 0..K
      C(i,j) += A(i,k) * B(k,j) - E(i,k) * F(k,j);
      D(i,j) += A(i,k) * F(k,j) + E(i,k) * B(k,j);""", 2, shared=True),
    spelling("complex_four_nests", "C:M,N! D:M,N! A:M,K B:K,N E:M,K F:K,N",
             "\n".join(f"i 0..M\n  k 0..K\n    j 0..N\n      {update}" for update in (
                 "C(i,j) += A(i,k) * B(k,j);", "C(i,j) -= E(i,k) * F(k,j);",
                 "D(i,j) += A(i,k) * F(k,j);", "D(i,j) += E(i,k) * B(k,j);")), 4),
    spelling("gram_mirrored_strict", "C:M,M! A:M,K", """
i 0..M
  j 0..i
    T s = 0;
    k 0..K
      s += A(i,k) * A(j,k);
    C(i,j) = s;
    C(j,i) = s;"""),
    spelling("strict_columns_scaled", "C:M,M! A:M,K", """
j 0..M
  i 0..j
    C(i,j) *= beta;
  i 0..j
    T s = 0;
    k 0..K
      s += A(i,k) * A(j,k);
    C(i,j) += s;"""),
]

# --- Contractions --------------------------------------------------------------

CONTRACTIONS = [
    spelling("rows_2", "C:P,M,N! A:P,M,K B:K,N", """
p 0..P
  i 0..M
    j 0..N
      k 0..K
        C(p,i,j) += A(p,i,k) * B(k,j);"""),
    spelling("rows_2_scalar", "C:P,M,N! A:P,M,K B:N,K", """
p 0..P
  i 0..M
    j 0..N
      T s = 0;
      k 0..K
        s += A(p,i,k) * B(j,k);
      C(p,i,j) = alpha * s;"""),
    spelling("rows_swapped", "C:P,M,N! A:M,P,K B:K,N", """
p 0..P
  i 0..M
    j 0..N
      k 0..K
        C(p,i,j) += A(i,p,k) * B(k,j);"""),
    spelling("columns_2", "C:M,N,Q! A:M,K B:K,N,Q", """
i 0..M
  k 0..K
    j 0..N
      q 0..Q
        C(i,j,q) += A(i,k) * B(k,j,q);"""),
    spelling("columns_2_outside", "C:M,Q,N! A:M,K B:K,Q,N", """
i 0..M
  q 0..Q
    j 0..N
      k 0..K
        C(i,q,j) += A(i,k) * B(k,q,j);"""),
    spelling("sums_2", "C:M,N! A:M,Q,K B:Q,K,N", """
i 0..M
  j 0..N
    q 0..Q
      k 0..K
        C(i,j) += A(i,q,k) * B(q,k,j);"""),
    spelling("sums_2_scalar", "C:M,N! A:M,P,K B:P,K,N", """
i 0..M
  j 0..N
    T s = 0;
    p 0..P
      k 0..K
        s += A(i,p,k) * B(p,k,j);
    C(i,j) = s;"""),
    spelling("sums_2_apart", "C:M,N! A:M,P,K B:P,K,N", """
p 0..P
  i 0..M
    j 0..N
      k 0..K
        C(i,j) += A(i,p,k) * B(p,k,j);"""),
    spelling("sums_swapped", "C:M,N! A:M,K,P B:K,P,N", """
i 0..M
  j 0..N
    p 0..P
      k 0..K
        C(i,j) += A(i,k,p) * B(k,p,j);"""),
    spelling("all_2", "C:P,M,Q,N! A:P,M,Q,K B:Q,K,N", """
p 0..P
  i 0..M
    j 0..N
      k 0..K
        C(p,i,0,j) += A(p,i,0,k) * B(0,k,j);""", loops=("lt", "while", "do", "down")),
    spelling("rank_4", "C:M,P,Q,N! A:M,P,K B:K,Q,N", """
i 0..M
  p 0..P
    q 0..Q
      j 0..N
        k 0..K
          C(i,p,q,j) += A(i,p,k) * B(k,q,j);"""),
    spelling("rank_4_ikj", "C:M,P,Q,N! A:M,P,K B:K,Q,N", """
i 0..M
  p 0..P
    k 0..K
      q 0..Q
        j 0..N
          C(i,p,q,j) += A(i,p,k) * B(k,q,j);"""),
    spelling("rank_4_two_sums", "C:P,M,N! A:P,M,Q,K B:Q,K,N", """
p 0..P
  i 0..M
    j 0..N
      T s = 0;
      q 0..Q
        k 0..K
          s += A(p,i,q,k) * B(q,k,j);
      C(p,i,j) = s;"""),
    spelling("rank_4_permuted", "C:P,Q,M,N! A:P,M,K B:Q,K,N", """
p 0..P
  q 0..Q
    i 0..M
      j 0..N
        k 0..K
          C(p,q,i,j) += A(p,i,k) * B(q,k,j);"""),
    spelling("abc_bda_dc", "C:M,P,N! A:P,K,M B:K,N", """
i 0..M
  p 0..P
    j 0..N
      k 0..K
        C(i,p,j) += A(p,k,i) * B(k,j);"""),
    spelling("abc_dca_bd", "C:M,N,P! A:K,P,M B:N,K", """
i 0..M
  j 0..N
    p 0..P
      k 0..K
        C(i,j,p) += A(k,p,i) * B(j,k);"""),
    spelling("mode_1", "C:M,N,Q! A:M,K B:K,N,Q", """
i 0..M
  j 0..N
    q 0..Q
      T s = 0;
      k 0..K
        s += A(i,k) * B(k,j,q);
      C(i,j,q) = s;"""),
    spelling("mode_2", "C:P,M,N! A:M,K B:P,K,N", """
p 0..P
  i 0..M
    j 0..N
      T s = 0;
      k 0..K
        s += A(i,k) * B(p,k,j);
      C(p,i,j) = s;"""),
    spelling("mode_3", "C:P,M,N! A:N,K B:P,M,K", """
p 0..P
  i 0..M
    j 0..N
      T s = 0;
      k 0..K
        s += A(j,k) * B(p,i,k);
      C(p,i,j) = s;"""),
    spelling("convolution_1d", "C:M,N! A:M+P,K B:P,K,N", """
p 0..P
  i 0..M
    j 0..N
      k 0..K
        C(i,j) += A(i + p,k) * B(p,k,j);""", loops=("lt", "while", "do", "down")),
    spelling("convolution_2d", "C:M,Q,N! A:M+P,Q+P,K B:P,K,N", """
i 0..M
  q 0..Q
    j 0..N
      T s = 0;
      p 0..P
        k 0..K
          s += A(i + p,q,k) * B(p,k,j);
      C(i,q,j) = s;""", loops=("lt", "while", "do", "down")),
    spelling("zeroed_inside", "C:P,M,N! A:P,M,K B:K,N", """
p 0..P
  i 0..M
    j 0..N
      C(p,i,j) = 0;
    k 0..K
      j 0..N
        C(p,i,j) += A(p,i,k) * B(k,j);"""),
]

# Windows that go over an image, and other sums of several indices.

EXTENT_OF = dict(zip("imjnpokqru", "MMNNPPKQQQ"))


def around(order, step):
    """Loops in this order, the outermost first, around a step."""
    return nest([f"{v} 0..{EXTENT_OF[v]}" for v in order], step)


def on_rows(order, step):
    """The same, for an image with so many rows that a window fits in."""
    return around(order, step).replace("0..P", "0..P + Q")


IMAGE_FIRST = "C:M,P,N! A:K,P+Q,N+Q B:M,K,Q,Q"
IMAGE_LAST = "C:P,N,M! A:P+Q,N+Q,K B:Q,Q,K,M"
INSIDE = "p + q >= 1 && p + q <= P + Q && n + r >= 1 && n + r <= N"
CONVOLUTIONS = [
    *(spelling(f"conv_first_{order}", IMAGE_FIRST,
               around(order, "C(m,p,n) += A(k,p + q,n + r) * B(m,k,q,r);"))
      for order in ("mpnkqr", "kqrmpn", "mkpqnr", "pnmqrk")),
    *(spelling(f"conv_last_{order}", IMAGE_LAST,
               around(order, "C(p,n,m) += A(p + q,n + r,k) * B(q,r,k,m);"))
      for order in ("pnmqrk", "pnmkqr", "qrkpnm", "pnqrkm")),
    spelling("conv_stride", "C:M,P,N! A:K,2*P+Q+2,2*N+Q+2 B:M,K,Q,Q",
             around("mpnkqr", "C(m,p,n) += A(k,2 * p + q,2 * n + r) * B(m,k,q,r);")),
    spelling("conv_dilated", "C:M,P,N! A:K,P+2*Q+2,N+2*Q+2 B:M,K,Q,Q",
             around("mpnkqr", "C(m,p,n) -= A(k,p + 2 * q,n + 2 * r) * B(m,k,q,r);")),
    spelling("conv_line", "C:M,N! A:K,N+Q B:M,K,Q",
             around("mnkq", "C(m,n) += alpha * A(k,n + q) * B(m,k,q);")),
    spelling("conv_line_last", "C:N,M! A:N+Q,K B:Q,K,M",
             around("nmkq", "C(n,m) += A(n + q,k) * B(q,k,m);")),
    spelling("conv_sum", "C:M,P,N! A:K,P+Q,N+Q B:M,K,Q,Q X:M", """
m 0..M
  p 0..P
    n 0..N
      T s = X(m);
      k 0..K
        q 0..Q
          r 0..Q
            s += A(k,p + q,n + r) * B(m,k,q,r);
      C(m,p,n) = s;"""),
    spelling("conv_weights", "C:M,K,Q! A:K,N+Q B:M,N",
             around("mkqn", "C(m,k,q) += A(k,n + q) * B(m,n);")),
    spelling("conv_volume", "C:M,P,P,N! A:K,P+Q,P+Q,N+Q B:M,K,Q,Q,Q",
             around("mponkqru", "C(m,p,o,n) += A(k,p + q,o + r,n + u) * B(m,k,q,r,u);")),
    spelling("batch_lanes_sums", "C:M,N,P! A:M,Q,K,P B:Q,N,K,P",
             around("ijqkp", "C(i,j,p) += A(i,q,k,p) * B(q,j,k,p);")),
]

# Windows that leave an image of P + Q rows: steps beyond its border are left out.
PADDED = [
    *(spelling(f"padded_first_{order}", "C:M,P+Q,N! A:K,P+Q,N B:M,K,Q,Q",
               on_rows(order, f"if ({INSIDE})\n  C(m,p,n) += A(k,p + q - 1,n + r - 1) * B(m,k,q,r);"))
      for order in ("mpnkqr", "kqrmpn", "mkpqnr")),
    *(spelling(f"padded_last_{order}", "C:P+Q,N,M! A:P+Q,N,K B:Q,Q,K,M",
               on_rows(order, f"if ({INSIDE})\n  C(p,n,m) -= A(p + q - 1,n + r - 1,k) * B(q,r,k,m);"))
      for order in ("pnmqrk", "pnmkqr", "qrkpnm")),
    spelling("padded_stride", "C:M,P+Q,N! A:K,2*P+2*Q,2*N B:M,K,Q,Q",
             on_rows("mpnkqr", """if (2 * p + q >= 1 && 2 * p + q <= 2 * P + 2 * Q && 2 * n + r >= 1 && 2 * n + r <= 2 * N)
  C(m,p,n) += A(k,2 * p + q - 1,2 * n + r - 1) * B(m,k,q,r);""")),
    spelling("padded_line", "C:M,N! A:K,N B:M,K,Q",
             around("mnkq", """if (n + q >= 1 && n + q <= N)
  C(m,n) += alpha * A(k,n + q - 1) * B(m,k,q);""")),
    spelling("padded_sum", "C:M,P+Q,N! A:K,P+Q,N B:M,K,Q,Q X:M", """
m 0..M
  p 0..P + Q
    n 0..N
      T s = X(m);
      k 0..K
        q 0..Q
          if (p + q >= 1 && p + q <= P + Q)
            r 0..Q
              if (n + r >= 1 && n + r <= N)
                s += A(k,p + q - 1,n + r - 1) * B(m,k,q,r);
      C(m,p,n) = s;"""),
]

# Windows without a sum over channels: lines, images, and channels with taps of their own.
LINE, IMAGE = "C:N! A:N+Q B:Q", "C:P,N! A:P+Q,N+Q B:Q,Q"
CHANNELS_FIRST, CHANNELS_LAST = "C:M,P,N! A:M,P+Q,N+Q B:M,Q,Q", "C:P,N,M! A:P+Q,N+Q,M B:Q,Q,M"
FILTERS = [
    *(spelling(f"filter_line_{order}", LINE, around(order, "C(n) += A(n + r) * B(r);")) for order in ("nr", "rn")),
    spelling("filter_line_stride", "C:N! A:2*N+Q B:Q", around("nr", "C(n) -= A(2 * n + r) * B(r);")),
    spelling("filter_line_apart", "C:N! A:3*N+2*Q B:Q", around("nr", "C(n) += A(3 * n + 2 * r) * B(r);")),
    spelling("filter_line_flipped", LINE, around("nr", "C(n) += A(n + Q - 1 - r) * B(r);"),
             loops=("lt", "while", "do", "down")),
    spelling("filter_line_sum", LINE, """
n 0..N
  T s = 0;
  r 0..Q
    s += A(n + r) * B(r);
  C(n) = alpha * s + beta * C(n);"""),
    *(spelling(f"filter_image_{order}", IMAGE, around(order, "C(p,n) += A(p + q,n + r) * B(q,r);"))
      for order in ("pnqr", "qrpn", "pqrn", "pqnr", "npqr")),
    spelling("filter_image_turned", "C:P,N! A:N+Q,P+Q B:Q,Q", around("pnqr", "C(p,n) += A(n + r,p + q) * B(q,r);")),
    spelling("filter_image_sum", IMAGE, """
p 0..P
  n 0..N
    T s = 1;
    q 0..Q
      r 0..Q
        s -= A(p + q,n + r) * B(q,r);
    C(p,n) = s;"""),
    spelling("filter_image_zeroed", IMAGE, """
p 0..P
  n 0..N
    C(p,n) = 0;
  q 0..Q
    r 0..Q
      n 0..N
        C(p,n) += alpha * A(p + q,n + r) * B(q,r);"""),
    *(spelling(f"depthwise_first_{order}", CHANNELS_FIRST, around(order, "C(m,p,n) += A(m,p + q,n + r) * B(m,q,r);"))
      for order in ("mpnqr", "mqrpn", "mpqrn", "pnmqr")),
    *(spelling(f"depthwise_last_{order}", CHANNELS_LAST, around(order, "C(p,n,m) += A(p + q,n + r,m) * B(q,r,m);"))
      for order in ("pnmqr", "pnqrm", "qrpnm", "mpnqr")),
    spelling("depthwise_first_stride", "C:M,P,N! A:M,2*P+Q,2*N+Q B:M,Q,Q",
             around("mpnqr", "C(m,p,n) += A(m,2 * p + q,2 * n + r) * B(m,q,r);")),
    spelling("depthwise_last_stride", "C:P,N,M! A:2*P+Q,2*N+Q,M B:Q,Q,M",
             around("pnqrm", "C(p,n,m) -= A(2 * p + q,2 * n + r,m) * B(q,r,m);")),
    spelling("depthwise_last_mixed", "C:P,N,M! A:P+Q,N+Q,M B:M,Q,Q",
             around("pnmqr", "C(p,n,m) += A(p + q,n + r,m) * B(m,q,r);")),
    spelling("depthwise_last_sum", CHANNELS_LAST + " X:M", """
p 0..P
  n 0..N
    m 0..M
      T s = X(m);
      q 0..Q
        r 0..Q
          s += A(p + q,n + r,m) * B(q,r,m);
      C(p,n,m) = s;"""),
    spelling("depthwise_batch", "C:P,M,P,N! A:P,M,P+Q,N+Q B:M,Q,Q",
             around("ompnqr", "C(o,m,p,n) += A(o,m,p + q,n + r) * B(m,q,r);")),
    spelling("filter_volume", "C:P,P,N! A:P+Q,P+Q,N+Q B:Q,Q,Q",
             around("ponqru", "C(p,o,n) += A(p + q,o + r,n + u) * B(q,r,u);")),
]

# The same for images of P + Q rows that windows leave.
PADDED_FILTERS = [
    *(spelling(f"padded_image_{order}", "C:P+Q,N! A:P+Q,N B:Q,Q",
               on_rows(order, f"if ({INSIDE})\n  C(p,n) += A(p + q - 1,n + r - 1) * B(q,r);"))
      for order in ("pnqr", "qrpn", "pqnr")),
    *(spelling(f"padded_channels_first_{order}", "C:M,P+Q,N! A:M,P+Q,N B:M,Q,Q",
               on_rows(order, f"if ({INSIDE})\n  C(m,p,n) += A(m,p + q - 1,n + r - 1) * B(m,q,r);"))
      for order in ("mpnqr", "mqrpn", "pnmqr")),
    *(spelling(f"padded_channels_last_{order}", "C:P+Q,N,M! A:P+Q,N,M B:Q,Q,M",
               on_rows(order, f"if ({INSIDE})\n  C(p,n,m) -= A(p + q - 1,n + r - 1,m) * B(q,r,m);"))
      for order in ("pnmqr", "pnqrm", "mpnqr")),
]

# Products that are scattered: loops over places and taps move C together.
SCATTERED = [
    *(spelling(f"scatter_first_{order}", "C:M,P+Q,N+Q! A:K,P,N B:K,M,Q,Q",
               around(order, "C(m,p + q,n + r) += A(k,p,n) * B(k,m,q,r);"))
      for order in ("kmpnqr", "kmqrpn", "pnkmqr", "qrpnkm", "kpqmnr", "npmrqk")),
    *(spelling(f"scatter_last_{order}", "C:P+Q,N+Q,M! A:P,N,K B:Q,Q,M,K",
               around(order, "C(p + q,n + r,m) -= A(p,n,k) * B(q,r,m,k);"))
      for order in ("pnkqrm", "qrpnmk", "pnqrmk")),
    *(spelling(f"scatter_padded_{order}", "C:M,P+Q,N! A:K,P+Q,N B:K,M,Q,Q",
               on_rows(order, f"if ({INSIDE})\n  C(m,p + q - 1,n + r - 1) += A(k,p,n) * B(k,m,q,r);"))
      for order in ("kmpnqr", "mkqrpn", "pnkmqr")),
    *(spelling(f"scatter_line_{order}", "C:M,N+Q! A:K,N B:K,M,Q",
               around(order, "C(m,n + r) += A(k,n) * B(k,m,r);")) for order in ("kmnr", "mkrn")),
    spelling("scatter_times", "C:N+Q! A:N B:Q", around("nr", "C(n + r) += A(n) * B(r);")),
    spelling("scatter_image", "C:P+Q,N+Q! A:P,N B:Q,Q", around("pnqr", "C(p + q,n + r) += A(p,n) * B(q,r);")),
    spelling("scatter_depthwise", "C:M,P+Q,N+Q! A:M,P,N B:M,Q,Q",
             around("mpnqr", "C(m,p + q,n + r) += A(m,p,n) * B(m,q,r);")),
]

# --- Tuned by hand -------------------------------------------------------------

GEMM = "C:M,N! A:M,K B:K,N"
EXTENT = dict(zip("ijk", "MNK"))
NOT_SHIFTED = ("lt", "while", "do", "down")
UPWARD = ("lt", "while", "do")


def tiled(order, sizes, edge, sum_="mem"):
    """Loops in `order`: 'IJIij...' are two levels of tiles over i and one over j, with
    sizes {'i': [32, 8], 'j': [16]}."""
    headers, inside, level = [], {}, dict.fromkeys("ijk", 0)
    for v in order:
        x = v.lower()
        name, step, extent = x, "", EXTENT[x]
        if x in inside:
            tile, size = inside[x]
            bounds = f"{tile}..{tile} + {size}"
            if edge == "min":
                bounds = f"{tile}..MIN({tile} + {size}, {extent})"
        elif edge == "exact" and v.isupper():
            bounds = f"0..{extent} / {sizes[x][0]} * {sizes[x][0]}"
        else:
            bounds = f"0..{extent}"
        if v.isupper():
            size = sizes[x][level[x]]
            level[x] += 1
            name, step = f"{x}{level[x]}", f" by {size}"
            inside[x] = (name, size)
        headers.append(f"{name} {bounds}{step}")
    if sum_ == "scalar":
        return nest(headers[:-1], "T s = C(i,j);", nest(headers[-1:], "s += A(i,k) * B(k,j);"),
                    "C(i,j) = s;")
    if sum_ == "hoist":
        return nest(headers[:-1], "T x = alpha * A(i,k);",
                    nest(headers[-1:], "C(i,j) += x * B(k,j);"))
    return nest(headers, "C(i,j) += A(i,k) * B(k,j);")


def all_tiled():
    one, two, three = [16], [32, 8], [64, 16, 4]
    cases = [("I", "Iijk", one), ("J", "Jikj", one), ("K", "Kijk", one), ("JI", "JIikj", one),
             ("KJ", "KJikj", one), ("KI_in", "iKkj", one), ("IJK", "IJKijk", one),
             ("IKJ", "IKJikj", one), ("KJI", "KJIjik", one), ("JKI", "JKIkij", one),
             ("IJ_k", "IJijk", one), ("I_in", "jIik", one), ("JJ", "JJikj", two),
             ("KK", "KiKkj", two), ("IIJJ", "IJIJikj", two), ("IIJJKK", "IJKIJKijk", two),
             ("KKJJII", "KJIKJIkji", two), ("JJJ", "JJJikj", three),
             ("IIIJJJKKK", "IJKIJKIJKikj", three)]
    for name, order, sizes in cases:
        tiles = dict.fromkeys("ijk", sizes)
        for edge in ("min", "exact"):
            # Where k is innermost, a sum in a scalar; where j is, an element held.
            for sum_ in ["mem"] + {"k": ["scalar"], "j": ["hoist"]}.get(order[-1], []):
                yield spelling(f"tiled_{name}_{edge}_{sum_}", GEMM, tiled(order, tiles, edge, sum_),
                               loops=NOT_SHIFTED)
    yield spelling("tiled_by_count", GEMM, """
I mb = M / 16, nb = N / 8;
ib 0..mb
  jb 0..nb
    i 0..16
      j 0..8
        k 0..K
          C(ib * 16 + i,jb * 8 + j) += A(ib * 16 + i,k) * B(k,jb * 8 + j);""", loops=NOT_SHIFTED)
    yield spelling("tiled_and_rest", GEMM, tiled("IJikj", {"i": one, "j": one}, "exact") + """
i M / 16 * 16..M
  j 0..N
    k 0..K
      C(i,j) += A(i,k) * B(k,j);
i 0..M / 16 * 16
  j N / 16 * 16..N
    k 0..K
      C(i,j) += A(i,k) * B(k,j);""", 3, loops=NOT_SHIFTED)
    yield spelling("tiled_limits", GEMM, """
ii 0..M by 16
  I top = ii + 16 < M ? ii + 16 : M;
  kk 0..K by 8
    I last = kk + 8 < K ? kk + 8 : K;
    i ii..top
      k kk..last
        j 0..N
          C(i,j) += A(i,k) * B(k,j);""", loops=NOT_SHIFTED)
    yield spelling("tiled_zeroed", GEMM, """
ii 0..M by 16
  jj 0..N by 8
    i ii..MIN(ii + 16, M)
      j jj..MIN(jj + 8, N)
        C(i,j) = 0;
    kk 0..K by 8
      i ii..MIN(ii + 16, M)
        j jj..MIN(jj + 8, N)
          T s = C(i,j);
          k kk..MIN(kk + 8, K)
            s += A(i,k) * B(k,j);
          C(i,j) = s;""", loops=NOT_SHIFTED)
    yield spelling("tiled_beta", GEMM, """
i 0..M
  j 0..N
    C(i,j) *= beta;
kk 0..K by 16
  ii 0..M by 16
    jj 0..N by 16
      i ii..MIN(ii + 16, M)
        k kk..MIN(kk + 16, K)
          j jj..MIN(jj + 16, N)
            C(i,j) += alpha * A(i,k) * B(k,j);""", loops=NOT_SHIFTED)
    yield spelling("tiled_syrk", "C:M,M! A:M,K", """
ii 0..M by 16
  i ii..MIN(ii + 16, M)
    j 0..=i
      k 0..K
        C(i,j) += A(i,k) * A(j,k);""", loops=NOT_SHIFTED)
    yield spelling("tiled_syrk_k", "C:M,M! A:M,K", """
kk 0..K by 8
  i 0..M
    j 0..=i
      k kk..MIN(kk + 8, K)
        C(i,j) += A(i,k) * A(j,k);""", loops=NOT_SHIFTED)


def unrolled(variable, factor, order, sum_, edge):
    """The statement `factor` times, for the next values of one loop variable."""
    extent, v = EXTENT[variable], variable
    whole = f"{extent} / {factor} * {factor}"
    header = {"whole": f"{v} 0..{whole} by {factor}", "rest": f"{v} 0..{whole} by {factor}",
              "next": f"for (I {v} = 0; {v} + {factor - 1} < {extent}; {v} += {factor})"}[edge]
    loops = {x: f"{x} 0..{EXTENT[x]}" for x in "ijk"}
    loops[v] = header
    headers = [loops[x] for x in order]
    at = lambda text, u: re.sub(rf"\b{v}\b", f"{v} + {u}", text) if u else text
    copies = range(factor)
    plain = [f"{x} 0..{EXTENT[x]}" for x in order]
    plain[order.index(v)] = f"{v} {whole}..{extent}"
    rest = nest(plain, "C(i,j) += A(i,k) * B(k,j);")
    if sum_ == "mem":
        text = nest(headers, *(at("C(i,j) += A(i,k) * B(k,j);", u) for u in copies))
    elif v == "k":
        step = {"scalar": [at("s += A(i,k) * B(k,j);", u) for u in copies],
                "one": ["s += " + " + ".join(at("A(i,k) * B(k,j)", u) for u in copies) + ";"],
                "apart": [at(f"s{u} += A(i,k) * B(k,j);", u) for u in copies]}[sum_]
        names = [f"s{u}" for u in copies] if sum_ == "apart" else ["s"]
        text = nest(headers[:2], f"T {', '.join(n + ' = 0' for n in names)};",
                    nest(headers[2:], *step), f"C(i,j) += {' + '.join(names)};")
    else:
        text = nest(headers[:2], "T " + ", ".join(f"s{u} = 0" for u in copies) + ";",
                    nest(headers[2:], *(at(f"s{u} += A(i,k) * B(k,j);", u) for u in copies)),
                    *(at(f"C(i,j) = s{u};", u) for u in copies))
    if edge == "rest":
        text += "\n" + rest
    products = 2 if edge == "rest" else 1
    return spelling(f"unrolled_{v}{factor}_{order}_{sum_}_{edge}", GEMM, text, products,
                    loops=NOT_SHIFTED)


def all_unrolled():
    turn = 0
    for v, factor in itertools.product("ijk", (2, 4, 8)):
        for order, sum_ in (("ijk", "mem"), ("ikj", "mem"), ("jki", "mem"), ("ijk", "scalar")) + \
                ((("ijk", "one"), ("ijk", "apart")) if v == "k" else ()):
            yield unrolled(v, factor, order, sum_, ("whole", "rest", "next")[turn % 3])
            turn += 1
    for n in (2, 4):
        two = list(itertools.product(range(n), range(n)))
        plus = lambda x, u: f"{x} + {u}" if u else x
        bounds = [f"i 0..M / {n} * {n} by {n}", f"j 0..N / {n} * {n} by {n}"]
        element = lambda u, w: f"({plus('i', u)},{plus('j', w)})"
        product = lambda u, w: f"A({plus('i', u)},k) * B(k,{plus('j', w)})"
        for start in ("zero", "from"):
            sums = [f"s{u}{w} = " + (f"C{element(u, w)}" if start == "from" else "0") for u, w in two]
            yield spelling(f"unrolled_{n}x{n}_{start}", GEMM, nest(
                bounds, f"T {', '.join(sums)};",
                nest(["k 0..K"], *(f"s{u}{w} += {product(u, w)};" for u, w in two)),
                *(f"C{element(u, w)} = s{u}{w};" for u, w in two)), loops=NOT_SHIFTED)
        yield spelling(f"unrolled_{n}x{n}_mem", GEMM, nest(
            bounds + ["k 0..K"], *(f"C{element(u, w)} += {product(u, w)};" for u, w in two)),
            loops=NOT_SHIFTED)
        yield spelling(f"unrolled_{n}x{n}_held", GEMM, nest(
            bounds, "T " + ", ".join(f"s{u}{w} = 0" for u, w in two) + ";",
            nest(["k 0..K"], *(f"T a{u} = A({plus('i', u)},k), b{u} = B(k,{plus('j', u)});"
                               for u in range(n)),
                 *(f"s{u}{w} += a{u} * b{w};" for u, w in two)),
            *(f"C{element(u, w)} += s{u}{w};" for u, w in two)), loops=NOT_SHIFTED)
    yield spelling("unrolled_i_j_beside", GEMM, """
i 0..M
  j 0..N / 2 * 2 by 2
    T s0 = 0, s1 = 0;
    k 0..K
      s0 += A(i,k) * B(k,j);
      s1 += A(i,k) * B(k,j + 1);
    C(i,j) = s0;
    C(i,j + 1) = s1;
  j N / 2 * 2..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;""", 2, shared=True, loops=NOT_SHIFTED)
    yield spelling("unrolled_k_beside", GEMM, """
i 0..M
  j 0..N
    T s = 0;
    k 0..K / 4 * 4 by 4
      s += A(i,k) * B(k,j);
      s += A(i,k + 1) * B(k + 1,j);
      s += A(i,k + 2) * B(k + 2,j);
      s += A(i,k + 3) * B(k + 3,j);
    k K / 4 * 4..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;""", loops=NOT_SHIFTED)
    yield spelling("unrolled_k_ikj_held", GEMM, """
i 0..M
  k 0..K / 2 * 2 by 2
    T x = A(i,k), y = A(i,k + 1);
    j 0..N
      C(i,j) += x * B(k,j);
      C(i,j) += y * B(k + 1,j);""", loops=NOT_SHIFTED)
    yield spelling("unrolled_k_ikj_one", GEMM, """
i 0..M
  k 0..K / 2 * 2 by 2
    T x = A(i,k), y = A(i,k + 1);
    j 0..N
      C(i,j) += x * B(k,j) + y * B(k + 1,j);""", loops=NOT_SHIFTED)


def register_tile(rows, columns, kind, store, edge):
    """A tile of C in scalars, or in a small array; rows may have pointers of their own. Rests
    are in loops beside it."""
    two = list(itertools.product(range(rows), range(columns)))
    plus = lambda x, u: f"{x} + {u}" if u else x
    a = lambda u: f"(T)a{u}[k]" if kind == "pointers" else f"A({plus('i', u)},k)"
    c = lambda u, w: f"c{u}[{w}]" if kind == "pointers" else f"C({plus('i', u)},{plus('j', w)})"
    if kind == "array":
        size = f"[{rows}][{columns}]"
        tile = "\n".join([f"T r{size} = {{{{0}}}};",
                          nest(["k 0..K", f"x 0..{rows}", f"y 0..{columns}"],
                               "r[x][y] += A(i + x,k) * B(k,j + y);"),
                          nest([f"x 0..{rows}", f"y 0..{columns}"],
                               f"C(i + x,j + y) {store} r[x][y];")])
    else:
        tile = "\n".join(
            [f"const Src *a{u} = &at_A({plus('i', u)},0);" for u in range(rows) if kind == "pointers"] +
            ["T " + ", ".join(f"r{u}{w} = 0" for u, w in two) + ";",
             nest(["k 0..K"], *(f"T b{w} = B(k,{plus('j', w)});" for w in range(columns)),
                  *(f"r{u}{w} += {a(u)} * b{w};" for u, w in two))] +
            [f"T *c{u} = &at_C({plus('i', u)},j);" for u in range(rows) if kind == "pointers"] +
            [f"{c(u, w)} {store} r{u}{w};" for u, w in two])
    rest = lambda u: "\n".join(["T r = 0;", nest(["k 0..K"], f"r += A({u},k) * B(k,j);"),
                                f"C({u},j) {store} r;"])
    if edge == "whole":
        text = nest([f"i 0..M / {rows} * {rows} by {rows}",
                     f"j 0..N / {columns} * {columns} by {columns}"], tile)
    else:
        block = lambda lines: nest(["for (int once = 0; once < 1; once++)"], lines)
        rest_of_row = [nest(["for (; j < N; j++)"],
                            *(block(rest(plus("i", u))) for u in range(rows)))]
        text = "\n".join(
            ["I i = 0;",
             nest([f"for (; i + {rows} <= M; i += {rows})"], "I j = 0;",
                  nest([f"for (; j + {columns} <= N; j += {columns})"], tile),
                  *(rest_of_row if columns > 1 else []))] +
            ([nest(["for (; i < M; i++)", "j 0..N"], rest("i"))] if rows > 1 else []))
    name = {"=": "set", "+=": "add"}[store]
    products = 2 if edge == "rest" and rows > 1 else 1
    return spelling(f"register_tile_{rows}x{columns}_{kind}_{name}_{edge}", GEMM, text, products,
                    shared=edge == "rest", loops=NOT_SHIFTED)


def all_register_tiles():
    turn = 0
    for rows, columns in ((2, 2), (4, 4), (3, 2), (1, 4), (4, 1), (8, 1), (2, 8)):
        for kind, store in itertools.product(("names", "pointers", "array"), ("=", "+=")):
            yield register_tile(rows, columns, kind, store, ("rest", "whole")[turn % 2])
            turn += 1
        yield register_tile(rows, columns, "names", "+=", "rest")


def all_whole():
    """No loop over k: the sum is one expression, or a statement for each step."""
    for steps, order in itertools.product((6, 9, 16), ("ij", "ji")):
        products = [f"A(i,{k}) * B({k},j)" for k in range(steps)]
        bodies = {"one": [f"C(i,j) = {' + '.join(products)};"],
                  "scalar": ["T s = 0;"] + [f"s += {p};" for p in products] +
                            ["C(i,j) = beta * C(i,j) + s;"],
                  "mem": [f"C(i,j) += {p};" for p in products],
                  "down": ["T s = C(i,j);"] + [f"s -= {p};" for p in reversed(products)] +
                          ["C(i,j) = s;"]}
        for kind, body in bodies.items():
            yield spelling(f"unrolled_k_whole_{steps}_{order}_{kind}",
                           f"C:M,N! A:M,{steps} B:{steps},N",
                           nest([f"{x} 0..{EXTENT[x]}" for x in order], *body),
                           loops=NOT_SHIFTED)


# As libraries for small processors write it: counters down to 0, pointers computed anew.
EMBEDDED_DOWN = """
if (M == 0 || N == 0)
  return;
const Src *row = &at_A(0,0);
T *out = &at_C(0,0);
COUNTER width = N, rows = M, offset = 0;
COUNTER sa = &at_A(1,0) - &at_A(0,0), sb = &at_B(1,0) - &at_B(0,0), sc = &at_C(1,0) - out;
do
  T *to = out + offset;
  const Src *b = &at_B(0,0);
  COUNTER columns = width;
  do
    T s = 0;
    const Src *a = row;
    COUNTER left = K;
    while (left > 0)
      s += (T)*a++ * *b;
      b += sb;
      left--;
    *to++ = s;
    columns--;
    b = &at_B(0,0) + (width - columns);
  while (columns > 0);
  offset += sc;
  row += sa;
  rows--;
while (rows > 0);"""

HAND = [
    spelling("row_pointers", GEMM, """
i 0..M
  const Src *a = &at_A(i,0);
  T *c = &at_C(i,0);
  k 0..K
    const Src *b = &at_B(k,0);
    j 0..N
      c[j] += (T)a[k] * b[j];""", loops=NOT_SHIFTED),
    spelling("row_pointers_sum", GEMM, """
i 0..M
  const Src *a = &at_A(i,0);
  j 0..N
    T s = 0;
    k 0..K
      s += (T)a[k] * B(k,j);
    C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("walking_along_rows", "C:M,N! A:M,K B:N,K", """
i 0..M
  j 0..N
    const Src *a = &at_A(i,0), *b = &at_B(j,0);
    T s = 0;
    k 0..K
      s += (T)*a++ * *b++;
    C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("walking_in_row", GEMM, """
i 0..M
  k 0..K
    const Src *b = &at_B(k,0);
    T *c = &at_C(i,0), x = A(i,k);
    j 0..N
      *c++ += x * *b++;""", loops=NOT_SHIFTED),
    spelling("walking_to_end", GEMM, """
i 0..M
  k 0..K
    const Src *b = &at_B(k,0);
    T x = A(i,k);
    for (T *c = &at_C(i,0), *end = c + N; c < end; c++, b++)
      *c += x * *b;""", loops=NOT_SHIFTED),
    spelling("walking_rows_carried", GEMM, """
const Src *a = &at_A(0,0);
T *c = &at_C(0,0);
ptrdiff_t sa = &at_A(1,0) - a, sc = &at_C(1,0) - c;
for (I i = 0; i < M; i++, a += sa, c += sc)
  k 0..K
    j 0..N
      c[j] += (T)a[k] * B(k,j);""", loops=NOT_SHIFTED),
    spelling("walking_down_column", GEMM, """
ptrdiff_t sb = &at_B(1,0) - &at_B(0,0);
i 0..M
  j 0..N
    const Src *a = &at_A(i,0), *b = &at_B(0,j);
    T s = 0;
    for (I k = 0; k < K; k++, b += sb)
      s += (T)*a++ * *b;
    C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("counting_down_k", GEMM, """
i 0..M
  j 0..N
    k 0..K down
      C(i,j) += A(i,k) * B(k,j);""", loops=UPWARD),
    spelling("counting_down_all", GEMM, """
for (ptrdiff_t i = (ptrdiff_t)M - 1; i >= 0; i--)
  for (ptrdiff_t k = (ptrdiff_t)K - 1; k >= 0; k--)
    for (ptrdiff_t j = (ptrdiff_t)N - 1; j >= 0; j--)
      C(i,j) += A(i,k) * B(k,j);""", loops=UPWARD),
    spelling("counting_two_ways", GEMM, """
i 0..M
  for (I k = 0, left = K; left > 0; k++, left--)
    j 0..N
      C(i,j) += A(i,k) * B(k,j);""", loops=UPWARD),
    spelling("not_equal", GEMM, """
for (I i = 0; i != M; ++i)
  for (I j = 0; j != N; ++j)
    for (I k = 0; k != K; ++k)
      C(i,j) += A(i,k) * B(k,j);""", loops=UPWARD),
    spelling("sub_block", "C:M+3,N+2! A:M+1,K+4 B:K+2,N+5", """
i 0..M
  j 0..N
    k 0..K
      C(i + 3,j + 2) += A(i + 1,k + 4) * B(k + 2,j + 5);""", loops=NOT_SHIFTED),
    spelling("sub_block_bounds", "C:M+P,N+Q! A:M+P,K+Q B:K+Q,N+Q", """
i P..M + P
  j Q..N + Q
    T s = 0;
    k Q..K + Q
      s += A(i,k) * B(k,j);
    C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("sub_block_of_one", "W:3*M,M+K!", """
i 0..M
  j 0..M
    k 0..K
      W(i,j) += W(M + i,k) * W(2 * M + j,k);""", loops=NOT_SHIFTED, tame=True),
    spelling("steps_of_two", "C:M,N! A:M,2*K B:2*K,N", """
i 0..M
  j 0..N
    k 0..2 * K by 2
      C(i,j) += A(i,k) * B(k,j);""", loops=NOT_SHIFTED),
    spelling("guard_hoisted", GEMM, """
i 0..M
  k 0..K
    T x = A(i,k);
    if (x != 0)
      j 0..N
        C(i,j) += x * B(k,j);"""),
    spelling("guard_netlib", GEMM, """
j 0..N
  k 0..K
    if (B(k,j) != 0)
      T x = alpha * B(k,j);
      i 0..M
        C(i,j) += x * A(i,k);"""),
    spelling("guard_inside", GEMM, """
i 0..M
  k 0..K
    j 0..N
      if (B(k,j) != 0)
        C(i,j) += A(i,k) * B(k,j);"""),
    spelling("guard_alpha", GEMM, """
if (alpha != 0)
  i 0..M
    k 0..K
      j 0..N
        C(i,j) += alpha * A(i,k) * B(k,j);"""),
    spelling("guard_empty", GEMM, """
if (M == 0 || N == 0 || K == 0)
  return;
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;"""),
    spelling("packed_b_column", GEMM, """
T column[512];
j 0..N
  k 0..K
    column[k] = B(k,j);
  i 0..M
    T s = 0;
    k 0..K
      s += A(i,k) * column[k];
    C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("packed_b_all", GEMM, """
static T packed[200 * 200];
k 0..K
  j 0..N
    packed[j * K + k] = B(k,j);
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * packed[j * K + k];
    C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("packed_blocks", GEMM, """
T a[16][16], b[16][16];
ii 0..M / 16 * 16 by 16
  kk 0..K / 16 * 16 by 16
    i 0..16
      k 0..16
        a[i][k] = A(ii + i,kk + k);
    jj 0..N / 16 * 16 by 16
      k 0..16
        j 0..16
          b[k][j] = B(kk + k,jj + j);
      i 0..16
        k 0..16
          j 0..16
            C(ii + i,jj + j) += a[i][k] * b[k][j];""", loops=NOT_SHIFTED),
    spelling("packed_c_block", GEMM, """
T c[16][16];
ii 0..M / 16 * 16 by 16
  jj 0..N / 16 * 16 by 16
    i 0..16
      j 0..16
        c[i][j] = 0;
    k 0..K
      i 0..16
        j 0..16
          c[i][j] += A(ii + i,k) * B(k,jj + j);
    i 0..16
      j 0..16
        C(ii + i,jj + j) += c[i][j];""", loops=NOT_SHIFTED),
    spelling("packed_a_panel", GEMM, """
static T panel[16 * 200];
ii 0..M by 16
  I rows = MIN(16, M - ii);
  i 0..rows
    k 0..K
      panel[i * K + k] = A(ii + i,k);
  i 0..rows
    k 0..K
      j 0..N
        C(ii + i,j) += panel[i * K + k] * B(k,j);""", loops=NOT_SHIFTED),
    spelling("row_of_sums", GEMM, """
T sums[200];
i 0..M
  j 0..N
    sums[j] = 0;
  k 0..K
    j 0..N
      sums[j] += A(i,k) * B(k,j);
  j 0..N
    C(i,j) = alpha * sums[j] + beta * C(i,j);""", loops=NOT_SHIFTED),
    spelling("packed_tails", GEMM, """
static T a[16 * 24], b[24 * 32];
jj 0..N by 32
  I columns = MIN(32, N - jj);
  kk 0..K by 24
    I depth = MIN(24, K - kk);
    k 0..depth
      j 0..columns
        b[k * 32 + j] = B(kk + k,jj + j);
    ii 0..M by 16
      I rows = MIN(16, M - ii);
      i 0..rows
        k 0..depth
          a[i * 24 + k] = alpha * A(ii + i,kk + k);
      i 0..rows
        k 0..depth
          j 0..columns
            C(ii + i,jj + j) += a[i * 24 + k] * b[k * 32 + j];""", loops=NOT_SHIFTED),
    spelling("tiled_k_and_rest", GEMM, """
kk 0..K / 8 * 8 by 8
  i 0..M
    k kk..kk + 8
      j 0..N
        C(i,j) += A(i,k) * B(k,j);
i 0..M
  k K / 8 * 8..K
    j 0..N
      C(i,j) += A(i,k) * B(k,j);""", 2, loops=NOT_SHIFTED),
    spelling("tiled_unrolled_2x2", GEMM, """
ii 0..M / 16 * 16 by 16
  kk 0..K by 16
    i ii..ii + 16 by 2
      j 0..N / 2 * 2 by 2
        T s00 = C(i,j), s01 = C(i,j + 1), s10 = C(i + 1,j), s11 = C(i + 1,j + 1);
        k kk..MIN(kk + 16, K)
          s00 += A(i,k) * B(k,j);
          s01 += A(i,k) * B(k,j + 1);
          s10 += A(i + 1,k) * B(k,j);
          s11 += A(i + 1,k) * B(k,j + 1);
        C(i,j) = s00;
        C(i,j + 1) = s01;
        C(i + 1,j) = s10;
        C(i + 1,j + 1) = s11;""", loops=NOT_SHIFTED),
    spelling("columns_of_transpose", "C:M,N! A:M,K B:N,K", """
T row[264];
j 0..N
  k 0..K
    row[k] = B(j,k);
  i 0..M
    k 0..K
      C(i,j) += A(i,k) * row[k];""", loops=NOT_SHIFTED),
    spelling("pointer_arithmetic", GEMM, """
i 0..M
  j 0..N
    T *c = &at_C(i,0) + j;
    k 0..K
      *c += (T)*(&at_A(i,0) + k) * *(&at_B(k,0) + j);""", loops=NOT_SHIFTED),
    spelling("until_end_of_row", GEMM, """
i 0..M
  const Src *a = &at_A(i,0), *end = a + K;
  j 0..N
    T s = 0;
    I k = 0;
    for (const Src *p = a; p != end; p++)
      s += (T)*p * B(k,j);
      k++;
    C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("symm_left_forward", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    T s = 0;
    k i + 1..M
      C(k,j) += alpha * B(i,j) * A(k,i);
      s += B(k,j) * A(k,i);
    C(i,j) += alpha * B(i,j) * A(i,i) + alpha * s;""", 2, shared=True),
    spelling("ab_acd_dbc", "C:M,N! A:M,P,K B:K,N,P", """
i 0..M
  j 0..N
    p 0..P
      k 0..K
        C(i,j) += A(i,p,k) * B(k,j,p);""", loops=("lt", "while", "do", "down")),
    spelling("ab_acd_dbc_outside", "C:M,N! A:M,P,K B:K,N,P", """
k 0..K
  i 0..M
    p 0..P
      j 0..N
        C(i,j) += A(i,p,k) * B(k,j,p);"""),
    spelling("ab_acd_dbc_scaled", "C:M,N! A:M,P,K B:K,N,P", """
i 0..M
  j 0..N
    T s = 0;
    p 0..P
      k 0..K
        s += A(i,p,k) * B(k,j,p);
    C(i,j) = beta * C(i,j) + alpha * s;"""),
    spelling("abc_ad_dcb", "C:M,P,N! A:M,K B:K,N,P", """
i 0..M
  p 0..P
    j 0..N
      C(i,p,j) = 0;
      k 0..K
        C(i,p,j) += A(i,k) * B(k,j,p);"""),
    spelling("abcd_aebf_dfce", "C:P,M,Q,N! A:P,P,M,K B:N,K,Q,P", """
p 0..P
  i 0..M
    q 0..Q
      j 0..N
        r 0..P
          k 0..K
            C(p,i,q,j) += A(p,r,i,k) * B(j,k,q,r);"""),
    spelling("gram_diagonal_lower", "C:M,M! A:K,M", """
i 0..M
  j 0..=i
    T s = 0;
    k 0..K
      s += A(k,i) * A(k,j);
    C(i,j) = s;
  C(i,i) = C(i,i) + alpha;"""),
    spelling("beside_diagonal_first", "C:M+1,M+1! A:M,K B:K,M", """
i 0..M
  C(i,i+1) = alpha * C(i,i+1);
  k 0..K
    j 0..M
      C(i,j) += A(i,k) * B(k,j);"""),
    spelling("batch_rows_inside", "C:P,M,N! A:P,M,K B:P,K,N", """
i 0..M
  k 0..K
    p 0..P
      j 0..N
        C(p,i,j) += alpha * A(p,i,k) * B(p,k,j);"""),
    spelling("row_of_sums_kept", "C:M,N! A:M,K B:K,N X:N!", """
i 0..M
  j 0..N
    X(j) = 0;
  k 0..K
    j 0..N
      X(j) += A(i,k) * B(k,j);
  j 0..N
    C(i,j) = X(j);"""),
    spelling("row_of_sums_down", "C:M,N! A:M,K B:N,K X:N!", """
i 0..M
  j 0..N
    X(j) = alpha;
  k 0..K
    j 0..N
      X(j) += A(i,k) * B(j,k);
  j 0..N
    C(i,j) += X(j) * X(N - 1 - j);"""),
    spelling("symm_select_upper", "C:M,N! A:M,M B:M,N", """
i 0..M
  k 0..M
    T a;
    if (k > i)
      a = A(i,k);
    else
      a = A(k,i);
    j 0..N
      C(i,j) += alpha * a * B(k,j);""", kind="SYMM"),
    spelling("symm_select_right", "C:M,N! A:M,N B:N,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..N
      s += A(i,k) * (k >= j ? B(k,j) : B(j,k));
    C(i,j) = beta * C(i,j) + alpha * s;""", kind="SYMM"),
    spelling("symm_max_min", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    C(i,j) = 0;
    k 0..M
      C(i,j) += A((i > k ? i : k),(i > k ? k : i)) * B(k,j);""", kind="SYMM"),
    spelling("symm_both_halves", "C:M,N! A:M,M B:M,N", """
i 0..M
  j 0..N
    T s = 0;
    k 0..M
      if (i < k)
        s += A(k,i) * B(k,j);
      else
        s += A(i,k) * B(k,j);
    C(i,j) += s;""", kind="SYMM"),
    spelling("trmm_from_last_row", "C:M,N! A:M,M", """
i 0..M down
  j 0..N
    T s = 0;
    k 0..=i
      s += A(i,k) * C(k,j);
    C(i,j) = alpha * s;""", kind="TRMM", tame=True),
    spelling("trmm_from_last_row_of_columns", "C:N,M! A:M,M", """
j 0..N
  i 0..M down
    T s = 0;
    k 0..=i
      s += A(k,i) * C(j,k);
    C(j,i) = alpha * s;""", kind="TRMM", tame=True),
    spelling("trmm_from_last_column", "C:M,N! A:N,N", """
j 0..N down
  i 0..M
    T s = 0;
    k 0..=j
      s += C(i,k) * A(k,j);
    C(i,j) = s;""", kind="TRMM", tame=True),
    spelling("trmm_other_matrix", "C:M,N! A:M,M B:M,N!", """
i 0..M
  j 0..N
    T s = 0;
    k i..M
      s += A(i,k) * B(k,j);
    C(i,j) = beta * C(i,j) + s;
    B(i,j) = alpha * s;""", kind="TRMM", tame=True),
    spelling("hinted_rows", GEMM, """
i 0..M
  k 0..K
    _Pragma("clang loop vectorize(assume_safety)")
    j 0..N
      C(i,j) += A(i,k) * B(k,j);""", loops=("lt", "le1")),
    spelling("fused_rows_columns", GEMM, """
for (I t = 0; t < M * N; t++)
  I i = t / N, j = t % N;
  T s = 0;
  k 0..K
    s += A(i,k) * B(k,j);
  C(i,j) = s;""", loops=NOT_SHIFTED),
    spelling("fused_batch_rows", "C:P,M,N! A:P,M,K B:P,K,N", """
for (I t = 0; t < P * M; t++)
  I p = t / M, i = t - p * M;
  k 0..K
    j 0..N
      C(p,i,j) += A(p,i,k) * B(p,k,j);""", loops=NOT_SHIFTED),
    spelling("bias_abc_ad_dcb", "C:M,P,N! A:M,K B:K,N,P X:N", """
i 0..M
  p 0..P
    j 0..N
      T s = X(j);
      k 0..K
        s += A(i,k) * B(k,j,p);
      C(i,p,j) = s;"""),
    *(spelling(f"embedded_down_{bits}", GEMM, EMBEDDED_DOWN.replace("COUNTER", f"uint{bits}_t"), loops=("lt",))
      for bits in (16, 32)),
]

# Factors of several elements.
COMPUTED = [
    spelling("masked_elements", "C:M,N! A:M,K B:K,N X:M,K", """
i 0..M
  k 0..K
    j 0..N
      C(i,j) += A(i,k) * X(i,k) * B(k,j);"""),
    spelling("centred_columns", "C:M,N! A:M,K B:N,K X:N", """
j 0..N
  i 0..M
    T s = 0;
    k 0..K
      s += A(i,k) * (B(j,k) - X(j));
    C(i,j) = s;"""),
    spelling("weights_in_both", "C:M,N! A:M,K B:K,N X:K", """
j 0..N
  i 0..M
    k 0..K
      C(i,j) += (A(i,k) * X(k)) * (X(k) * B(k,j));"""),
    spelling("weighted_transposed", "C:M,N! A:K,M B:N,K X:K", """
k 0..K
  i 0..M
    j 0..N
      C(i,j) += X(k) * A(k,i) * B(j,k);"""),
]


# What the rest of a nest computes may be used after it.
RESULTS = [
    spelling("greatest", "C:M,N! A:M,K B:N,K X:1!", """
T top = -1000;
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(j,k);
    s *= alpha;
    if (s > top)
      top = s;
    C(i,j) = s;
X(0) = top;""", loops=("lt", "while", "do", "down")),
    spelling("least_and_greatest", "C:M,N! A:M,K B:K,N X:2!", """
T low = 1000;
T top = -1000;
i 0..M
  j 0..N
    C(i,j) = 0;
    k 0..K
      C(i,j) += A(i,k) * B(k,j);
    low = C(i,j) < low ? C(i,j) : low;
    top = C(i,j) > top ? C(i,j) : top;
X(0) = low;
X(1) = top;""", loops=("lt", "while", "do", "down")),
    spelling("where_greatest", "C:M,N! A:M,K B:N,K X:2!", """
T top = -1000;
I row = 0;
I column = 0;
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(j,k);
    C(i,j) = s;
    if (s > top) {
      top = s;
      row = i;
      column = j;
    }
X(0) = row;
X(1) = column;""", loops=("lt", "while", "do", "down")),
    spelling("squared_residual", "C:M,N! A:M,K B:K,N D:M,N X:1!", """
T sum = 0;
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;
    sum += (s - D(i,j)) * (s - D(i,j));
X(0) = sum;""", loops=("lt", "while", "do", "down")),
    spelling("diagonal_sum", "C:N,N! A:N,K B:K,N X:1!", """
T sum = 0;
i 0..N
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;
  sum += C(i,i);
X(0) = sum;""", loops=("lt", "while", "do", "down")),
    spelling("scores", "C:M! A:M,K B:K X:2!", """
T top = -1000;
I at = 0;
i 0..M
  T s = 0;
  k 0..K
    s += A(i,k) * B(k);
  s *= alpha;
  if (s > top) {
    top = s;
    at = i;
  }
  C(i) = s;
X(0) = top;
X(1) = at;""", loops=("lt", "while", "do", "down"), vectors="integers"),
    spelling("quadratic_form", "C:N! A:N,N B:N X:1!", """
T sum = 0;
i 0..N
  T s = 0;
  k 0..N
    s += A(i,k) * B(k);
  C(i) = s;
  sum += s * B(i);
X(0) = sum;""", loops=("lt", "while", "do", "down"), vectors="integers"),
]


# The rest may have branches, which do not decide what the product is.
CHOICES = [
    spelling("clamped_factor", "C:M,N! A:M,K! B:K,N", """
i 0..M
  k 0..K
    if (A(i,k) > 1)
      A(i,k) = 1;
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(k,j);
    C(i,j) = s;"""),
    spelling("columns_set_to_zero", "C:M,N! A:M,K B:K,N X:N", """
i 0..M
  j 0..N
    if (X(j) > 0)
      C(i,j) = 0;
  k 0..K
    j 0..N
      C(i,j) += A(i,k) * B(k,j);"""),
    spelling("counted_negatives", "C:M,N! A:M,K B:N,K X:N!", """
i 0..M
  j 0..N
    T s = 0;
    k 0..K
      s += A(i,k) * B(j,k);
    C(i,j) = s;
  j 0..N
    if (C(i,j) < 0)
      X(j) += 1;"""),
    spelling("triangle_of_batch", "C:P,M,M! A:M,P,K B:M,P,K", """
i 0..M
  p 0..P
    j 0..i+1
      T s = 0;
      k 0..K
        s += A(i,p,k) * B(j,p,k);
      C(p,i,j) = s;""", loops=("lt", "le1", "while", "do")),
]


# As NumPy's own loops: strides are numbers of bytes, and pointers walk through the
# loops and are set back by each of them.
STRIDES = """
const char *a = (const char *)&at_A(0,0), *b = (const char *)&at_B(0,0);
char *c = (char *)&at_C(0,0);
ptrdiff_t row_a = (const char *)&at_A({a_row}) - a, step_a = (const char *)&at_A({a_step}) - a;
ptrdiff_t step_b = (const char *)&at_B({b_step}) - b, column_b = (const char *)&at_B({b_column}) - b;
ptrdiff_t row_c = (char *)&at_C(1,0) - c, column_c = (char *)&at_C(0,1) - c;
"""
BYTE_STRIDES = {
    "memory": """
i 0..M
  j 0..N
    *(T *)c = 0;
    k 0..K
      Src x = *(const Src *)a, y = *(const Src *)b;
      *(T *)c += (T)x * (T)y;
      b += step_b;
      a += step_a;
    a -= step_a * (ptrdiff_t)K;
    b -= step_b * (ptrdiff_t)K;
    c += column_c;
    b += column_b;
  c -= column_c * (ptrdiff_t)N;
  b -= column_b * (ptrdiff_t)N;
  a += row_a;
  c += row_c;""",
    "scalar": """
i 0..M
  const char *of_column = b;
  char *to = c;
  j 0..N
    const char *x = a, *y = of_column;
    T s = 0;
    k 0..K
      s += (T)*(const Src *)x * (T)*(const Src *)y;
      x += step_a;
      y += step_b;
    *(T *)to = s;
    to += column_c;
    of_column += column_b;
  a += row_a;
  c += row_c;""",
    "rows": """
i 0..M
  const char *x = a, *row_b = b;
  k 0..K
    T factor = *(const Src *)x;
    char *to = c;
    const char *y = row_b;
    j 0..N
      *(T *)to += factor * (T)*(const Src *)y;
      to += column_c;
      y += column_b;
    x += step_a;
    row_b += step_b;
  a += row_a;
  c += row_c;""",
}


def all_byte_strides():
    """The same for both storage orders of each factor."""
    for (kind, text), of_a, of_b in itertools.product(BYTE_STRIDES.items(), ("MK", "KM"), ("KN", "NK")):
        rows = STRIDES.format(
            a_row="1,0" if of_a == "MK" else "0,1", a_step="0,1" if of_a == "MK" else "1,0",
            b_step="1,0" if of_b == "KN" else "0,1", b_column="0,1" if of_b == "KN" else "1,0")
        yield spelling(f"byte_strides_{kind}_{of_a}_{of_b}",
                       f"C:M,N! A:{of_a[0]},{of_a[1]} B:{of_b[0]},{of_b[1]}", rows + text.lstrip("\n"),
                       loops=NOT_SHIFTED)


# --- One side of a diagonal, as a test -------------------------------------------

def all_tested():
    """(i,j) on one side of a diagonal, where a branch in the loops says so."""
    sides = {"le": "j <= i", "lt": "j < i", "ge": "i <= j", "far": "j > i + 2", "near": "i + 3 > j"}
    for (name, test), (shape, m, n) in itertools.product(
            sides.items(), (("square", "M", "M"), ("wide", "M", "N"))):
        arrays = f"C:{m},{n}! A:{m},K B:{n},K"
        yield spelling(f"tested_{name}_{shape}_around", arrays, f"""
i 0..{m}
  j 0..{n}
    if ({test})
      k 0..K
        C(i,j) += A(i,k) * B(j,k);""")
        yield spelling(f"tested_{name}_{shape}_scalar", arrays, f"""
i 0..{m}
  j 0..{n}
    if ({test})
      T s = 0;
      k 0..K
        s -= A(i,k) * B(j,k);
      C(i,j) = s;""")
        yield spelling(f"tested_{name}_{shape}_inside", arrays, f"""
i 0..{m}
  k 0..K
    j 0..{n}
      if ({test})
        C(i,j) += A(i,k) * B(j,k);""")
        yield spelling(f"tested_{name}_{shape}_beta", arrays, f"""
j 0..{n}
  i 0..{m}
    if ({test})
      T s = 0;
      k 0..K
        s += A(i,k) * B(j,k);
      C(i,j) = alpha * s + beta * C(i,j);""")


def all_tested_steps():
    """Steps on one side of a diagonal, where a branch around the row's update says so."""
    sides = {"le": "k <= i", "lt": "k < i", "ge": "i <= k", "far": "k > i + 2", "near": "i + 3 > k"}
    for name, test in sides.items():
        arrays = "C:M,N! A:M,K B:K,N"
        yield spelling(f"tested_steps_{name}_ikj", arrays, f"""
i 0..M
  k 0..K
    if ({test})
      j 0..N
        C(i,j) += A(i,k) * B(k,j);""")
        yield spelling(f"tested_steps_{name}_kij", arrays, f"""
k 0..K
  i 0..M
    if ({test})
      j 0..N
        C(i,j) -= alpha * A(i,k) * B(k,j);""")
        yield spelling(f"tested_steps_{name}_inside", arrays, f"""
i 0..M
  k 0..K
    j 0..N
      if ({test})
        C(i,j) += A(i,k) * B(k,j);""")


def all_scaled_behind():
    """In place, rows or columns that are scaled behind the steps that read them. Counted down,
    steps read rows that have changed."""
    for name, matrix, bound, inner, rows, row, step in (
            ("rows", "M,M", "M", "j 0..N", "i 0..k", "C(i,j)", "C(k,j)"),
            ("columns", "N,N", "N", "i 0..M", "j 0..k", "C(i,j)", "C(i,k)")):
        at = rows[0]
        for scaled, test in (("always", ""), ("unless_one", "if (u != 1)")):
            update = f"{inner}\n  {step} *= u;"
            update = f"{test}\n{indent(update)}" if test else update
            yield spelling(f"scaled_behind_{name}_{scaled}", f"C:M,N! A:{matrix}", f"""
k 0..{bound}
  {rows}
    T t = alpha * A(k,{at});
    {inner}
      {row} += t * {step};
  T u = alpha * A(k,k);
{indent(update)}""", tame=True, loops=NOT_SHIFTED[:-1])


def all_spellings():
    """(spellings, number of variations of each, whether plainly too)"""
    return [(all_rank_k(), 1, False), (all_triangular(), 1, False), (SYMM, 2, True),
            (FRAMES, 1, True), (CONTRACTIONS, 1, True), (list(all_tiled()), 1, False),
            (list(all_unrolled()), 1, False), (HAND, 1, True), (list(all_whole()), 1, False),
            (CONVOLUTIONS, 4, True), (PADDED, 0, True), (list(all_register_tiles()), 2, True),
            (all_vectors(), 3, True), (FILTERS, 2, True), (PADDED_FILTERS, 0, True), (all_pairs(), 1, False),
            (all_epilogues(), 1, False), (COMPUTED, 3, True), (RESULTS, 3, True), (CHOICES, 3, True),
            (all_triangles(), 3, True), (list(all_byte_strides()), 2, True),
             (SCATTERED, 0, True), (list(all_tested()), 1, True),
            (list(all_tested_steps()), 1, True), (list(all_scaled_behind()), 2, True)]


# --- The list ------------------------------------------------------------------

def vary(spellings, times, plain):
    """Each spelling in the plain variation, if wanted, and in some others, chosen so
    that soon every pair of choices occurs."""
    numbers, seen, forms = random_numbers(22), set(), []
    for s in spellings:
        if plain:
            forms.append(Form(s, *PLAIN))
        for _ in range(times):
            draws = [Form(s, *(v[next(numbers) % len(v)] for _, v in DIMENSIONS))
                     for _ in range(100)]
            best = max((f for f in draws if possible(f)),
                       key=lambda f: len(pairs(f[1:]) - seen))
            seen |= pairs(best[1:])
            forms.append(best)
    return list(dict.fromkeys(forms))


def with_shorts(forms):
    """Every second form of 32-bit integers as one of 16 bits, sums included."""
    turns = itertools.count()
    return [f._replace(type="i16") if f.type == "i32" and next(turns) % 2 else f for f in forms]


def all_forms():
    forms = []
    for spellings, times, plain in all_spellings():
        forms += vary(spellings, times, plain)
    return with_shorts(forms)
