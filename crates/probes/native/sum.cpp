// The sum of C, compiled as C++.
#include "sum.c"
