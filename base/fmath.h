/* fmath.h: exponential and logarithm with the same bits on every x86-64 and with every compiler.
 *
 * The C library's differ in the last bit between processors (it picks FMA variants at run time); results must not. Only
 * + - * / and bit operations are used, with -ffp-contract=off. Largest error below 1 unit in the last place.
 * Special values: as in C (ho_log(0) = -inf, ho_log(negative) = NaN, ho_exp(±inf), subnormal results). */
#ifndef HO_BASE_FMATH_H
#define HO_BASE_FMATH_H

#ifdef __cplusplus
extern "C" {
#endif

double ho_exp(double x);
double ho_log(double x);
double ho_pow(double x, double y); /* x ≥ 0: exp(y·log x); its relative error grows to |y·log x| units in the last place */

#ifdef __cplusplus
}
#endif

#endif
